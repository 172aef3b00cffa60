import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTags, byHand, day, graph, onTag } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, makeGroup } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('a group', () => {
  const enrolBoth = async (conflictStrategy: string, email: string) => {
    const group = await makeGroup(fixture, conflictStrategy, { conflictStrategy });
    const ids = [
      await fixture.live(graph([byHand, day()])),
      await fixture.live(graph([byHand, addTags('t', 'first step'), day()])),
    ];
    for (const id of ids) await fixture.setGroup(id, group.id);
    await fixture.subscriber(email);
    await fixture.enrol(ids[0]!, email);
    const second = await fixture.harness.call(
      'add_subscriber_to_workflow',
      { workflowId: ids[1], email },
      fixture.tenant,
    );
    await fixture.run();
    const states = [];
    for (const id of ids)
      states.push((await fixture.runs(email, id)).map(({ status, reason }) => `${status} ${reason}`).join());
    return [second.ok, ...states];
  };

  it.each([
    ['CANCEL_EXISTING', [true, 'CANCELED GROUP_CONFLICT', 'WAITING null']],
    ['SKIP_NEW', [false, 'WAITING null', '']],
    ['RUN_FIRST_STEP', [true, 'WAITING null', 'COMPLETED RUN_FIRST_STEP']],
  ])('with %s does as it says', async (strategy, result) => {
    expect(await enrolBoth(strategy, `${strategy.toLowerCase()}@example.com`)).toEqual(result);
  });

  it('starts only one of two simultaneous triggers', async () => {
    const group = await makeGroup(fixture, 'Race', { conflictStrategy: 'SKIP_NEW' });
    await fixture.tags('race one', 'race two');
    const ids = [
      await fixture.live(graph([onTag('race one'), day()])),
      await fixture.live(graph([onTag('race two'), day()])),
    ];
    for (const id of ids) await fixture.setGroup(id, group.id);
    const emails = Array.from({ length: 10 }, (_, n) => `race-${n}@example.com`);
    for (const email of emails) await fixture.subscriber(email, { tags: ['race two', 'race one'] });
    await fixture.harness.deliverEvents();
    const engines = [fixture.engine(), fixture.engine(), fixture.engine()];
    for (let round = 0; round < 3; round++) await Promise.all(engines.map(([starts]) => starts!()));
    for (const email of emails) {
      const won = await Promise.all(ids.map(async (id) => (await fixture.runs(email, id)).length));
      expect(won.reduce((sum, n) => sum + n)).toBe(1);
    }
  });
});
