import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { serviceCaller } from '#bus';
import { eventRepairRequests, replicaRequests } from '#contracts';
import type { MissedStart, Service } from '#contracts';
import { newUuid, uuidOf } from '#database';
import { laneCount } from '#events';
import { SmtpSink, until } from '#testing';
import { plans, environmentFor } from '../../../test/harness/service-plans.js';
import { connectTo, startSystem } from '../../../test/harness/started-services.js';
import { projections } from '../src/projections.js';
import { LocalBus } from '#testing';
import { partsOf } from '../../../test/harness/service-plans.js';
import { cliFixture } from './cli-fixture.js';
import type { TypedCommand } from './cli-fixture.js';

jest.setTimeout(300_000);

const consumers = ['subscriber', 'campaign', 'workflow', 'delivery'] as const;
const sources = ['subscriber', 'workflow', 'delivery'] as const;
const people = ['gone', 'full', ...Array.from({ length: 6 }, (_, n) => `p${n}`)];
const browser = { 'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15' };

interface Repair {
  source: string;
  applied: Record<string, number>;
  missing: number;
  starts: MissedStart[];
}

describe('events that services missed', () => {
  let sink: SmtpSink;
  let system: Awaited<ReturnType<typeof startSystem>>;
  let connected: Awaited<ReturnType<typeof connectTo>>;
  let type: TypedCommand;

  beforeAll(async () => {
    sink = await SmtpSink.start({
      behave: (to) => {
        if (to.includes('gone')) return { do: 'refuse', at: 'RCPT', reply: '550 5.1.1 No such user' };
        if (to.includes('full')) return { do: 'refuse', at: 'RCPT', reply: '552 5.2.2 Mailbox full' };
        return { do: 'accept' };
      },
    });
    // Missing events are logged as errors.
    system = await startSystem({ SMTP_URL: sink.url, LOG_LEVEL: 'fatal' });
    type = cliFixture(system.config);
    connected = await connectTo(system);
  });
  afterAll(async () => {
    await connected.close();
    await system.stop();
    await sink.stop();
  });

  const data = async <T>(tool: string, input: object): Promise<T> => {
    const called = await type('call', tool, JSON.stringify(input), '--yes');
    expect(called).toMatchObject({ status: 0, noted: [] });
    return JSON.parse(called.last) as T;
  };
  const query = <T>(sql: string, params?: unknown[]): Promise<T[]> => connected.query<T>(sql, params);
  const emailOf = (prefix: string, name: string) => `${prefix}-${name}@people.internal`;

  /** Whether each event that is published was read by each service. */
  async function isSettled(): Promise<boolean> {
    for (const source of sources) {
      const [waiting] = await query<{ n: number }>(
        `select count(*)::int as n from ${source}.outbox where published_at is null`,
      );
      if (waiting!.n > 0) return false;
      for (const consumer of consumers) {
        const [behind] = await query<{ n: number }>(
          `select count(*)::int as n from ${source}.lane_lease s join ${consumer}.lane_lease c using (lane)
           where s.role = 'relay' and c.role = 'consumer ${consumer}'
             and (s.position ->> 'number')::bigint > coalesce((c.position -> 'numbers' ->> '${source}')::bigint, 0)`,
        );
        if (behind!.n > 0) return false;
      }
    }
    return true;
  }

  /** Another process holds all lanes of all services and reads none, as if all of them were away. */
  async function away(): Promise<void> {
    for (const consumer of consumers)
      await query(
        `update ${consumer}.lane_lease set owner = $1, fence = fence + 1, until = clock_timestamp() + interval '1 hour'
         where role = 'consumer ${consumer}'`,
        [randomUUID()],
      );
  }
  async function back(): Promise<void> {
    for (const consumer of consumers)
      await query(`update ${consumer}.lane_lease set until = clock_timestamp() where role = 'consumer ${consumer}'`);
  }
  /** An event that no service applies in each lane, so that each notices what is missing before it. */
  async function tick(): Promise<void> {
    for (const source of sources)
      for (let lane = 0; lane < laneCount; lane++) {
        const event = { id: 'evt_x', organizationId: 'org_x', name: 'spec.nothing', data: {} };
        await query(
          `insert into ${source}.outbox (outbox_id, lane, organization_id, subject, events) values ($1, $2, $1, $3, $4)`,
          [newUuid(), lane, source, JSON.stringify([event])],
        );
        connected.bus.broadcast(`outbox.${source}`, {});
      }
    await until('all events are read', isSettled, 60_000);
  }

  /** Adds subscribers, sends them a campaign, and reads, leaves and deletes as some of them. @returns the campaign's id */
  async function act(prefix: string): Promise<string> {
    await data('get_or_create_tags', { names: [prefix] });
    for (const name of people) await data('add_subscriber', { email: emailOf(prefix, name), tags: [prefix] });
    const content = '[Shop](https://shop.example/) [Leave]({{unsubscribeUrl}})';
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [prefix] }];
    const draft = { subject: 'Hello {{email}}', contentType: 'MARKDOWN', content };
    const { campaignId } = await data<{ campaignId: string }>('create_campaign', draft);
    await data('update_campaign_filters', { campaignId, filters });
    await data('schedule_campaign', { campaignId });
    const isSent = async () =>
      (
        await query<{ state: string }>(`select state from delivery.send where campaign_id = $1`, [
          uuidOf('cmp', campaignId),
        ])
      ).some(({ state }) => state === 'DONE');
    await until('the campaign is sent', isSent, 60_000);
    await read(prefix);
    const { subscriber } = await data<{ subscriber: { id: string } }>('get_subscriber', {
      email: emailOf(prefix, 'p3'),
    });
    await data('delete_subscriber', { subscriberId: subscriber.id });
    return campaignId;
  }

  async function read(prefix: string): Promise<void> {
    const linkOf = (name: string) => {
      const mail = sink.messages.find(({ to }) => to === emailOf(prefix, name))!;
      const raw = mail.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
      return (kind: string) => `${system.url}${new RegExp(`/${kind}/[\\w-]{40,}`).exec(raw)![0]}`;
    };
    // Clicks within two seconds count as those of scanners.
    for (const [table, column] of [
      ['campaign_message', 'attempted_at'],
      ['message', 'accepted_at'],
    ])
      await query(`update delivery.${table} set ${column} = ${column} - interval '1 minute' where email like $1`, [
        `${prefix}-%`,
      ]);
    for (const name of ['p0', 'p0', 'p1']) await fetch(linkOf(name)('o'), { headers: browser });
    await fetch(linkOf('p0')('c'), { headers: browser, redirect: 'manual' });
    await fetch(linkOf('p2')('u'), { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    const opened = async () => {
      const [row] = await query<{ opens: number; clicks: number }>(
        `select coalesce(sum(opens), 0)::int as opens, coalesce(sum(clicks), 0)::int as clicks from delivery.any_message
         where email like $1`,
        [`${prefix}-%`],
      );
      return row!.opens >= 3 && row!.clicks >= 1;
    };
    await until('the hits are stored', opened, 60_000);
  }

  /** What services know by events only, of the subscribers with a prefix and their campaign. */
  async function projected(prefix: string, campaignId: string) {
    const campaign = uuidOf('cmp', campaignId);
    const without = `to_jsonb(t) - '{organization_id,campaign_id,lane}'::text[]`;
    const sums = (table: string) =>
      query(
        `select key, sum(value::bigint)::int as n from ${table} t, jsonb_each_text(${without} - 'hour' - 'url' - 'url_hash')
         where campaign_id = $1 group by key order by key`,
        [campaign],
      );
    const histories = [];
    for (const name of people.filter((one) => one !== 'p3')) {
      const email = emailOf(prefix, name);
      const { subscriber } = await data<{ subscriber: { id: string; status: string } }>('get_subscriber', { email });
      const { events } = await data<{ events: { type: string }[] }>('list_subscriber_events', {
        subscriberId: subscriber.id,
      });
      const [activity] = await query(
        `select email_count, open_count, click_count, cardinality(soft_bounced_at) as soft from subscriber.subscriber_activity
         where subscriber_id = $1`,
        [uuidOf('sub', subscriber.id)],
      );
      histories.push({ name, status: subscriber.status, types: events.map((one) => one.type).sort(), activity });
    }
    return {
      histories,
      status: await query(`select status from campaign.campaign where campaign_id = $1`, [campaign]),
      numbers: await sums('campaign.campaign_stat'),
      links: await sums('campaign.campaign_link'),
      hours: await sums('campaign.campaign_hour'),
      erasure: await query(
        `select exists (select from delivery.erasure join delivery.any_message m using (subscriber_id) where m.email = $1)
           or not exists (select from delivery.any_message where email = $1) as requested`,
        [emailOf(prefix, 'p3')],
      ),
    };
  }

  /** Numbers of an organization by day and by hour, summed up. */
  const totals = async () =>
    Object.fromEntries(
      (
        await query<{ key: string; n: number }>(
          `select 'health ' || key as key, sum(value::bigint)::int as n from delivery.health_day t,
             jsonb_each_text(to_jsonb(t) - '{organization_id,day,lane}'::text[]) group by key
           union all select 'engagement ' || kind || ' ' || key, sum(value::bigint)::int from delivery.engagement_hour t,
             jsonb_each_text(to_jsonb(t) - '{organization_id,hour,kind,lane}'::text[]) group by kind, key`,
        )
      ).map(({ key, n }) => [key, n]),
    );
  const difference = (after: Record<string, number>, before: Record<string, number>) =>
    Object.fromEntries(Object.entries(after).map(([key, n]) => [key, n - (before[key] ?? 0)]));

  const rebuild = async (service: Service): Promise<{ status: number; repairs: Repair[] }> => {
    const { status, last, noted } = await type('events', 'rebuild', service, '--json');
    expect(noted).toEqual([]);
    return { status, repairs: (JSON.parse(last) as { repairs: Repair[] }).repairs };
  };

  const isEnabled = async () => !/WAITING|DISABLED/.test((await type('features')).said.join('\n'));

  it.each([
    ['by position', '--on'],
    ['by subscriber', '--off'],
  ])('are repaired, so that all is as if they had never been missed: rows %s', async (layout, option) => {
    await type('features', option, 'send.ledger');
    await until('the format is decided', async () => (await isEnabled()) === (option === '--on'), 60_000);
    const [first, second] = [`seen-${layout.slice(3)}`, `missed-${layout.slice(3)}`];
    const runs = await query(`select from workflow.run`);
    const nothing = await totals();
    const reference = await act(first);
    await tick();
    const seen = await projected(first, reference);
    const afterSeen = await totals();
    expect(seen.numbers).toContainEqual({ key: 'sent', n: people.length - 2 });
    expect(seen.histories.map(({ status }) => status)).toEqual(
      expect.arrayContaining(['BOUNCED', 'UNSUBSCRIBED', 'SUBSCRIBED']),
    );
    expect((await type('events', 'gaps')).last).toBe('No gap is open.');

    const { workflow } = await data<{ workflow: { id: string; updatedAt: string } }>('create_workflow', { name: 'Hi' });
    await data('get_or_create_tags', { names: ['welcomed'] });
    await data('configure_workflow_draft', {
      workflowId: workflow.id,
      expectedUpdatedAt: workflow.updatedAt,
      steps: [
        { id: 'start', type: 'TRIGGER', config: { kind: 'SUBSCRIBED' } },
        { id: 'mark', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['welcomed'] } },
      ],
      edges: [{ source: 'start', target: 'mark' }],
    });
    await data('publish_workflow', { workflowId: workflow.id });
    await tick();

    await away();
    const campaignId = await act(second);
    const { streams } = await jetstreamManager(connected.bus.connection);
    for (const source of sources) {
      const waiting = `select from ${source}.outbox where published_at is null`;
      await until('all is published', async () => (await query(waiting)).length === 0);
    }
    await streams.purge(`${connected.bus.namespace}_events`);
    const lost = await projected(second, campaignId);
    expect([lost.numbers, lost.erasure]).toEqual([[], [{ requested: false }]]);
    await back();
    await tick();
    const open = await type('events', 'gaps');
    expect(open.status).toBe(1);
    for (const consumer of consumers) expect(open.said.join('\n')).toMatch(new RegExp(`^${consumer} +delivery `, 'm'));
    expect(await projected(second, campaignId)).toEqual(lost);

    // The command was killed after it had applied something.
    const interrupted = connected.bus.client(eventRepairRequests('campaign'));
    const caller = () => serviceCaller('', 'spec');
    const part = await interrupted.apply_missed_events({ source: 'delivery' }, caller());
    expect(part.applied).toContainEqual({ event: 'send.finished', count: 1 });
    for (const consumer of consumers) {
      const { status, repairs } = await rebuild(consumer);
      expect([consumer, status, repairs.map(({ missing }) => missing)]).toEqual([consumer, 0, repairs.map(() => 0)]);
      if (consumer === 'campaign')
        expect(repairs.find(({ source }) => source === 'delivery')!.applied).not.toHaveProperty('send.finished');
      const starts = repairs.flatMap((one) => one.starts);
      expect(starts.map((one) => one.workflowId)).toEqual(consumer === 'workflow' ? people.map(() => workflow.id) : []);
    }
    const repaired = await projected(second, campaignId);
    expect(repaired).toEqual(seen);
    expect(difference(await totals(), afterSeen)).toEqual(difference(afterSeen, nothing));
    expect(await query(`select from workflow.run`)).toEqual(runs);

    expect(await type('events', 'gaps')).toMatchObject({ status: 0, last: 'No gap is open.' });
    for (const consumer of consumers)
      expect((await connected.bus.client(replicaRequests(consumer)).get_event_state({}, caller())).gaps).toEqual([]);
    expect((await type('events', 'rebuild', 'campaign')).said).toEqual(['campaign misses no events.']);
    expect(await projected(second, campaignId)).toEqual(seen);
    await data('update_workflow_status', { workflowId: workflow.id, status: 'PAUSED' });
  });

  it('name each projection that a service keeps', () => {
    for (const makePlan of plans) {
      const plan = makePlan(environmentFor('postgres://localhost/none'));
      const parts = partsOf(plan, new LocalBus());
      const handlers = plan.lateEvents?.(parts).handlers ?? plan.eventHandlers?.(parts) ?? {};
      const known = Object.keys(projections[plan.service] ?? {});
      expect([plan.service, Object.keys(handlers)]).toEqual([plan.service, expect.arrayContaining(known)]);
      if (plan.service !== 'workflow')
        expect([plan.service, known.sort()]).toEqual([plan.service, Object.keys(handlers).sort()]);
    }
  });

  it('are refused for an unknown service or instant', async () => {
    expect(await type('events', 'rebuild', 'domain')).toMatchObject({
      status: 2,
      noted: [
        expect.stringContaining('SERVICE is one of subscriber, campaign, workflow, delivery'),
        expect.any(String),
      ],
    });
    expect((await type('events', 'rebuild', 'campaign', '--from', 'yesterday')).noted[0]).toMatch(/^--from takes/);
  });

  it('that the outbox no longer has leave their gap open until they are given up', async () => {
    const gap = { source: 'delivery', lane: 0, afterNumber: 1_000_000, beforeNumber: 1_000_004 };
    await query(
      `insert into campaign.event_gap (consumer, source, lane, after_number, before_number) values ('campaign', 'delivery', 0, $1, $2)`,
      [gap.afterNumber, gap.beforeNumber],
    );
    const kept = await type('events', 'rebuild', 'campaign');
    expect(kept).toMatchObject({ status: 3, last: expect.stringContaining('3 messages not found') });
    expect((await type('events', 'gaps')).said.join('\n')).toMatch(/open, 3 messages not found/);
    const given = await type('events', 'rebuild', 'campaign', '--from', '2026-01-01');
    expect(given.status).toBe(0);
    expect((await type('events', 'gaps')).said.join('\n')).toMatch(/repaired \S+, 3 messages not found/);
  });
});

