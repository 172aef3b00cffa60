import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTags, byHand, day, graph, onTag } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, makeGroup } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('a group', () => {
  const enrolBoth = async (conflictStrategy: string, email: string) => {
    const group = await makeGroup(desk, conflictStrategy, { conflictStrategy });
    const ids = [
      await desk.live(graph([byHand, day()])),
      await desk.live(graph([byHand, addTags('t', 'first step'), day()])),
    ];
    for (const id of ids) await desk.setGroup(id, group.id);
    await desk.subscriber(email);
    await desk.enrol(ids[0]!, email);
    const second = await desk.tidings.call('add_subscriber_to_workflow', { workflowId: ids[1], email }, desk.ours);
    await desk.run();
    const states = [];
    for (const id of ids)
      states.push((await desk.runs(email, id)).map(({ status, reason }) => `${status} ${reason}`).join());
    return [second.ok, ...states];
  };

  it.each([
    ['CANCEL_EXISTING', [true, 'CANCELED GROUP_CONFLICT', 'WAITING null']],
    ['SKIP_NEW', [false, 'WAITING null', '']],
    ['RUN_FIRST_STEP', [true, 'WAITING null', 'COMPLETED RUN_FIRST_STEP']],
  ])('with %s does as it says', async (strategy, result) => {
    expect(await enrolBoth(strategy, `${strategy.toLowerCase()}@example.com`)).toEqual(result);
  });

  it('lets only one of two simultaneous triggers win', async () => {
    const group = await makeGroup(desk, 'Race', { conflictStrategy: 'SKIP_NEW' });
    await desk.tags('race one', 'race two');
    const ids = [
      await desk.live(graph([onTag('race one'), day()])),
      await desk.live(graph([onTag('race two'), day()])),
    ];
    for (const id of ids) await desk.setGroup(id, group.id);
    const emails = Array.from({ length: 10 }, (_, n) => `race-${n}@example.com`);
    for (const email of emails) await desk.subscriber(email, { tags: ['race two', 'race one'] });
    await desk.tidings.deliverEvents();
    const engines = [desk.engine(), desk.engine(), desk.engine()];
    for (let round = 0; round < 3; round++) await Promise.all(engines.map(([starts]) => starts!()));
    for (const email of emails) {
      const won = await Promise.all(ids.map(async (id) => (await desk.runs(email, id)).length));
      expect(won.reduce((sum, n) => sum + n)).toBe(1);
    }
  });
});
