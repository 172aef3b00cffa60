import { beforeAll, expect, it } from '@jest/globals';
import { subscriberLifeRequests } from '#contracts';
import type { DomainEvent } from '#contracts';
import { newUuid, uuidOf } from '#database';
import { applyBatches } from '#events';
import type { EventBatch } from '#events';
import { createLogger } from '#observability';
import { until } from '#testing';
import { WakeSignals } from '../../src/engine/loop/wake-signals.js';
import { lockRuns, watchHandlers } from '../../src/engine/run/subscriber-event.consumer.js';
import { VersionCache } from '../../src/engine/run/version-cache.service.js';
import { isolatedFixture } from '../isolated-fixture.js';
import { waiting } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

/** The events of a deletion and of an unsubscription, which different handlers apply. */
async function leave(deleted: string, unsubscribed: string): Promise<EventBatch[]> {
  await fixture.harness.deliverEvents();
  const life = fixture.harness.client(subscriberLifeRequests);
  await life.delete_subscriber({ email: deleted }, fixture.harness.caller(fixture.tenant));
  await fixture.harness.data('unsubscribe', { email: unsubscribed }, fixture.tenant);
  return await fixture.harness
    .dataSource('subscriber')
    .query(`select outbox_id as "outboxId", events from outbox where published_at is null order by seq`);
}

const applied = (batches: readonly EventBatch[], failures: number): Promise<boolean> =>
  applyBatches(
    {
      service: 'workflow',
      dataSource: fixture.harness.dataSource('workflow'),
      handlers: watchHandlers({ versions: new VersionCache(), wakeSignals: new WakeSignals() }),
      lockForEvents: lockRuns,
      log: createLogger('workflow', 'silent'),
      committed: () => undefined,
    },
    batches,
    { failures, guard: () => Promise.resolve(true) },
  );

it('locks the runs of all events of a transaction in one order, whatever order the events are in', async () => {
  const id = await fixture.live(waiting());
  const runs: string[] = [];
  for (const email of ['first@example.com', 'second@example.com']) {
    await fixture.subscriber(email);
    runs.push(uuidOf('run', (await fixture.enrol(id, email)).workflowSubscriberId)!);
  }
  await fixture.run();
  const batches = await leave('second@example.com', 'first@example.com');
  const dataSource = fixture.harness.dataSource('workflow');
  const engine = dataSource.createQueryRunner();
  await engine.startTransaction();
  const lock = `select run_id from run where run_id = $1 for no key update`;
  await engine.query(lock, [runs[0]]);
  const applying = applied(batches, 0);
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await until('the wait for the engine', async () => (await dataSource.query(waits)).length > 0);
  expect(await engine.query(`${lock} nowait`, [runs[1]])).toHaveLength(1);
  await engine.commitTransaction();
  await engine.release();
  expect(await applying).toBe(true);
  expect(await fixture.runs('first@example.com')).toMatchObject([{ status: 'CANCELED', reason: 'UNSUBSCRIBED' }]);
  await fixture.harness.deliverEvents();
});

it('does not keep an event that cannot be read from being put aside, nor the others from being applied', async () => {
  const id = await fixture.live(waiting());
  for (const email of ['third@example.com', 'fourth@example.com']) {
    await fixture.subscriber(email);
    await fixture.enrol(id, email);
  }
  await fixture.run();
  const batches = await leave('third@example.com', 'fourth@example.com');
  const [event] = batches[0]!.events;
  const brokenId = newUuid();
  const broken = { ...event!, id: brokenId, name: 'messages.settled', data: null } as unknown as DomainEvent;
  batches.splice(1, 0, { outboxId: newUuid(), events: [broken] });
  await expect(applied(batches, 0)).rejects.toThrow(TypeError);
  expect(await applied(batches, 1)).toBe(true);
  const letters: object[] = await fixture.harness
    .dataSource('workflow')
    .query(`select event->>'id' as id from dead_letter where event->>'id' = $1`, [broken.id]);
  expect(letters).toEqual([{ id: brokenId }]);
  expect(await fixture.runs('fourth@example.com')).toMatchObject([{ status: 'CANCELED', reason: 'UNSUBSCRIBED' }]);
  await fixture.harness.deliverEvents();
});