describe('formats', () => {
  let system: Awaited<ReturnType<typeof startSystem>>;
  let type: TypedCommand;

  beforeAll(async () => {
    system = await startSystem();
    type = cliFixture(system.config);
  });
  afterAll(() => system.stop());

  it('are listed, taken back for new sends, and enabled again', async () => {
    const rows = async (...options: string[]) => (await type('features', ...options)).said.slice(1);
    const row = async (name: string, ...options: string[]) =>
      (await rows(...options)).find((line) => line.startsWith(name));
    await until('all are enabled', async () => (await rows()).every((line) => line.includes('ENABLED')), 60_000);
    expect(await row('messages.settled')).toMatch(/^messages\.settled +delivery +ENABLED +\S+Z +1 +-$/);
    expect(await row('send.ledger', '--off', 'send.ledger')).toMatch(/DISABLED +- +1 +-$/);
    expect(await row('messages.settled')).toMatch(/ENABLED/);
    await type('features', '--on', 'send.ledger');
    await until('it is enabled again', async () => /ENABLED/.test((await row('send.ledger'))!), 60_000);
    expect((await type('features', '--off', 'other')).status).toBe(2);
    expect((await type('features', '--off', 'send.ledger', '--on', 'send.ledger')).noted[0]).toBe(
      'Give either --off or --on.',
    );
  });
});
