import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('list_workflows', () => {
  it('lists every state, newest first, and finds by a part of the name', async () => {
    const [first, second] = [await desk.create('Birthday 100%'), await desk.create('Birthday two')];
    const list = async (input: object) =>
      await desk.tidings.data<{ workflows: { id: string }[]; total: number }>('list_workflows', input, desk.ours);
    expect((await list({ query: 'BIRTH' })).workflows.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await list({ query: '0%' })).toMatchObject({
      workflows: [{ id: first.id, activeSubscribers: 0 }],
      total: 1,
    });
    expect((await list({ limit: 1 })).workflows).toHaveLength(1);
    expect(await desk.tidings.data('list_workflows', {}, desk.theirs)).toEqual({ workflows: [], total: 0 });
  });

  it('lists up to 1,000, since it has no pages', async () => {
    expect(await desk.tidings.data('list_workflows', { limit: 1_000 }, desk.theirs)).toMatchObject({ total: 0 });
    expect(await desk.refusal('list_workflows', { limit: 1_001 })).toBe('PARAMETERS_INVALID');
  });
});
