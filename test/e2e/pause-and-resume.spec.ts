import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';

jest.setTimeout(400_000);

/** To the relay: as many messages may be on the wire when a campaign is paused. */
const connections = 20;

interface Recipient {
  email: string;
  status: string;
  reason: string | null;
  canRetry: string;
  attempts: number;
  sentAt: string | null;
}

describe('a campaign that is going out', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  let client: ToolsClient;
  /** How often the mail server was asked to take a message since the count was set back. */
  let asked = 0;
  const accepts = () => {
    asked += 1;
    return { do: 'accept' } as const;
  };
  /** Messages that the mail server holds without an answer, so that a campaign does not end before it is paused. */
  const held: (() => void)[] = [];
  const holds = () => ({ do: 'wait', until: new Promise<void>((answer) => held.push(answer)) }) as const;
  const answer = () => held.splice(0).forEach((one) => one());
  beforeAll(async () => {
    sink = await SmtpSink.start({ throttle: 150, forget: true });
    system = await startSystem({ SMTP_URL: sink.url, SMTP_CONNECTIONS: String(connections) }, { inOneProcess: true });
    await system.awaitLedger();
    client = new ToolsClient(system.url(), system.apiToken);
  }, 120_000);
  afterAll(async () => {
    await system.stop();
    await sink.stop();
  });

  /** Sends a new campaign to `count` new subscribers tagged with its name. */
  const sendTo = async (name: string, count: number): Promise<string> => {
    const subscribers = Array.from({ length: count }, (_, n) => ({
      email: `${name}${n}@people.internal`,
      tags: [name],
    }));
    while (subscribers.length > 0) {
      await client.data('import_subscribers', { subscribers: subscribers.splice(0, 500) });
    }
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [name] }];
    const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', { name, subject: 'Hello' });
    await client.data('update_campaign_filters', { campaignId, filters });
    await client.data('schedule_campaign', { campaignId });
    return campaignId;
  };
  const progress = (campaignId: string) =>
    client.data<{ sent: number; pending: number; status: string; paused: boolean; skipped: Record<string, number> }>(
      'get_campaign_progress',
      { campaignId },
    );
  const ended = (campaignId: string) =>
    until(
      'the campaign ends',
      async () => !['SCHEDULED', 'SENDING'].includes((await progress(campaignId)).status),
      150_000,
    );
  const control = (campaignId: string, action: string) => client.v1('POST', `/campaigns/${campaignId}/${action}`);
  const everybody = async (campaignId: string, query = ''): Promise<Recipient[]> => {
    const found: Recipient[] = [];
    for (let cursor = ''; ;) {
      const { body } = await client.v1('GET', `/campaigns/${campaignId}/recipients?limit=100${query}${cursor}`);
      found.push(...(body.recipients as Recipient[]));
      if (body.nextCursor === null) return found;
      cursor = `&cursor=${body.nextCursor as string}`;
    }
  };
  const taken = (name: string) => [...sink.counts].filter(([to]) => to.startsWith(name)).map(([, times]) => times);

  it('failure story 2: paused and resumed fifty times, reaches each recipient with exactly one DATA', async () => {
    // As many as connections go out each time, so that there is mail left at the end.
    const people = 55 * connections;
    sink.behave = holds;
    const campaignId = await sendTo('story', people);
    await until('mail goes out', () => sink.accepted > 5, 100_000);
    for (let n = 1; n <= 50; n++) {
      const paused = await control(campaignId, 'pause');
      expect(paused.body).toEqual({ success: true, campaignId, paused: true });
      answer();
      const { accepted } = sink;
      expect((await control(campaignId, 'resume')).body).toEqual({ success: true, campaignId, paused: false });
      if (n % 10 === 0) await until('more mail goes out', () => sink.accepted > accepted, 100_000);
    }
    sink.behave = accepts;
    answer();
    await ended(campaignId);
    expect(await progress(campaignId)).toMatchObject({ status: 'SENT', sent: people, pending: 0, skipped: {} });
    expect(taken('story')).toEqual(Array<number>(people).fill(1));
  });

  it('finishes open attempts when it is paused and sends nothing until it is resumed', async () => {
    sink.behave = () => (taken('still').length < 50 ? accepts() : holds());
    const campaignId = await sendTo('still', 300);
    await until('mail goes out', () => taken('still').length > 50, 100_000);
    await control(campaignId, 'pause');
    sink.behave = accepts;
    asked = 0;
    answer();
    await until('what is on the wire has ended', async () => {
      const { sent, pending } = await progress(campaignId);
      return sent + pending === 300 && sent === taken('still').length;
    });
    const { length } = taken('still');
    expect(length).toBeLessThan(300);
    expect(asked).toBeLessThanOrEqual(connections);
    expect((await client.v1('GET', `/campaigns/${campaignId}/recipients?limit=1`)).body.pending).toBe(300 - length);
    await control(campaignId, 'resume');
    await ended(campaignId);
    expect(taken('still')).toEqual(Array<number>(300).fill(1));
  });

  it('failure story 22: a wrong campaign is stopped after its open attempts, and the skipped recipients are listed', async () => {
    sink.behave = () => (taken('wrong').length < 50 ? accepts() : holds());
    const campaignId = await sendTo('wrong', 600);
    await until('mail goes out', () => taken('wrong').length > 50, 100_000);
    const stop = await control(campaignId, 'stop');
    sink.behave = accepts;
    asked = 0;
    answer();
    expect(stop.body).toEqual({ success: true, campaignId, paused: false });
    await ended(campaignId);
    const { length } = taken('wrong');
    expect(asked).toBeLessThanOrEqual(connections);
    expect(await progress(campaignId)).toMatchObject({
      status: 'SENT',
      sent: length,
      skipped: { STOPPED: 600 - length },
    });
    const left = await everybody(campaignId, '&status=SKIPPED');
    expect(new Set(left.map(({ reason, canRetry }) => `${reason} ${canRetry}`))).toEqual(new Set(['STOPPED NO']));
    const got = await everybody(campaignId, '&status=sent,delivered');
    expect([got.length, left.length]).toEqual([length, 600 - length]);
    expect(new Set([...got, ...left].map(({ email }) => email)).size).toBe(600);
    expect((await control(campaignId, 'resume')).body).toMatchObject({ code: 'INVALID_STATE' });
  });

  it('returns who did not receive it and why, and retries those that can be retried', async () => {
    sink.behave = (to) => {
      if (/again[0-4]@/.test(to)) return { do: 'refuse', at: 'RCPT', reply: '552 5.2.2 Mailbox full' };
      if (/again[56]@/.test(to)) return { do: 'refuse', at: 'RCPT', reply: '550 5.1.1 No such user' };
      return { do: 'accept' };
    };
    const campaignId = await sendTo('again', 30);
    await ended(campaignId);
    const counted = (numbers: object) =>
      until(`analytics tell ${JSON.stringify(numbers)}`, async () => {
        const { sent, delivered, bounced } = await client.data<Record<string, unknown>>('get_campaign_analytics', {
          campaignId,
        });
        return JSON.stringify({ sent, delivered, bounced }) === JSON.stringify(numbers);
      });
    const failed = await everybody(campaignId, '&status=FAILED');
    expect(failed.map(({ email, reason, canRetry }) => [email.slice(0, 6), reason, canRetry]).sort()).toEqual([
      ...[0, 1, 2, 3, 4].map((n) => [`again${n}`, 'MAILBOX_FULL', 'YES']),
      ...[5, 6].map((n) => [`again${n}`, 'NO_SUCH_USER', 'NO']),
    ]);
    await counted({ sent: 23, delivered: 23, bounced: { hard: 2, soft: 5 } });
    sink.behave = accepts;
    const retry = await control(campaignId, 'retry');
    expect(retry.body).toEqual({ success: true, campaignId, status: 'SENDING', retried: 5, inDoubt: 0 });
    await ended(campaignId);
    expect(await progress(campaignId)).toMatchObject({ status: 'SENT', sent: 28, failed: 2, deferred: 0, pending: 0 });
    expect(taken('again')).toEqual(Array<number>(28).fill(1));
    await counted({ sent: 28, delivered: 28, bounced: { hard: 2, soft: 0 } });
    const rescued = (await everybody(campaignId)).filter(({ email }) => /again[0-4]@/.test(email));
    expect(rescued.map(({ status, attempts }) => [status, attempts])).toEqual(Array(5).fill(['DELIVERED', 2]));
    expect((await control(campaignId, 'retry')).body).toMatchObject({ retried: 0, status: 'SENT' });
  });
});
