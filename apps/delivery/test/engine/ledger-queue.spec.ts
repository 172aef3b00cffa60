import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DueMessage, DueSettlement } from '../../src/send/due/due-message.js';
import { QueuedMessageRepository } from '../../src/send/ledger/queued-message.repository.js';
import { preparedSql } from '../../src/send/prepared-sql.repository.js';
import type { PreparedSql } from '../../src/send/prepared-sql.repository.js';
import { commitOf, eventNamed, LedgerFixture, markAt, outcomeAt } from '../ledger-fixture.js';
import { SendFixture } from '../send-fixture.js';

jest.setTimeout(120_000);

describe('the queue of messages of the ledger', () => {
  const world = SendFixture.ofSuite({}, 1);
  let sql: PreparedSql;
  let ledger: LedgerFixture;
  beforeAll(() => {
    sql = preparedSql(world.database, 4);
    ledger = new LedgerFixture(world.database, sql);
  });
  afterEach(async () => {
    await ledger.check();
    await world.database.query(`truncate message_queue, campaign_message, send_attempt, send_page, send`);
  });
  afterAll(() => sql.end());

  const worker = () => new QueuedMessageRepository(sql, randomUUID(), 20);
  /** A chunk with `count` deferred messages that are due. */
  async function deferred(count: number) {
    const committer = ledger.committer();
    const page = await ledger.leased(committer);
    const positions = Array.from({ length: count }, (_, n) => n);
    await committer.ledger.commit([commitOf(page, 0, { marks: positions.map((n) => markAt(page, n)) })]);
    const later = { state: 'DEFERRED' as const, code: 450, response: '450 Later', wait: -60 };
    const outcomes = positions.map((n) => outcomeAt(page, n, later));
    await committer.ledger.commit([commitOf(page, 1, { outcomes, size: count })]);
    return page;
  }
  const settlement = (message: DueMessage, change: Partial<DueSettlement> = {}): DueSettlement => ({
    message,
    state: 'SENT',
    code: 250,
    enhancedCode: null,
    response: '250 Ok',
    wait: null,
    skipReason: null,
    at: new Date().toISOString(),
    events: '',
    lane: 0,
    ...change,
  });
  const mark = async (of: QueuedMessageRepository, messages: DueMessage[]) =>
    await of.updateAttempting(
      messages.map((message) => ({ message, subject: '', mailbox: null })),
      1,
    );

  it('is claimed once, marked, and settled with counters and events', async () => {
    const page = await deferred(4);
    const one = worker();
    const claimed = await one.claim(['CAMPAIGN'], 10);
    expect(claimed).toHaveLength(4);
    expect(claimed[0]).toMatchObject({ kind: 'CAMPAIGN', sendId: page.sendId, pageNo: 0, attempts: 1, fence: '1' });
    expect(await worker().claim(['CAMPAIGN'], 10)).toEqual([]);
    expect((await mark(one, claimed.slice(0, 2))).started.size).toBe(2);
    const sent = settlement(claimed[0]!, { events: eventNamed('message.sent') });
    const again = settlement(claimed[1]!, { state: 'DEFERRED', code: 450, response: '450 Later', wait: 60 });
    expect((await one.settle('attempted', [sent, again])).size).toBe(2);
    const banned = { state: 'SKIPPED' as const, skipReason: 'BANNED', code: null, response: '' };
    expect((await one.settle('claimed', [settlement(claimed[2]!, banned)])).size).toBe(1);
    expect((await one.settle('attempted', [sent])).size).toBe(0);
    expect(Object.values(await ledger.rows(page)).join('')).toBe('SWKW');
    expect(await ledger.events(page)).toEqual(['message.sent']);
  });

  it('puts the attempts of a worker that went away in doubt, and takes its late results of that attempt only', async () => {
    const page = await deferred(3);
    const one = worker();
    const claimed = await one.claim(['CAMPAIGN'], 10);
    await mark(one, claimed);
    await world.database.query(`update message_queue set until = clock_timestamp() - interval '1 second'`);
    expect(await worker().takeOver(['CAMPAIGN'])).toEqual({ moved: 3, doubted: 3 });
    const results = claimed.map((message) => settlement(message));
    expect((await one.settle('attempted', results)).size).toBe(0);
    const late = [results[0]!, { ...results[1]!, message: { ...claimed[1]!, attempts: 5 } }];
    expect((await one.settle('doubted', late)).size).toBe(1);
    expect(
      Object.values(await ledger.rows(page))
        .sort()
        .join(''),
    ).toBe('IIS');
  });

  it('marks nothing of a paused send, and nothing that another worker claimed since', async () => {
    const page = await deferred(2);
    const one = worker();
    const claimed = await one.claim(['CAMPAIGN'], 10);
    await ledger.setSend(page, `state = 'PAUSED'`);
    expect((await mark(one, claimed)).started.size).toBe(0);
    await ledger.setSend(page, `state = 'RUNNING'`);
    await world.database.query(`update message_queue set until = clock_timestamp() - interval '1 second'`);
    expect(await worker().claim(['CAMPAIGN'], 1)).toHaveLength(1);
    expect((await mark(one, claimed)).started.size).toBe(0);
  });

  it('serves organizations in turn', async () => {
    const pages = [];
    for (let n = 0; n < 4; n++) pages.push(await deferred(6));
    const { messages } = await worker().claimInTurn(['CAMPAIGN'], 8, null);
    const of = (organizationId: string) => messages.filter((one) => one.organizationId === organizationId).length;
    expect(pages.map(({ organizationId }) => of(organizationId))).toEqual([2, 2, 2, 2]);
  });
});
