import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('list_approvals', () => {
  const people = openPeople();

  it('lists by state and asker, in pages, and none of another organization', async () => {
    const [one, two] = [await people.member('editor'), await people.member('editor')];
    const ids = [await people.ask(one, 'a'), await people.ask(one, 'b'), await people.ask(two, 'c')];
    await people.data(people.owner, 'decide_approval', { approvalId: ids[0], approved: false });
    const list = (member: typeof one, input: object) =>
      people.data<{ approvals: { id: string; state: string }[]; pending: number; nextCursor: string | null }>(
        member,
        'list_approvals',
        input,
      );
    expect(await list(two, { states: ['PENDING'] })).toMatchObject({
      approvals: [{ id: ids[2] }, { id: ids[1] }],
      pending: 2,
    });
    expect((await list(one, { mine: true })).approvals.map(({ id, state }) => [id, state])).toEqual([
      [ids[1], 'PENDING'],
      [ids[0], 'REJECTED'],
    ]);
    const first = await list(one, { limit: 2 });
    expect((await list(one, { limit: 2, cursor: first.nextCursor })).approvals.map(({ id }) => id)).toEqual([ids[0]]);
    expect(await people.as(people.stranger, 'list_approvals', {}, people.theirs)).toMatchObject({
      data: { approvals: [], pending: 0 },
    });
  });
});
