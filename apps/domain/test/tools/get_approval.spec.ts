import { describe, expect, it } from '@jest/globals';
import { openPeople } from '../people-fixture.js';

describe('get_approval', () => {
  const people = openPeople();

  it('shows approvers and the asker the parameters, and others the sentence only', async () => {
    const [asker, viewer] = [await people.member('editor'), await people.member('viewer')];
    const approvalId = await people.ask(asker, 'doomed');
    const get = (member: typeof asker) => people.data<{ approval: object }>(member, 'get_approval', { approvalId });
    for (const member of [asker, people.owner])
      expect((await get(member)).approval).toMatchObject({
        state: 'PENDING',
        parameters: { name: 'doomed' },
        contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        asker: { kind: 'USER', id: asker.id },
      });
    expect((await get(viewer)).approval).toMatchObject({ message: 'Deletes doomed.', parameters: null });
  });

  it('holds parameters that the table hides without the master key', async () => {
    await people.ask(await people.member('editor'), 'very secret name');
    const rows: { row: string }[] = await people.harness
      .dataSource('domain')
      .query(`select encode(sealed, 'escape') || coalesce(subject::text, '') as row from approval`);
    expect(rows.map(({ row }) => row).join()).not.toContain('very secret');
  });

  it('answers another organization with APPROVAL_NOT_FOUND', async () => {
    const approvalId = await people.ask(await people.member('editor'), 'ours');
    expect(await people.refusal(people.stranger, 'get_approval', { approvalId }, people.theirs)).toBe(
      'APPROVAL_NOT_FOUND',
    );
  });
});
