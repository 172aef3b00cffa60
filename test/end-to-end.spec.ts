import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { tagTools } from '#contracts';
import { newId } from '#database';
import type { Running } from '#observability';
import { readEnvironment } from '#service-host';
import { until } from '#testing';
import type { TestDatabase } from '#testing';
import { boot } from '../apps/subscriber/src/boot.js';
import { subscriberEnvironment } from '../apps/subscriber/src/config.js';
import { environmentFor, freshDatabase } from './harness/service-plans.js';

describe('a service over the bus', () => {
  const organizationId = newId('org');
  const namespace = `t-${randomUUID().slice(0, 8)}`;
  let database: TestDatabase;
  let service: Running;
  let bus: Bus;

  beforeAll(async () => {
    database = await freshDatabase();
    const environment = { ...environmentFor(database.url), NATS_NAMESPACE: namespace, DATABASE_POOL_SIZE: '10' };
    service = await boot(readEnvironment(subscriberEnvironment, environment));
    bus = await connectBus({ url: process.env.NATS_URL!, namespace, name: 'spec' });
  });
  afterAll(async () => {
    await bus.close();
    await service.stop();
    await database.drop();
  });

  it('answers health, readiness and metrics', async () => {
    const at = `http://127.0.0.1:${service.facts!.healthPort as number}`;
    expect((await fetch(`${at}/healthz`)).status).toBe(200);
    // A check that is late counts as failed.
    await until('it is ready', async () => (await fetch(`${at}/readyz`)).status === 200);
    const metrics = async () => await (await fetch(`${at}/metrics`)).text();
    for (const name of ['outbox_pending', 'outbox_oldest_seconds', 'dead_letters'])
      expect(await metrics()).toContain(`\ntidings_${name}{service="subscriber"} 0\n`);
    await until('each lane has its reader', async () =>
      (await metrics()).includes('\ntidings_events_pending{lane="7",service="subscriber"} 0'),
    );
  });

  it('runs a tool, and answers a refusal as an outcome', async () => {
    const tags = bus.client(tagTools);
    const caller = serviceCaller(organizationId, 'spec');
    const { tag } = await tags.create_tag({ name: 'news' }, caller);
    expect(await tags.list_tags({}, caller)).toEqual({ tags: [{ ...tag, subscribersCount: 0 }], total: 1 });
    await expect(tags.create_tag({ name: 'NEWS' }, caller)).rejects.toMatchObject({ failure: { code: 'CONFLICT' } });
  });

  it('refuses what arrives after its deadline', async () => {
    const late = { ...serviceCaller(organizationId, 'spec'), deadline: Date.now() - 1 };
    expect(await bus.request('tools', { service: 'subscriber', name: 'list_tags' }, {}, late)).toMatchObject({
      ok: false,
    });
  });

  it('is UNAVAILABLE at once if no process serves it', async () => {
    const outcome = await bus.request(
      'tools',
      { service: 'nobody', name: 'x' },
      {},
      serviceCaller(organizationId, 'spec'),
    );
    expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  });
});
