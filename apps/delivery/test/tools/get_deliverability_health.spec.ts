import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import { people, twoTenants } from '../send-fixture.js';
import type { TwoTenants } from '../send-fixture.js';

interface Judgement {
  metric: string;
  value: number;
  threshold: number;
  verdict: string;
  advice: string;
}
interface Report {
  window: { sinceDays: number; from: string; to: string };
  sent: number;
  delivered: number;
  bounced: number;
  complained: number;
  rates: { delivery: number; bounce: number; complaint: number };
  verdicts: Judgement[];
}
interface Trust {
  trustScore: number;
  level: string;
  signals: Judgement[];
}

describe('get_deliverability_health', () => {
  let { world, sink, tenant: tenant, otherTenant: otherTenant } = {} as TwoTenants;
  let tellPaused = () => {};
  const paused = new Promise<void>((resolve) => (tellPaused = resolve));
  beforeAll(async () => {
    ({
      world,
      sink,
      tenant: tenant,
      otherTenant: otherTenant,
    } = await twoTenants({
      behave: (to) =>
        to.startsWith('gone')
          ? { do: 'refuse', at: 'RCPT', reply: '550 5.1.1 No such user' }
          : to.startsWith('last')
            ? { do: 'wait', until: paused }
            : { do: 'accept' },
    }));
    world.engine(sink.url);
  });
  afterAll(() => world.stop().then(() => sink.stop()));

  const report = async (by = tenant) =>
    await world.tidings.data<Report>('get_deliverability_health', { sinceDays: 7 }, by);
  const trust = async (by = tenant) => await world.tidings.data<Trust>('get_deliverability_health', {}, by);
  const of = (judgements: Judgement[], metric: string) => judgements.find((one) => one.metric === metric)!;

  it('has nothing against who sent nothing yet', async () => {
    const { trustScore, level, signals } = await trust();
    expect({ trustScore, level }).toEqual({ trustScore: 92, level: 'HIGH' });
    expect(signals.map(({ metric, verdict }) => `${metric} ${verdict}`)).toEqual([
      ...['complaintRate OK', 'bounceRate OK', 'dns WARN', 'alignment WARN', 'unsubscribeLatency OK', 'content OK'],
    ]);
    const { window, ...counts } = await report();
    expect(counts).toMatchObject({ sent: 0, delivered: 0, bounced: 0, complained: 0 });
    expect(Date.parse(window.to) - Date.parse(window.from)).toBeGreaterThanOrEqual(7 * 24 * 3_600_000);
  });

  it('counts sent and refused mail, without test addresses, and explains the figures', async () => {
    const list = [{ email: 'gone@real.internal' }, { email: 'test@example.com' }, ...people(9)];
    await world.finished(await world.send(tenant, await world.audience(tenant, list)));
    await world.tidings.deliverEvents();
    const result = await report();
    expect(result).toMatchObject({ sent: 10, delivered: 9, bounced: 1, complained: 0 });
    expect(result.rates).toEqual({ delivery: 0.9, bounce: 0.1, complaint: 0 });
    expect(of(result.verdicts, 'bounceRate')).toMatchObject({ value: 0.1, threshold: 0.05, verdict: 'CRITICAL' });
    expect(of(result.verdicts, 'bounceRate').advice).toContain('Only 10 messages');
    expect((await trust()).trustScore).toBe(86);
    expect(await report(otherTenant)).toMatchObject({ sent: 0, bounced: 0 });
  });

  it('refuses a window of no days', async () => {
    expect(await world.tidings.refusal('get_deliverability_health', { sinceDays: 0 }, tenant)).toBe(
      'PARAMETERS_INVALID',
    );
  });

  it('is preceded by the pause of a campaign that bounces from the start, once', async () => {
    // The last recipient keeps the send from ending before the check.
    const list = Array.from({ length: 400 }, (_, n) => ({
      email: `${n === 399 ? 'last' : n % 10 === 0 ? 'gone' : 'here'}${n}@b.internal`,
    }));
    const send = await world.send(otherTenant, await world.audience(otherTenant, list));
    const state = async () => {
      await world.tidings.deliverEvents();
      return await world.progress(send);
    };
    await until('it is paused or over', async () => ['PAUSED', 'DONE'].includes((await state()).state));
    const { state: now, pausedReason } = await state();
    expect(now).toBe('PAUSED');
    expect(pausedReason).toMatch(/^Paused automatically: \d\d of its first messages bounced/);
    await world.setState(send, 'RUNNING');
    tellPaused();
    await until('it is over', async () => (await state()).finishedAt !== null);
    expect(await report(otherTenant)).toMatchObject({ sent: 400, delivered: 360, bounced: 40 });
  });
});
