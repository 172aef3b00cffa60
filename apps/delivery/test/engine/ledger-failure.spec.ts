import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { until } from '#testing';
import type { SmtpSink } from '#testing';
import { preparedSql } from '../../src/send/prepared-sql.repository.js';
import type { PreparedSql } from '../../src/send/prepared-sql.repository.js';
import { LedgerFixture } from '../ledger-fixture.js';
import { campaignConnections, Line, people, SendFixture, sentMessages } from '../send-fixture.js';

jest.setTimeout(180_000);

/** A line that can fail the statements of a name: before they run, or after, so that only their answer is lost. */
class FaultyLine extends Line {
  fault: 'none' | 'away' | 'answer lost' | 'no answer' = 'none';
  calls = 0;

  override through(sql: PreparedSql): PreparedSql {
    const real = super.through(sql);
    const query = async <R>(name: string, text: string, values: readonly unknown[]): Promise<R[]> => {
      if (this.fault === 'away') throw connectionLost();
      const rows = await real.query<R>(name, text, values);
      if (name !== 'chunks commit') return rows;
      this.calls += 1;
      if (this.fault === 'answer lost' && this.calls % 5 === 2) throw connectionLost();
      if (this.fault === 'no answer') await this.cut().then(() => new Promise(() => undefined));
      return rows;
    };
    return { query, end: () => real.end() };
  }
}

const connectionLost = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' });

describe('the ledger, when PostgreSQL fails', () => {
  const world = SendFixture.ofSuite({}, 1);
  let sink: SmtpSink;
  let ledger: LedgerFixture;
  beforeAll(() => void (ledger = new LedgerFixture(world.database, preparedSql(world.database, 1))));
  afterEach(() => ledger.check());
  const once = () => [...sink.counts].filter(([, n]) => n !== 1);
  const sendTo = async (recipients: { email: string }[]) => {
    const tenant = await world.organization();
    return await world.send(tenant, await world.audience(tenant, recipients));
  };

  it('records and sends everything once though every fifth answer of a commit is lost', async () => {
    sink = await world.relay({
      behave: (to) =>
        /^p\d?7@/.test(to) ? { do: 'refuse', at: 'RCPT', reply: '550 5.1.1 No such user' } : { do: 'accept' },
    });
    const line = new FaultyLine(world.database);
    line.fault = 'answer lost';
    const send = await sendTo([...people(250), ...people(20, 'example.com')]);
    world.engine(sink.url, {}, line);
    expect(await world.finished(send)).toMatchObject({ sent: 260, failed: 10, inDoubt: 0, deferred: 0, pending: 0 });
    expect(once()).toEqual([]);
    const sent = sentMessages(await world.tidings.deliverEvents());
    const ours = sent.filter(({ campaignId }) => campaignId === send.campaignId);
    expect([ours.length, new Set(ours.map(({ messageId }) => messageId)).size]).toEqual([260, 260]);
  });

  it('keeps the outcomes in hand while PostgreSQL is away, sends nothing meanwhile, and goes on', async () => {
    let goOn = () => {};
    const answers = new Promise<void>((resolve) => (goOn = resolve));
    sink = await world.relay({ behave: () => ({ do: 'wait', until: answers }) });
    const line = new FaultyLine(world.database);
    const send = await sendTo(people(120));
    world.engine(sink.url, { SEND_LEASE_SECONDS: '600' }, line);
    await until(
      'all connections wait',
      async () => (await world.states(send)).HANDING_OVER === campaignConnections,
      60_000,
    );
    line.fault = 'away';
    goOn();
    await until('the relay answered', () => sink.accepted === campaignConnections, 60_000);
    expect((await world.states(send)).HANDING_OVER).toBe(campaignConnections);
    line.fault = 'none';
    expect(await world.finished(send)).toMatchObject({ sent: 120, inDoubt: 0, deferred: 0 });
    expect(once()).toEqual([]);
  });

  it('loses its engine after the commit of marks and before its answer: none of them was sent, all are in doubt', async () => {
    sink = await world.relay();
    const line = new FaultyLine(world.database);
    line.fault = 'no answer';
    const send = await sendTo(people(100));
    world.engine(sink.url, {}, line);
    await until('the marks are committed', async () => ((await world.states(send)).HANDING_OVER ?? 0) > 0, 60_000);
    expect(sink.accepted).toBe(0);
    await world.endLeases();
    world.engine(sink.url);
    const progress = await world.finished(send);
    expect(progress.inDoubt).toBeGreaterThan(0);
    expect(progress.inDoubt).toBeLessThanOrEqual(campaignConnections);
    expect(progress).toMatchObject({ sent: 100 - progress.inDoubt, pending: 0 });
    expect(sink.accepted).toBe(100 - progress.inDoubt);
    expect(once()).toEqual([]);
  });

  it('does not stop other sends while another session holds the row of a chunk that is being sent', async () => {
    let goOn = () => {};
    const answers = new Promise<void>((resolve) => (goOn = resolve));
    sink = await world.relay({
      behave: (to) => (to.endsWith('@held.internal') ? { do: 'wait', until: answers } : { do: 'accept' }),
    });
    const held = await sendTo(people(5, 'held.internal'));
    world.engine(sink.url);
    await until('it is on the wire', async () => (await world.states(held)).HANDING_OVER === 5, 60_000);
    const session = world.database.createQueryRunner();
    await session.connect();
    await session.startTransaction();
    await session.query(`set local idle_in_transaction_session_timeout = 0`);
    await session.query(`select from send_page where state = 'LEASED' for update`);
    goOn();
    const other = await sendTo(people(150));
    expect(await world.finished(other)).toMatchObject({ sent: 150, inDoubt: 0 });
    await session.rollbackTransaction();
    await session.release();
    expect(await world.finished(held)).toMatchObject({ sent: 5, inDoubt: 0 });
    expect(once()).toEqual([]);
  });
});
