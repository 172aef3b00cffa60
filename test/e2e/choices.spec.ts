import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connectBus, listWaitingChoices } from '#bus';
import { uuidOf } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import { copySubscribers, SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';

jest.setTimeout(300_000);

/** Two chunks of an audience. */
const remaining = 600;
const choosing = 1_000;
/** The longest wait of a recipient, regardless of the machine's load. */
const answerMs = 3_000;
/** Each of these commits waits for the disk; in all they take a second or two of a machine that has nothing else to do. */
const commitsMax = choosing / 10;
/** Two of four are kept for single messages. */
const campaignConnections = 2;
/** Delivery fetches recipient data again when it is older. */
const freshSeconds = 1;

describe('unsubscriptions while the subscriber service is away', () => {
  const tokens = new LinkTokens(deriveKey(process.env.MASTER_KEY!, 'links'));
  let sink: SmtpSink;
  let system: TestSystem;
  let owner: pg.Client;
  let uuidAt: (n: number) => string;
  const held: (() => void)[] = [];
  let holding = false;

  beforeAll(async () => {
    const behave = () =>
      holding
        ? { do: 'wait' as const, until: new Promise<void>((answer) => held.push(answer)) }
        : { do: 'accept' as const };
    sink = await SmtpSink.start({ forget: true, throttle: 400, behave });
    system = await startSystem({
      SMTP_URL: sink.url,
      SMTP_CONNECTIONS: '4',
      RECIPIENT_CACHE_TTL_SECONDS: String(freshSeconds),
    });
    await system.awaitLedger();
    owner = new pg.Client({ connectionString: system.environment.DATABASE_URL! });
    await owner.connect();
    ({ uuidAt } = await copySubscribers({
      databaseUrl: system.environment.DATABASE_URL!,
      organizationId: system.organizationId,
      count: choosing + remaining,
    }));
  });
  afterAll(async () => {
    await owner.end();
    await system.stop();
    await sink.stop();
  });

  /** Posts a mail client's one-click request (RFC 8058). @returns the status, and how many milliseconds it took */
  const oneClick = async (subscriberId: string): Promise<{ status: number; ms: number }> => {
    const ids = { organizationId: uuidOf('org', system.organizationId)!, messageId: randomUUID(), subscriberId };
    const token = tokens.seal('unsubscribe', { ...ids, campaignId: null, period: '2026-11' });
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const start = performance.now();
    const { status } = await fetch(`${system.url()}/u/${token}`, { method: 'POST', body });
    return { status, ms: performance.now() - start };
  };
  const waiting = async () => {
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace: system.databaseName, name: 'spec' });
    const choices = await listWaitingChoices(bus);
    await bus.close();
    return choices.length;
  };
  const killSubscriber = async () => {
    for (const one of system.alive('subscriber')) await system.end(one, 'SIGKILL');
  };

  it('are answered 200 at once, outlive the gateway, and are applied once before the service is ready', async () => {
    await killSubscriber();
    const answers: { status: number; ms: number }[] = [];
    for (let n = 1; n <= choosing; n += 5) {
      const some = Array.from({ length: 5 }, (_, i) => oneClick(uuidAt(n + i)));
      answers.push(...(await Promise.all(some)));
    }
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(answerMs);
    for (const one of system.alive('gateway')) await system.end(one, 'SIGKILL');
    expect(await waiting()).toBe(choosing);

    await system.add('subscriber');
    // It is ready at this moment.
    const { rows } = await owner.query<{ status: string; n: number }>(
      `select status, count(*)::int as n from subscriber.subscriber group by status order by status`,
    );
    expect(rows).toEqual([
      { status: 'SUBSCRIBED', n: remaining },
      { status: 'UNSUBSCRIBED', n: choosing },
    ]);
    expect(await waiting()).toBe(0);
    const { rows: written } = await owner.query<{ events: number; commits: number }>(
      `select sum(jsonb_array_length(events))::int as events, count(distinct xmin::text)::int as commits
       from subscriber.outbox where events::text like '%subscriber.unsubscribed%'`,
    );
    expect(written[0]!.events).toBe(choosing);
    expect(written[0]!.commits).toBeLessThan(commitsMax);
    await system.add('gateway');
  });

  it('keep a running campaign from starting a message to those subscribers, as they do while it is up', async () => {
    const client = new ToolsClient(system.url(), system.apiToken);
    holding = true;
    const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', {
      subject: 'Hello',
      contentType: 'MARKDOWN',
      content: 'News. [Leave]({{unsubscribeUrl}})',
    });
    await client.data('schedule_campaign', { campaignId });
    await until('both connections of campaigns are in use', () => held.length >= campaignConnections, 60_000);
    const { rows } = await owner.query<{ id: string; email: string }>(
      `select subscriber_id as id, email from subscriber.subscriber s where status = 'SUBSCRIBED' and not exists (
         select from delivery.campaign_message m where m.subscriber_id = s.subscriber_id) and not exists (
         select from subscriber.audience_page p join delivery.send_attempt a on a.chunk_no = p.page_no
         where get_bit(a.attempted, array_position(p.subscriber_ids, s.subscriber_id) - 1) = 1) order by email limit 40`,
    );
    expect(rows).toHaveLength(40);
    for (const { id } of rows.slice(0, 20)) expect((await oneClick(id)).status).toBe(200);
    expect(await waiting()).toBe(0);
    await killSubscriber();
    for (const { id } of rows.slice(20)) expect((await oneClick(id)).status).toBe(200);
    expect(await waiting()).toBe(20);
    await system.add('subscriber');
    const returnedAt = performance.now();
    await until('recipient data is too old to be used', () => performance.now() - returnedAt > freshSeconds * 1_000);
    holding = false;
    held.splice(0).forEach((answer) => answer());
    type Progress = { status: string; sent: number; pending: number };
    const progress = () => client.data<Progress>('get_campaign_progress', { campaignId });
    await until('it is SENT', async () => (await progress()).status === 'SENT', 120_000);
    expect(await progress()).toMatchObject({ sent: remaining - 40, pending: 0 });
    expect(rows.filter(({ email }) => sink.counts.has(email))).toEqual([]);
  });
});
