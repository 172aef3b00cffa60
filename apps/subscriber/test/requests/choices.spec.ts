import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { choiceStream, connectBus, listWaitingChoices, publishChoice, restoreWaitingChoices } from '#bus';
import type { Bus, DurableStream } from '#bus';
import { subscriberLifeRequests, subscriberRequests } from '#contracts';
import type { Choice } from '#contracts';
import { newId, uuidOf } from '#database';
import { createLogger } from '#observability';
import { CallContexts, deadLetterFactory } from '#service-host';
import { until } from '#testing';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { choiceHandlers } from '../../src/choice/choice.consumer.js';
import { ChoiceWorker } from '../../src/choice/choice.worker.js';
import { complain, inState } from '../message-event-fixture.js';
import { historyOf, organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

jest.setTimeout(60_000);

describe('unsubscriptions that waited for the subscriber service', () => {
  let harness: Harness;
  let tenant: Tenant;
  let bus: Bus;
  let stream: DurableStream;
  let owner: pg.Client;
  let started: ChoiceWorker[] = [];
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    owner = new pg.Client({ connectionString: harness.ownerUrl });
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await harness.stop();
  });
  beforeEach(async () => {
    bus = await connectBus({ url: process.env.NATS_URL!, namespace: `t-${randomUUID().slice(0, 8)}`, name: 'spec' });
    stream = choiceStream(bus);
    await stream.ensure();
    started = [];
  });
  afterEach(async () => {
    for (const worker of started) await worker.stop();
    await bus.close();
  });

  const choiceOf = (subscriberId: string, at = new Date(), { organizationId } = tenant): Choice => ({
    id: newId('evt'),
    organizationId,
    name: 'unsubscription.requested',
    data: {
      subscriberId,
      source: 'one-click',
      campaignId: newId('cmp'),
      messageId: newId('msg'),
      at: at.toISOString(),
    },
  });
  const worker = () => {
    const dataSource = harness.dataSource('subscriber');
    const contexts = new CallContexts('subscriber', dataSource, () => undefined);
    const one = new ChoiceWorker({ stream, contexts, log: createLogger('subscriber', 'silent') });
    started.push(one);
    return one;
  };
  const statusOf = async (id: string, by = tenant) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId: id }, by)).subscriber.status;
  const someone = () => person(harness, tenant, { email: `${randomUUID()}@example.com` });

  it('are applied when the start is done, each once and at its own instant', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, someone));
    await harness.deliverEvents();
    const at = new Date();
    for (const { id } of people) {
      const choice = choiceOf(id, at);
      await publishChoice(stream, choice);
      await publishChoice(stream, choice);
      await publishChoice(stream, choiceOf(id, at));
    }
    await worker().start();
    expect(await listWaitingChoices(bus)).toEqual([]);
    const events = await harness.deliverEvents();
    expect(events.map(({ name }) => name)).toEqual(people.map(() => 'subscriber.unsubscribed'));
    expect(events[0]!.data).toMatchObject({ source: 'one-click', occurredAt: at.toISOString() });
    for (const { id, email } of people) {
      expect(await statusOf(id)).toBe('UNSUBSCRIBED');
      expect((await historyOf(harness, tenant, email)).filter((type) => type === 'UNSUBSCRIBED')).toHaveLength(1);
    }
  });

  it('are applied as they come once the service is up', async () => {
    await worker().start();
    const ada = await someone();
    await publishChoice(stream, choiceOf(ada.id));
    await until('it is applied', async () => (await statusOf(ada.id)) === 'UNSUBSCRIBED');
  });

  const link = () => harness.client(subscriberRequests);
  const consents: [string, () => Promise<{ id: string; tenant: Tenant }>][] = [
    [
      'a resubscription by the link',
      async () => {
        const { id } = await someone();
        const by = { source: 'page' as const, campaignId: null, messageId: null };
        await link().unsubscribe_by_link({ subscriberId: id, ...by }, harness.caller(tenant));
        await link().resubscribe_by_link({ subscriberId: id }, harness.caller(tenant));
        return { id, tenant: tenant };
      },
    ],
    [
      'a resubscription by the link that changed nothing',
      async () => {
        const { id } = await someone();
        await link().resubscribe_by_link({ subscriberId: id }, harness.caller(tenant));
        return { id, tenant: tenant };
      },
    ],
    [
      'a confirmation',
      async () => {
        const double = await organization(harness, { doubleOptIn: true });
        const email = `${randomUUID()}@example.com`;
        const { id } = await inState(harness, double, { email, status: 'PENDING_CONFIRMATION' });
        const evidence = { linkMadeAt: new Date().toISOString(), ip: null, userAgent: null };
        const life = harness.client(subscriberLifeRequests);
        await life.confirm_subscription({ subscriberId: id, ...evidence }, harness.caller(double));
        return { id, tenant: double };
      },
    ],
    [
      'a call with resubscribe',
      async () => {
        const { id, email } = await someone();
        await harness.data('unsubscribe', { subscriberId: id }, tenant);
        await harness.data('add_subscriber', { email, resubscribe: true }, tenant);
        return { id, tenant: tenant };
      },
    ],
    [
      'a reactivation',
      async () => {
        const one = await someone();
        await complain(harness, tenant, one);
        await harness.data('reactivate_subscriber', { subscriberId: one.id }, tenant);
        return { id: one.id, tenant: tenant };
      },
    ],
  ];

  it.each(consents)('change nothing if %s is later, and are applied if it is older', async (_what, consent) => {
    const before = new Date();
    await until('the clock has moved', () => Date.now() > before.getTime());
    const { id, tenant } = await consent();
    expect(await statusOf(id, tenant)).toBe('SUBSCRIBED');
    await publishChoice(stream, choiceOf(id, before, tenant));
    await worker().start();
    expect([await listWaitingChoices(bus), await statusOf(id, tenant)]).toEqual([[], 'SUBSCRIBED']);
    await publishChoice(stream, choiceOf(id, new Date(Date.now() + 1), tenant));
    await until('the newer one is applied', async () => (await statusOf(id, tenant)) === 'UNSUBSCRIBED');
  });

  it('are applied though a ban was lifted later: that is no consent', async () => {
    const one = await someone();
    const before = new Date();
    const life = harness.client(subscriberLifeRequests);
    for (const banned of [true, false]) await life.set_ban({ email: one.email, banned }, harness.caller(tenant));
    expect(await statusOf(one.id)).toBe('SUBSCRIBED');
    await publishChoice(stream, choiceOf(one.id, before));
    await worker().start();
    expect(await statusOf(one.id)).toBe('UNSUBSCRIBED');
  });

  /** Makes every update of a subscriber fail. @returns a function that ends this */
  const failing = async (id: string, sqlState: string) => {
    await owner.query(`create or replace function subscriber.fail() returns trigger language plpgsql as $$
      begin raise exception 'injected' using errcode = '${sqlState}'; end $$`);
    await owner.query(`create trigger fail before update on subscriber.subscriber for each row
      when (old.subscriber_id = '${uuidOf('sub', id)}') execute function subscriber.fail()`);
    return () => owner.query('drop trigger fail on subscriber.subscriber');
  };
  const letters = () => {
    const contexts = new CallContexts('subscriber', harness.dataSource('subscriber'), () => undefined);
    return deadLetterFactory('subscriber', choiceHandlers)(contexts.plain()).handlers;
  };

  it('become dead letters when they cannot be applied, hold up no other, and can be replayed', async () => {
    const [poisoned, other] = [await someone(), await someone()];
    const mend = await failing(poisoned.id, 'P0001');
    for (const { id } of [poisoned, other]) await publishChoice(stream, choiceOf(id));
    await worker().start();
    expect(await listWaitingChoices(bus)).toEqual([]);
    expect([await statusOf(poisoned.id), await statusOf(other.id)]).toEqual(['SUBSCRIBED', 'UNSUBSCRIBED']);
    const put = { event: 'unsubscription.requested', organizationId: tenant.organizationId, attempts: 5 };
    const aside = await letters().list_dead_letters!({ limit: 10 } as never, harness.caller(tenant));
    expect(aside).toMatchObject({ total: 1, deadLetters: [put] });
    await mend();
    expect(await letters().replay_dead_letters!({} as never, harness.caller(tenant))).toEqual({
      replayed: 1,
      failed: [],
    });
    expect(await statusOf(poisoned.id)).toBe('UNSUBSCRIBED');
  });

  it('wait for a database in trouble, and with them the start', async () => {
    const one = await someone();
    const mend = await failing(one.id, '53100');
    const tries = jest.spyOn(CallContexts.prototype, 'transaction');
    await publishChoice(stream, choiceOf(one.id));
    let ready = false;
    const start = worker()
      .start()
      .then(() => (ready = true));
    await until('it was tried more often than a poison choice is', () => tries.mock.calls.length > 6);
    expect(ready).toBe(false);
    tries.mockRestore();
    await mend();
    await start;
    expect(await statusOf(one.id)).toBe('UNSUBSCRIBED');
  });

  it('that another process took and did not finish are applied by the next start', async () => {
    const one = await someone();
    await publishChoice(stream, choiceOf(one.id));
    // As a previous version may have created it.
    await stream.ensureConsumer('subscriber', 'choices.*.*', 4_000, 10);
    let taken = 0;
    const killed = await stream.consume('subscriber', 1, () => (taken += 1));
    await until('it is taken', () => taken === 1);
    await killed.stop();
    await worker().start();
    expect(await statusOf(one.id)).toBe('UNSUBSCRIBED');
  });

  it('can be listed for a backup and put back, with the instants they were made at', async () => {
    const people = Array.from({ length: 250 }, () => newId('sub'));
    const choices = people.map((id, n) => choiceOf(id, new Date(Date.UTC(2026, 10, 1) + n)));
    await restoreWaitingChoices(bus, choices);
    expect((await listWaitingChoices(bus)).sort(byAt)).toEqual(choices);
    const elsewhere = { connection: bus.connection, namespace: `${bus.namespace}-restored` };
    expect(await listWaitingChoices(elsewhere)).toEqual([]);
    await restoreWaitingChoices(elsewhere, await listWaitingChoices(bus));
    await restoreWaitingChoices(elsewhere, choices);
    expect((await listWaitingChoices(elsewhere)).sort(byAt)).toEqual(choices);
    expect(await listWaitingChoices(bus)).toHaveLength(choices.length);
  });
});

const byAt = (a: Choice, b: Choice) => a.data.at.localeCompare(b.data.at);
