import { describe, expect, it, jest } from '@jest/globals';
import { until } from '#testing';
import { campaignConnections, people, SendFixture } from '../send-fixture.js';
import type { StartedSend } from '../send-fixture.js';

jest.setTimeout(180_000);

const isSlow = (to: string) => to.endsWith('@slow.internal');

describe('a relay in trouble', () => {
  const world = SendFixture.ofSuite({}, 1);

  /** Makes deferred messages due repeatedly until the send ends. */
  const finishedWithoutWaiting = async (send: StartedSend) => {
    await until(
      'the send ends',
      async () => {
        await world.makeDue(send);
        return (await world.progress(send)).finishedAt !== null;
      },
      100_000,
    );
    return await world.checked(send);
  };

  it('story 5: answers 4xx in bursts and drops connections: no recipient is lost or gets two, and SENT is shown only for accepted mail', async () => {
    const dropped = new Set<string>();
    const sink = await world.relay({
      behave: (to, nth) => {
        const n = Number(/\d+/.exec(to)?.[0]);
        if (nth === 1 && n % 7 === 1) return { do: 'refuse', at: 'RCPT', reply: '450 4.2.1 Later' };
        if (nth === 1 && n % 7 === 3) return { do: 'refuse', at: 'DOT', reply: '451 4.3.0 Later' };
        if (nth === 1 && n % 31 === 5) return { do: 'refuse', at: 'RCPT', reply: '421 4.7.0 Too many connections' };
        if (nth === 1 && n % 37 === 6) return { do: 'refuse', at: 'RCPT', reply: '503 5.5.1 Bad sequence' };
        if (nth === 1 && n % 41 === 9) return { do: 'drop', at: 'RCPT' };
        if (n % 60 === 12) {
          dropped.add(to);
          return { do: 'drop', at: 'DOT' };
        }
        return { do: 'accept' };
      },
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(600)));
    world.engine(sink.url);
    const progress = await finishedWithoutWaiting(send);
    expect(progress).toMatchObject({ state: 'DONE', sent: 600 - dropped.size, inDoubt: dropped.size, failed: 0 });
    expect(dropped.size).toBe(10);
    expect(sink.counts.size).toBe(600);
    expect([...sink.counts.values()].filter((n) => n !== 1)).toEqual([]);
    const delayed = (await world.tidings.deliverEvents()).filter(({ name }) => name === 'message.delayed');
    expect(delayed.length).toBeGreaterThan(100);
  });

  it('is down: the campaign waits, says why, and goes on by itself; test addresses do not wait', async () => {
    let sink = await world.relay();
    const { port, url } = sink;
    await sink.stop();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, [...people(60), ...people(10, 'example.com')]));
    world.engine(url);
    await until('it says why', async () => (await world.progress(send)).waitingFor !== null, 60_000);
    expect((await world.progress(send)).waitingFor).toMatch(
      /^The mail relay 127.0.0.1:\d+ does not take mail \(.*ECONNREFUSED/,
    );
    await until('test addresses are done', async () => (await world.progress(send)).sent === 10, 60_000);
    expect(await world.checked(send)).toMatchObject({ state: 'RUNNING', deferred: 0, pending: 60 });
    sink = await world.relay({ port });
    expect(await world.finished(send)).toMatchObject({ state: 'DONE', sent: 70, waitingFor: null, inDoubt: 0 });
    expect(sink.counts.size).toBe(60);
  });

  it('is down while the campaign is stopped: it ends at once, and not when its recipients are read again', async () => {
    const sink = await world.relay();
    const { url } = sink;
    await sink.stop();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(20)));
    world.engine(url);
    await until('it says why', async () => (await world.progress(send)).waitingFor !== null, 60_000);
    await world.setState(send, 'STOPPED');
    expect(await world.finished(send, 20_000)).toMatchObject({ state: 'STOPPED', sent: 0, skipped: { STOPPED: 20 } });
  });

  it('waits and says why where no thread can make messages, and is finished where one can', async () => {
    const sink = await world.relay();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(30)));
    world.engine(sink.url, { RENDER_THREAD_URL: 'file:///nowhere/thread.js' });
    await until('it says why', async () => (await world.progress(send)).waitingFor !== null, 60_000);
    expect((await world.progress(send)).waitingFor).toMatch(
      /^Messages cannot be rendered here \(.+\)\. It is tried again\.$/,
    );
    await world.stopEngines();
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ state: 'DONE', sent: 30, waitingFor: null });
  });

  it('story 9: is down while a subscriber unsubscribes: they receive nothing once it is back', async () => {
    let sink = await world.relay();
    const { port, url } = sink;
    await sink.stop();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(40)));
    world.engine(url, { RECIPIENT_CACHE_TTL_SECONDS: '1' });
    await until('it says why', async () => (await world.progress(send)).waitingFor !== null, 60_000);
    for (const { email } of people(5)) await world.tidings.data('unsubscribe', { email }, tenant);
    const asked = await world.fences(send);
    await until('the page was asked for again', async () => (await world.fences(send)) > asked, 60_000);
    sink = await world.relay({ port });
    expect(await world.finished(send)).toMatchObject({ sent: 35, skipped: { UNSUBSCRIBED: 5 } });
    expect([...sink.counts.keys()].filter((email) => people(5).some((one) => one.email === email))).toEqual([]);
  });

  it('goes away in the middle and comes back: at most the open connections are put off or in doubt', async () => {
    let sink = await world.relay({ throttle: 300 });
    const { port, url } = sink;
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(500)));
    world.engine(url);
    await until('it is under way', () => sink.accepted > 60, 60_000);
    await sink.stop();
    const before = sink.accepted;
    const first = sink;
    await until('it says why', async () => (await world.progress(send)).waitingFor !== null, 60_000);
    sink = await world.relay({ port });
    const progress = await finishedWithoutWaiting(send);
    expect(progress.sent + progress.inDoubt).toBe(500);
    expect(progress.inDoubt).toBeLessThanOrEqual(campaignConnections);
    expect(sink.accepted + before).toBeGreaterThanOrEqual(progress.sent);
    const twice = [...sink.counts.keys()].filter((to) => first.counts.has(to));
    expect(twice).toEqual([]);
  });

  it('hangs after the final dot: in doubt when the patience ends, and the others go on', async () => {
    const sink = await world.relay({
      behave: (to) => (to.startsWith('p3@') ? { do: 'hang', at: 'DOT' } : { do: 'accept' }),
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(40)));
    // Longer than a busy machine may delay the reading of the other replies.
    world.engine(sink.url, { SMTP_DATA_TIMEOUT_SECONDS: '6' });
    await until('the others are done', async () => (await world.progress(send)).sent === 39, 60_000);
    expect(await world.finished(send)).toMatchObject({ sent: 39, inDoubt: 1, pending: 0 });
  });

  it('refuses everything for now: the engine slows down instead of running through the list', async () => {
    let well = false;
    const sink = await world.relay({
      behave: () =>
        well ? { do: 'accept' } : { do: 'refuse', at: 'RCPT', reply: '451 4.3.2 System not accepting mail' },
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(400)));
    world.engine(sink.url);
    await until('it says why', async () => (await world.progress(send)).waitingFor !== null, 60_000);
    const { deferred, waitingFor } = await world.progress(send);
    expect(waitingFor).toContain('451 4.3.2 System not accepting mail');
    expect(deferred).toBeLessThan(100);
    well = true;
    expect(await finishedWithoutWaiting(send)).toMatchObject({ sent: 400, failed: 0, inDoubt: 0 });
  });

  /** Counts the deferred messages that are not due yet, by attempts and reason. */
  const reasons = async (send: StartedSend) => {
    const counts = new Map<string, { response: string | null; attempts: number; n: number }>();
    for (const { state, response, attempts, wait, owner } of await world.messages(send)) {
      if (state !== 'DEFERRED' || wait === null || wait <= 0 || owner !== null) continue;
      const key = `${attempts} ${response}`;
      counts.set(key, { response, attempts, n: (counts.get(key)?.n ?? 0) + 1 });
    }
    return [...counts.values()].sort((a, b) => a.attempts - b.attempts);
  };
  const sendToBoth = async (slow: number, others: number) => {
    const tenant = await world.organization();
    const audience = await world.audience(tenant, [...people(slow, 'slow.internal'), ...people(others)]);
    return await world.send(tenant, audience);
  };

  it('has a domain behind it that takes no mail: its messages are put off without trying each, the others are sent', async () => {
    let well = false;
    let asked = 0;
    const sink = await world.relay({
      behave: (to) => {
        asked += Number(isSlow(to));
        const reply = '450 4.7.0 [TSS04] Messages temporarily deferred';
        return isSlow(to) && !well ? { do: 'refuse', at: 'RCPT', reply } : { do: 'accept' };
      },
    });
    const send = await sendToBoth(60, 60);
    world.engine(sink.url);
    await until('the others are done', async () => {
      const { sent, deferred } = await world.progress(send);
      return sent === 60 && deferred === 60;
    });
    const tried = asked;
    expect(tried).toBeGreaterThanOrEqual(5);
    expect(tried).toBeLessThanOrEqual(5 + campaignConnections);
    await world.makeDue(send);
    await until('all are put off', async () => (await reasons(send)).reduce((sum, { n }) => sum + n, 0) === 60);
    expect(asked).toBe(tried);
    const [untried] = await reasons(send);
    expect(untried).toMatchObject({ attempts: 0, n: 60 - tried });
    expect(untried!.response).toMatch(
      /^slow\.internal takes no mail at the moment \(450 4\.7\.0 .*\)\. It is tried again\.$/,
    );
    expect(await world.checked(send)).toMatchObject({ state: 'RUNNING', sent: 60, deferred: 60, waitingFor: null });
    // A process that starts again has to detect it for itself.
    well = true;
    await world.stopEngines();
    world.engine(sink.url);
    await world.makeDue(send);
    expect(await world.finished(send)).toMatchObject({ state: 'DONE', sent: 120, failed: 0, inDoubt: 0 });
    expect([...sink.counts.values()].filter((n) => n !== 1)).toEqual([]);
  });

  it('has such a domain when the campaign is stopped: its people are skipped by name', async () => {
    const sink = await world.relay({
      behave: (to) => (isSlow(to) ? { do: 'refuse', at: 'RCPT', reply: '450 4.7.28 Unusual rate' } : { do: 'accept' }),
    });
    const send = await sendToBoth(900, 0);
    // A chunk sleeps for a third of its lease, or until the domain is tried again: longer than this test waits.
    world.engine(sink.url, { SEND_LEASE_SECONDS: '600' });
    // Several times the number rendered ahead: the chunk does not sleep while recipients are deferred.
    await until('the rest is put off', async () => (await world.progress(send)).deferred === 900, 20_000);
    await world.setState(send, 'STOPPED');
    expect(await world.finished(send)).toMatchObject({ sent: 0, deferred: 0, skipped: { STOPPED: 900 } });
  });

  it('has at most the allowed number of attempts to one domain open, and other domains continue', async () => {
    let asked = 0;
    let goOn = () => {};
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    const sink = await world.relay({
      behave: (to) => {
        asked += Number(isSlow(to));
        return isSlow(to) ? { do: 'wait', until: wait } : { do: 'accept' };
      },
    });
    const send = await sendToBoth(60, 60);
    world.engine(sink.url, { SMTP_CONNECTIONS_PER_DOMAIN: '2' });
    await until('the others are done', async () => (await world.progress(send)).sent === 60);
    expect(asked).toBe(2);
    goOn();
    expect(await world.finished(send)).toMatchObject({ sent: 120, inDoubt: 0, deferred: 0 });
  });
});
