import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { uuidOf } from '#database';
import { copySubscribers, SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { addDiskSwitch } from '../../faults/inject/full-disk.js';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';

jest.setTimeout(300_000);

/** Three pages, of which no sender works on more than two at once. */
const audience = 1_500;
const campaignConnections = 36;
/** Pages of dead senders are back in play within so long. */
const backWithinMs = 30_000;

interface Progress {
  status: string;
  sent: number;
  inDoubt: number;
  pending: number;
}

describe('four senders and two schedulers', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  let client: ToolsClient;
  let owner: pg.Client;
  const held: (() => void)[] = [];
  let holding = false;
  const letGo = () => {
    holding = false;
    held.splice(0).forEach((answer) => answer());
  };
  beforeAll(async () => {
    sink = await SmtpSink.start({
      forget: true,
      throttle: 400,
      behave: () =>
        holding ? { do: 'wait', until: new Promise<void>((answer) => held.push(answer)) } : { do: 'accept' },
    });
    system = await startSystem({ SMTP_URL: sink.url });
    for (const name of ['campaign', 'delivery', 'delivery', 'delivery']) await system.add(name);
    await system.awaitLedger();
    client = new ToolsClient(system.url(), system.apiToken);
    owner = new pg.Client({ connectionString: system.environment.DATABASE_URL! });
    await owner.connect();
    await copySubscribers({
      databaseUrl: system.environment.DATABASE_URL!,
      organizationId: system.organizationId,
      count: audience,
    });
  });
  afterAll(async () => {
    await owner.end();
    await system.stop();
    await sink.stop();
  });
  let before = new Map<string, number>();
  afterEach(() => {
    before = new Map(sink.counts);
  });

  /** Number of recipients that got the mail of this test exactly `times` times. */
  const got = (times: number) => [...sink.counts].filter(([to, all]) => all - (before.get(to) ?? 0) === times).length;
  const progressOf = (campaignId: string) => client.data<Progress>('get_campaign_progress', { campaignId });

  /** Starts a campaign. @returns once `accepted` messages were accepted */
  async function underWay(accepted: number): Promise<string> {
    const start = sink.accepted;
    const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', {
      subject: 'Hello {{firstName | "you"}}',
      contentType: 'MARKDOWN',
      content: 'News for {{name | "you"}}. [Leave]({{unsubscribeUrl}})',
    });
    await client.data('schedule_campaign', { campaignId });
    await until('it is under way', () => sink.accepted >= start + accepted, 60_000);
    return campaignId;
  }

  async function sent(campaignId: string): Promise<Progress> {
    await until('it is SENT', async () => (await progressOf(campaignId)).status === 'SENT', 200_000);
    return await progressOf(campaignId);
  }

  it('story 11: start one send, bring one mail to each, and end it once', async () => {
    // One alone would send it all, should the others come late.
    holding = true;
    const campaignId = await underWay(1);
    const found = async () => {
      const { rows } = await owner.query<{ sends: number; senders: number }>(
        `select count(distinct send_id)::int as sends, count(distinct p.owner)::int as senders
         from delivery.send s join delivery.send_page p using (organization_id, send_id) where s.campaign_id = $1`,
        [uuidOf('cmp', campaignId)],
      );
      return rows[0]!;
    };
    await until('several work on it', async () => (await found()).senders > 1);
    letGo();
    expect(await sent(campaignId)).toMatchObject({ sent: audience, inDoubt: 0, pending: 0 });
    expect(got(1)).toBe(audience);
    expect((await found()).sends).toBe(1);
  });

  it('meet a full disk: writes are refused with the reason, reads work, and all goes on without a restart', async () => {
    await addDiskSwitch(owner);
    const campaignId = await underWay(100);
    // Else it may be over before the disk is full.
    holding = true;
    await owner.query(`update public.disk set is_full = true`);

    const refused = await client.call('create_tag', { name: 'new' });
    expect(refused).toMatchObject({
      status: 503,
      body: { success: false, code: 'UNAVAILABLE', reason: 'DATABASE_UNAVAILABLE' },
    });
    expect(refused.body.error).toContain('the subscriber service has no room left on its disk');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await client.data('count_subscribers', {})).toMatchObject({ total: audience });
    const stopped = sink.accepted;
    letGo();
    await until('senders say why they wait', () =>
      system.alive('delivery').some(({ lines }) => lines.some((line) => line.includes('No space left on device'))),
    );
    expect(sink.accepted).toBeLessThanOrEqual(stopped + 4 * campaignConnections);

    const pids = () => system.processes.flatMap(({ child }) => (child.exitCode === null ? [child.pid] : []));
    const alive = pids();
    await owner.query(`update public.disk set is_full = false`);
    await client.data('create_tag', { name: 'new' });
    expect(await sent(campaignId)).toMatchObject({ sent: audience, inDoubt: 0, pending: 0 });
    expect(got(1)).toBe(audience);
    expect(pids()).toEqual(alive);
    await until('every fact is counted, and none twice', async () => {
      const { rows } = await owner.query<{ counted: number; known: number }>(
        `select (select coalesce(sum(sent), 0)::int from campaign.campaign_stat where campaign_id = $1) as counted,
           (select count(*)::int from subscriber.recipient_campaign where campaign_id = $1) as known`,
        [uuidOf('cmp', campaignId)],
      );
      return rows[0]!.counted === audience && rows[0]!.known === audience;
    });
  });

  it('lose two senders by SIGKILL: their pages are back in play within 30 s, and the rest is sent or listed in doubt', async () => {
    const campaignId = await underWay(100);
    holding = true;
    await until('all connections wait for their answers', () => held.length >= campaignConnections, 60_000);
    for (const one of system.alive('delivery').slice(0, 2)) await system.end(one, 'SIGKILL');
    const killedAt = performance.now();
    const { rows } = await owner.query<{ now: Date }>(`select clock_timestamp() as now`);
    letGo();
    await until(
      'nobody dead holds a page',
      async () => {
        const { rowCount } = await owner.query(
          `select from delivery.send_page where state = 'LEASED' and until <= $1::timestamptz + interval '20 s'`,
          [rows[0]!.now],
        );
        return rowCount === 0;
      },
      2 * backWithinMs,
    );
    expect(performance.now() - killedAt).toBeLessThan(backWithinMs);
    const progress = await sent(campaignId);
    expect(progress.inDoubt).toBeLessThanOrEqual(2 * campaignConnections);
    expect(progress).toMatchObject({ sent: audience - progress.inDoubt, pending: 0 });
    expect(got(0)).toBeLessThanOrEqual(progress.inDoubt);
    expect(got(0) + got(1)).toBe(audience);
  });
});
