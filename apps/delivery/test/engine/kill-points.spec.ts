import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { messageRequests } from '#contracts';
import { newId, uuidOf } from '#database';
import { until } from '#testing';
import type { SmtpSink } from '#testing';
import { campaignConnections, Line, people, SendFixture } from '../send-fixture.js';
import type { StartedSend } from '../send-fixture.js';
import { mortalThread } from '../send-threads-fixture.js';

jest.setTimeout(180_000);

describe('a send', () => {
  const world = SendFixture.ofSuite({}, 1);
  let sink: SmtpSink;
  const sendTo = async (emails: { email: string }[]) => {
    const tenant = await world.organization();
    return { tenant: tenant, send: await world.send(tenant, await world.audience(tenant, emails)) };
  };
  const stateOf = async (send: StartedSend, name: string): Promise<string | undefined> =>
    (await world.messages(send)).find(({ email }) => email.startsWith(`${name}@`))?.state;
  const twice = () => [...sink.counts].filter(([, n]) => n !== 1);

  it('loses its engine after the claim: the next one sends to every recipient', async () => {
    sink = await world.relay();
    const { send } = await sendTo(people(20));
    // It leases the chunk and cannot render a message.
    const line = new Line(world.database);
    world.engine(sink.url, { RENDER_THREAD_URL: 'file:///nowhere/thread.js' }, line);
    await until('the page is claimed', async () => (await world.leasedPages(send)) === 1);
    await line.cut();
    await world.endLeases();
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ sent: 20, inDoubt: 0 });
    expect(twice()).toEqual([]);
  });

  it('loses its engine after MAIL, after the dot, and after the 250: these are in doubt, no recipient gets two', async () => {
    const asked = new Set<string>();
    let answer = () => {};
    const dead = new Promise<void>((resolve) => (answer = resolve));
    sink = await world.relay({
      behave: (to) => {
        asked.add(to.split('@')[0]!);
        if (to.startsWith('mail@')) return { do: 'hang', at: 'RCPT' };
        if (to.startsWith('dot@')) return { do: 'hang', at: 'DOT' };
        return to.startsWith('taken@') ? { do: 'wait', until: dead } : { do: 'accept' };
      },
    });
    const struck = ['mail', 'dot', 'taken'];
    const { send } = await sendTo([...struck.map((name) => ({ email: `${name}@people.internal` })), ...people(20)]);
    const line = new Line(world.database);
    world.engine(sink.url, {}, line);
    await until('all three are under way', () => struck.every((name) => asked.has(name)));
    await until('the others are recorded', async () => (await world.progress(send)).sent === 20);
    await line.cut();
    answer();
    await until('the relay took it', () => sink.counts.get('taken@people.internal') === 1);
    await world.endLeases();
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ sent: 20, inDoubt: 3, failed: 0, pending: 0 });
    expect(await Promise.all(struck.map((name) => stateOf(send, name)))).toEqual(Array(3).fill('IN_DOUBT'));
    expect(twice()).toEqual([]);
  });

  it('loses the threads that send: what was written is in doubt, all others are sent once', async () => {
    sink = await world.relay({ throttle: 100 });
    const { send } = await sendTo(people(300));
    const folder = mkdtempSync(join(tmpdir(), 'tidings-thread-'));
    const { file, kill } = mortalThread(folder);
    world.engine(sink.url, { RENDER_THREAD_URL: file.href });
    await until('it is under way', () => sink.accepted > 30);
    kill();
    await until('it ends', async () => (await world.progress(send)).finishedAt !== null, 100_000);
    const { sent, inDoubt, failed } = await world.checked(send);
    expect([sent + inDoubt, failed]).toEqual([300, 0]);
    expect(inDoubt).toBeGreaterThan(0);
    expect(inDoubt).toBeLessThanOrEqual(campaignConnections);
    expect(twice()).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it.each([1, 2])('leaves no more in doubt than its window: %i for each connection', async (window) => {
    // A window of 2 serves relays that answered fast.
    const answered = window === 1 ? 0 : 40;
    sink = await world.relay({
      behave: () => (sink.accepted < answered ? { do: 'accept' } : { do: 'hang', at: 'DOT' }),
    });
    // Those that were never on the wire are sent when their engine comes back, which is in the next test.
    const { send } = await sendTo(Array.from({ length: 300 }, (_, n) => ({ email: `w${n}@people.internal` })));
    const line = new Line(world.database);
    world.engine(sink.url, { SEND_WINDOW: String(window) }, line);
    const marked = async () => (await world.messages(send)).filter(({ state }) => state === 'HANDING_OVER').length;
    const enough = window === 1 ? campaignConnections : campaignConnections + 1;
    await until('more are marked than a smaller window allows', async () => (await marked()) >= enough);
    await line.cut();
    const marks = await marked();
    expect(marks).toBeLessThanOrEqual(window * campaignConnections);
    await world.endLeases();
    sink = await world.relay();
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ sent: 300 - marks, inDoubt: marks, failed: 0, pending: 0 });
    expect(twice()).toEqual([]);
  });

  it('keeps its page while the relay takes longer than the lease to answer', async () => {
    let answer = () => {};
    const slow = new Promise<void>((resolve) => (answer = resolve));
    sink = await world.relay({ behave: () => ({ do: 'wait', until: slow }) });
    const { send } = await sendTo(people(3));
    // Long enough that the owner may get no processor for a while and still be the first to renew.
    const leaseSeconds = 6;
    [1, 2].map(() => world.engine(sink.url, { SEND_LEASE_SECONDS: String(leaseSeconds) }));
    const twoLeasesLater = Date.now() + 2 * leaseSeconds * 1_000;
    await until('the lease was made longer twice', async () => {
      const rows: { until: Date }[] = await world.database.query(`select until from send_page where send_id = $1`, [
        uuidOf('send', send.sendId),
      ]);
      return rows[0]!.until?.getTime() > twoLeasesLater;
    });
    answer();
    expect(await world.finished(send)).toMatchObject({ sent: 3, inDoubt: 0 });
    expect(await world.fences(send)).toBe(1);
    expect(twice()).toEqual([]);
  });

  it('of others goes on while a session holds rows of one and an old snapshot of all', async () => {
    sink = await world.relay();
    const held = (await sendTo(people(20, 'held.internal'))).send;
    const session = world.database.createQueryRunner();
    await session.connect();
    await session.startTransaction('REPEATABLE READ');
    // It is idle for as long as the other send takes.
    await session.query(`set local idle_in_transaction_session_timeout = 0`);
    await session.query(`select count(*) from message`);
    const row = [uuidOf('send', held.sendId)];
    await session.query(`select from send where send_id = $1 for update`, row);
    await session.query(`select from send_page where send_id = $1 for update`, row);
    const { send } = await sendTo(people(300));
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ sent: 300 });
    expect(await world.progress(held)).toMatchObject({ sent: 0, pending: 20 });
    await session.rollbackTransaction();
    await session.release();
    expect(await world.finished(held)).toMatchObject({ sent: 20 });
    expect(twice()).toEqual([]);
  });

  it('to a large audience does not block single messages', async () => {
    sink = await world.relay({ throttle: 75 });
    const { tenant: tenant, send } = await sendTo(people(1000));
    world.engine(sink.url);
    await until('it is under way', () => sink.accepted > 50);
    const mail = { subject: 'Please confirm', html: '<p>Hello</p>', text: 'Hello' };
    const delivery = world.tidings.client(messageRequests);
    for (let n = 0; n < 10; n += 1) {
      const message = {
        sourceKey: `confirmation:${n}`,
        subscriberId: newId('sub'),
        email: `one${n}@single.internal`,
        ...mail,
      };
      await delivery.queue_message(message, world.tidings.caller(tenant));
    }
    await until(
      'all ten arrived',
      () => sink.messages.filter(({ to }) => to.endsWith('@single.internal')).length === 10,
    );
    expect((await world.progress(send)).sent).toBeLessThan(900);
    await world.setState(send, 'STOPPED');
    await world.finished(send);
  });
});
