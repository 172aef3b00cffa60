import { describe, expect, it, jest } from '@jest/globals';
import { until } from '#testing';
import { people, SendFixture } from '../send-fixture.js';
import type { StartedSend } from '../send-fixture.js';

jest.setTimeout(180_000);

/** A promise and what settles it. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('a running campaign', () => {
  const world = SendFixture.ofSuite({}, 1);

  it('is paused and resumed twenty times, and each recipient has exactly one DATA', async () => {
    let limit = 20;
    let paused = gate();
    // Before each pause only part of the messages may go out, so that enough remain for all pauses.
    const sink = await world.relay({
      throttle: 400,
      behave: () => (sink.accepted < limit ? { do: 'accept' } : { do: 'wait', until: paused.opened }),
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(700)));
    world.engine(sink.url);
    for (let n = 1; n <= 20; n++) {
      await until('more mail went out', () => sink.accepted >= n * 20, 60_000);
      await world.setState(send, 'PAUSED');
      paused.open();
      // Messages on the wire finish; then nothing moves until it runs again.
      await until('the pages are given back', async () => (await world.leasedPages(send)) === 0, 60_000);
      const { accepted } = sink;
      const { sent, state } = await world.checked(send);
      expect({ sent, state }).toEqual({ sent: accepted, state: 'PAUSED' });
      limit = n < 20 ? (n + 1) * 20 : Infinity;
      paused = gate();
      await world.setState(send, 'RUNNING');
    }
    expect(await world.finished(send)).toMatchObject({ state: 'DONE', sent: 700, inDoubt: 0, deferred: 0 });
    expect(sink.counts.size).toBe(700);
    expect(sink.accepted).toBe(700);
  });

  it('is stopped: open attempts finish, the rest is skipped with the reason, including deferred ones', async () => {
    const sink = await world.relay({
      throttle: 200,
      behave: (to) => (/^p\d?7@/.test(to) ? { do: 'refuse', at: 'RCPT', reply: '450 4.2.1 Later' } : { do: 'accept' }),
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(1200)));
    world.engine(sink.url);
    await until(
      'some went out and some were put off',
      async () => {
        const { sent, deferred } = await world.progress(send);
        return sent > 50 && deferred > 0;
      },
      60_000,
    );
    await world.setState(send, 'STOPPED');
    const progress = await world.finished(send);
    expect(progress).toMatchObject({ state: 'STOPPED', pending: 0, deferred: 0, sent: sink.accepted });
    expect(progress.skipped).toEqual({ STOPPED: 1200 - sink.accepted });
    const events = await world.tidings.deliverEvents();
    const finished = events.flatMap(({ name, data }) => (name === 'send.finished' ? [data] : []));
    expect(finished).toContainEqual(expect.objectContaining({ sendId: send.sendId, outcome: 'SENT' }));
  });

  it('is stopped even where no message of it can be made, since its domain has no key any more', async () => {
    const tenant = await world.organization();
    const sender = { ...tenant.sender, domain: 'keyless.internal' };
    const send = await world.send(tenant, await world.audience(tenant, people(3)), { sender });
    world.engine((await world.relay()).url);
    await until('it waits', async () => (await world.progress(send)).waitingFor !== null, 60_000);
    await world.setState(send, 'STOPPED');
    expect(await world.finished(send)).toMatchObject({ sent: 0, pending: 0, skipped: { STOPPED: 3 } });
  });

  it('is over when the last of it was on the wire as it was paused', async () => {
    const paused = gate();
    const sink = await world.relay({ behave: () => ({ do: 'wait', until: paused.opened }) });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(4)));
    world.engine(sink.url);
    await until('all are on the wire', async () => (await world.states(send)).HANDING_OVER === 4, 60_000);
    await world.setState(send, 'PAUSED');
    paused.open();
    expect(await world.finished(send)).toMatchObject({ state: 'DONE', sent: 4, pausedReason: null });
  });

  it('shares the connections with the campaigns of other tenants', async () => {
    const sink = await world.relay({ throttle: 100 });
    const large = await world.organization();
    const small = await world.organization();
    const few = await world.audience(small, people(20, 'small.internal'));
    const one = await world.send(large, await world.audience(large, people(1000, 'large.internal')));
    world.engine(sink.url);
    await until('the large one is under way', () => sink.accepted > 50, 60_000);
    const other = await world.send(small, few);
    await world.finished(other);
    expect((await world.progress(one)).sent).toBeLessThan(900);
    await world.setState(one, 'STOPPED');
    await world.finished(one);
  });

  it('does not wait behind the campaigns of others that cannot be sent at the moment', async () => {
    const sink = await world.relay();
    const [ill, well] = [await world.organization(), await world.organization()];
    const sender = { ...ill.sender, domain: 'keyless.internal' };
    const audience = await world.audience(ill, people(1));
    const waiting: StartedSend[] = [];
    for (let n = 0; n < 80; n++) waiting.push(await world.send(ill, audience, { sender }));
    const send = await world.send(well, await world.audience(well, people(5)));
    world.engine(sink.url);
    expect(await world.finished(send, 20_000)).toMatchObject({ sent: 5 });
    expect((await world.progress(waiting[0]!)).waitingFor).toBe(
      'The sending domain keyless.internal has no signing key.',
    );
    for (const one of waiting) await world.setState(one, 'PAUSED');
  });

  it('story 4: keeps the pace of the relay over a pause, and leaves it to the other campaign meanwhile', async () => {
    const paused = gate();
    const sink = await world.relay({
      behave: (to) =>
        to.endsWith('@first.internal') && sink.accepted > 5 ? { do: 'wait', until: paused.opened } : { do: 'accept' },
    });
    const [one, two] = [await world.organization(), await world.organization()];
    world.engine(sink.url, { SMTP_RATE: '30' });
    const first = await world.send(one, await world.audience(one, people(60, 'first.internal')));
    await until('the first is under way', () => sink.accepted > 5, 60_000);
    await world.setState(first, 'PAUSED');
    paused.open();
    const second = await world.send(two, await world.audience(two, people(30, 'second.internal')));
    await world.finished(second);
    expect(await world.checked(first)).toMatchObject({ state: 'PAUSED' });
    await world.setState(first, 'RUNNING');
    expect(await world.finished(first)).toMatchObject({ sent: 60, inDoubt: 0 });
    expect(sink.accepted).toBe(90);
  });
});
