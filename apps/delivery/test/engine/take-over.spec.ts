import { describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { uuidOf } from '#database';
import { until } from '#testing';
import type { SmtpSink } from '#testing';
import { EngineSessionRepository } from '../../src/send/engine-session.repository.js';
import { campaignConnections, Line, people, SendFixture, sentMessages } from '../send-fixture.js';
import type { EntityManager } from 'typeorm';
import type { StartedSend } from '../send-fixture.js';

jest.setTimeout(180_000);

describe('several engines on one database', () => {
  const world = SendFixture.ofSuite({}, 1);
  let sink: SmtpSink;
  const once = () => [...sink.counts.values()].filter((n) => n !== 1);
  const inState = async (send: StartedSend, wanted: string) =>
    (await world.messages(send)).flatMap(({ messageId, state }) => (state === wanted ? [messageId] : []));

  it('send one mail each, and end the send once', async () => {
    let goOn = () => {};
    const shared = new Promise<void>((resolve) => (goOn = resolve));
    sink = await world.relay({ behave: () => ({ do: 'wait', until: shared }) });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(1500)));
    const engines = [1, 2, 3].map(() => world.engine(sink.url, { SMTP_CONNECTIONS: '8' }));
    expect(engines).toHaveLength(3);
    const owners = async () => {
      const [row] = await world.database.query<[{ n: number }]>(
        `select count(distinct owner)::int as n from send_page where send_id = $1`,
        [uuidOf('send', send.sendId)],
      );
      return row.n;
    };
    await until('several work on it', async () => (await owners()) > 1, 60_000);
    goOn();
    expect(await world.finished(send)).toMatchObject({ sent: 1500, inDoubt: 0, deferred: 0 });
    expect(sink.counts.size).toBe(1500);
    expect(once()).toEqual([]);
    expect(await owners()).toBeGreaterThan(1);
    const ends = (await world.tidings.deliverEvents()).filter(({ name }) => name === 'send.finished');
    expect(ends).toHaveLength(1);
  });

  it('take over from one that died: what it was handing over is in doubt and never sent again, all else is sent', async () => {
    sink = await world.relay({ throttle: 150 });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, [...people(600), ...people(30, 'example.com')]));
    const line = new Line(world.database);
    world.engine(sink.url, {}, line);
    await until('it is under way', () => sink.accepted > 100, 60_000);
    await line.cut();
    const marked = await inState(send, 'HANDING_OVER');
    expect(marked.length).toBeGreaterThan(0);
    expect(marked.length).toBeLessThanOrEqual(campaignConnections * 2);
    await world.endLeases();
    world.engine(sink.url);
    const progress = await world.finished(send);
    expect(progress.inDoubt).toBeLessThanOrEqual(campaignConnections);
    expect(progress).toMatchObject({ state: 'DONE', sent: 630 - progress.inDoubt, pending: 0, failed: 0 });
    const doubted = await inState(send, 'IN_DOUBT');
    expect(doubted).toHaveLength(progress.inDoubt);
    expect(marked).toEqual(expect.arrayContaining(doubted));
    expect(once()).toEqual([]);
    expect(sink.counts.size).toBeGreaterThanOrEqual(600 - progress.inDoubt);
  });

  it('take over the pages of a process that was killed before the leases end', async () => {
    sink = await world.relay({ throttle: 150 });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(600)));
    const line = new Line(world.database);
    const leases = { SEND_LEASE_SECONDS: '600' };
    world.engine(sink.url, leases, line);
    await until('it is under way, and holds its lock', async () => {
      const rows = await world.database.query<unknown[]>(`select from send_engine`);
      return sink.accepted > 100 && rows.length > 0;
    });
    const claimed = await world.leasedPages(send);
    await line.cut();
    await world.endSessions();
    world.engine(sink.url, leases);
    const progress = await world.finished(send, 60_000);
    expect(claimed).toBeGreaterThan(0);
    expect(progress.inDoubt).toBeLessThanOrEqual(campaignConnections);
    expect(progress).toMatchObject({ state: 'DONE', sent: 600 - progress.inDoubt, pending: 0 });
    expect(once()).toEqual([]);
  });

  it('leave the pages of a living process alone, and those of one that is not listed', async () => {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    sink = await world.relay({ behave: () => ({ do: 'wait', until: waiting }) });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(50)));
    world.engine(sink.url);
    const listed = () =>
      world.database.query<unknown[]>(
        `select from send_engine e join send_page p on p.owner = e.owner where p.send_id = $1`,
        [uuidOf('send', send.sendId)],
      );
    await until('it waits for the relay, and is listed', async () => (await listed()).length === 1);
    // With leases of 1 s it would count as silent from the first moment on.
    const other = new EngineSessionRepository(world.database, randomUUID(), 1);
    await other.hold();
    await other.releaseAbandoned();
    expect([await world.leasedPages(send), (await listed()).length]).toEqual([1, 1]);
    await world.database.query(`delete from send_engine`);
    await other.releaseAbandoned();
    await other.end();
    expect(await world.leasedPages(send)).toBe(1);
    goOn();
    expect(await world.finished(send)).toMatchObject({ sent: 50, inDoubt: 0 });
    expect(await world.fences(send)).toBe(1);
  });

  it('believe a late answer of the one that marked, and let a zombie do nothing else', async () => {
    // The first engine's messages get replies only when the test releases them.
    const answers: (() => void)[] = [];
    let hold = true;
    sink = await world.relay({
      behave: () => (hold ? { do: 'wait', until: new Promise<void>((go) => answers.push(go)) } : { do: 'accept' }),
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(200)));
    const line = new Line(world.database);
    const zombie = world.engine(sink.url, {}, line);
    await until('every connection waits for its answer', () => answers.length === campaignConnections, 60_000);
    await line.cut();
    hold = false;
    await world.endLeases();
    world.engine(sink.url);
    const before = await world.finished(send);
    expect(before).toMatchObject({ inDoubt: campaignConnections, sent: 200 - campaignConnections });
    // The dead engine wakes: its replies arrive, and its old statements reach the database.
    answers.forEach((answer) => answer());
    await until('the relay answered', () => sink.accepted === 200);
    line.mend();
    await until('the answers are recorded', async () => (await world.progress(send)).inDoubt === 0, 60_000);
    expect(await world.checked(send)).toMatchObject({ state: 'DONE', sent: 200, inDoubt: 0 });
    expect(once()).toEqual([]);
    const events = await world.tidings.deliverEvents();
    const sent = sentMessages(events).filter(({ campaignId }) => campaignId === send.campaignId);
    expect(sent).toHaveLength(200);
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(200);
    await world.end(zombie);
  });

  /**
   * A send whose first messages a zombie process attempts, finished without it; `wake` releases the relay's replies at
   * last.
   */
  const finishedWithoutZombie = async (replies: readonly (string | undefined)[], stop: boolean) => {
    const answers: (() => void)[] = [];
    let hold = true;
    sink = await world.relay({
      behave: () => {
        if (!hold) return { do: 'accept' };
        const reply = replies[answers.length % replies.length];
        return { do: 'wait', until: new Promise<void>((go) => answers.push(go)), reply };
      },
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(60)));
    const line = new Line(world.database);
    const zombie = world.engine(sink.url, {}, line);
    await until('every connection waits for its answer', () => answers.length === campaignConnections, 60_000);
    await line.cut();
    hold = false;
    if (stop) await world.setState(send, 'STOPPED');
    await world.endLeases();
    world.engine(sink.url);
    expect(await world.finished(send)).toMatchObject({ inDoubt: campaignConnections, pending: 0 });
    const wake = async () => {
      answers.forEach((answer) => answer());
      line.mend();
      await until('the answers are recorded', async () => (await world.progress(send)).inDoubt === 0, 60_000);
      await world.end(zombie);
    };
    return { send, wake };
  };

  it('correct the record of a finished send by late answers: taken, refused, and put off to be tried again', async () => {
    const { send, wake } = await finishedWithoutZombie([undefined, '550 5.1.1 No such user', '451 4.3.0 Later'], false);
    await wake();
    const late = await world.checked(send);
    const each = campaignConnections / 3;
    expect(late).toMatchObject({ state: 'DONE', sent: 60 - 2 * each, failed: each, deferred: each, pending: each });
    await world.makeDue(send);
    await until('those are sent', async () => (await world.progress(send)).sent === 60 - each, 60_000);
    expect(await world.checked(send)).toMatchObject({ sent: 60 - each, failed: each, deferred: 0, pending: 0 });
    expect(once()).toEqual([]);
  });

  it('skip what a late answer puts off when the send was stopped', async () => {
    const { send, wake } = await finishedWithoutZombie(['451 4.3.0 Later'], true);
    await wake();
    await until('they are skipped', async () => (await world.progress(send)).pending === 0, 60_000);
    expect(await world.checked(send)).toMatchObject({
      state: 'STOPPED',
      sent: 0,
      deferred: 0,
      skipped: { STOPPED: 60 },
    });
    expect(sink.accepted).toBe(0);
  });

  /** Another engine settled every mark: as delivered what it has no row for. */
  const settleMarksOf = async (manager: EntityManager, { sendId, organizationId }: StartedSend): Promise<void> => {
    await manager.query(
      `insert into campaign_message (message_id, organization_id, email, state, kind, attempts)
       select (left(a.send_id::text, 28) || lpad(to_hex(a.chunk_no * 1024 + p), 8, '0'))::uuid, $1, 'of another', 'D', 'C', 1
       from send_attempt a cross join generate_series(0, 511) p where a.send_id = $2 and get_bit(a.attempted, p) = 1
       on conflict do nothing`,
      [uuidOf('org', organizationId), uuidOf('send', sendId)],
    );
  };

  it('reject results with an older fence for rows of another engine', async () => {
    sink = await world.relay();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(40)));
    const line = new Line(world.database);
    sink.behave = () => ({ do: 'accept', afterMs: 300 });
    const zombie = world.engine(sink.url, {}, line);
    await until('it is under way', () => sink.accepted > 0, 60_000);
    await line.cut();
    // The page first, and both at once: a statement that was on its way when the line was cut comes before or after them.
    await world.database.transaction(async (manager) => {
      await manager.query(
        `update send_page set fence = fence + 5, owner = $2, sent = 0, delivered = 0 where send_id = $1`,
        [uuidOf('send', send.sendId), uuidOf('send', send.sendId)],
      );
      await settleMarksOf(manager, send);
    });
    const before = await world.messages(send);
    line.mend();
    await world.end(zombie);
    expect(await world.messages(send)).toEqual(before);
    expect(await world.progress(send)).toMatchObject({ sent: 0, delivered: 0, inDoubt: 0 });
    const [page] = await world.database.query<[{ state: string; owner: string }]>(
      `select state, owner from send_page where send_id = $1`,
      [uuidOf('send', send.sendId)],
    );
    expect(page).toEqual({ state: 'LEASED', owner: uuidOf('send', send.sendId) });
  });

  it('end a send whose last page and last deferred message belonged to one that died', async () => {
    sink = await world.relay();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(1)));
    await world.database.query(`update send_page set state = 'DONE', sent = 1 where send_id = $1`, [
      uuidOf('send', send.sendId),
    ]);
    world.engine(sink.url);
    await until('it ended', async () => (await world.progress(send)).state === 'DONE');
  });

  it('take over a deferred message from one that died while handing it over', async () => {
    const answers: (() => void)[] = [];
    sink = await world.relay({
      behave: (to, nth) => {
        // The chunk of the test before may be claimed here.
        if (!to.endsWith('@later.internal')) return { do: 'accept' };
        if (nth === 1) return { do: 'refuse', at: 'RCPT', reply: '450 4.2.1 Later' };
        return { do: 'wait', until: new Promise<void>((go) => answers.push(go)) };
      },
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(3, 'later.internal')));
    const line = new Line(world.database);
    world.engine(sink.url, {}, line);
    await until('all were put off', async () => (await world.progress(send)).deferred === 3, 60_000);
    await world.makeDue(send);
    await until('all are on the wire again', () => answers.length === 3, 60_000);
    await line.cut();
    await world.endLeases();
    world.engine(sink.url);
    const progress = await world.finished(send);
    expect(progress).toMatchObject({ state: 'DONE', sent: 0, inDoubt: 3, deferred: 0, pending: 0 });
    answers.forEach((answer) => answer());
  });
});
