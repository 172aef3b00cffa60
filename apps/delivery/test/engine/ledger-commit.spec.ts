import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId } from '#database';
import { preparedSql } from '../../src/send/prepared-sql.repository.js';
import type { PreparedSql } from '../../src/send/prepared-sql.repository.js';
import type { LeasedChunk } from '../../src/send/chunk/chunk.js';
import { commitOf, eventNamed, LedgerFixture, markAt, outcomeAt, recipientAt } from '../ledger-fixture.js';
import { SendFixture } from '../send-fixture.js';

jest.setTimeout(120_000);

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

describe('the group commit', () => {
  const world = SendFixture.ofSuite({}, 1);
  let sql: PreparedSql;
  let ledger: LedgerFixture;
  beforeAll(() => {
    sql = preparedSql(world.database, 10);
    ledger = new LedgerFixture(world.database, sql);
  });
  afterEach(async () => {
    await ledger.check();
    // The chunks of one test must not be claimed by another.
    await world.database.query(`update send set finished_at = clock_timestamp() where finished_at is null`);
  });
  afterAll(() => sql.end());

  const marksOf = (page: LeasedChunk, from: number, to: number) => range(from, to).map((n) => markAt(page, n));
  const outcomesOf = (page: LeasedChunk, from: number, to: number) => range(from, to).map((n) => outcomeAt(page, n));

  it('marks, records with counters and one event batch, and ends a chunk', async () => {
    const committer = ledger.committer();
    const page = await ledger.leased(committer);
    const [marked] = await committer.ledger.commit([commitOf(page, 0, { marks: marksOf(page, 0, 10) })]);
    expect(marked).toMatchObject({ held: true, settled: true, sendState: 'RUNNING', started: new Set(range(0, 10)) });
    expect(await ledger.rows(page)).toEqual({});
    const outcomes = [
      ...outcomesOf(page, 0, 6),
      outcomeAt(page, 6, { state: 'FAILED', code: 550, response: '550 5.1.1 No such user' }),
      outcomeAt(page, 7, { state: 'DEFERRED', code: 450, response: '450 4.2.1 Later', wait: 60 }),
      outcomeAt(page, 8, { state: 'IN_DOUBT', code: null, response: 'The connection broke' }),
      outcomeAt(page, 9, { state: 'SENT' }),
      outcomeAt(page, 10, {
        state: 'SKIPPED',
        relayId: null,
        at: null,
        code: null,
        response: '',
        skipReason: 'BANNED',
      }),
    ];
    const last = commitOf(page, 1, { outcomes, events: eventNamed('messages.settled'), size: 11 });
    expect(await committer.ledger.commit([last])).toMatchObject([{ held: true, settled: true }]);
    expect(Object.values(await ledger.rows(page)).join('')).toBe('DDDDDDFWISK');
    expect(await ledger.queued(page)).toEqual([{ wait: expect.any(Number), attempts: 1, state: 'DEFERRED' }]);
    expect(await ledger.events(page)).toEqual(['messages.settled']);
    const [row] = await world.database.query<Record<string, unknown>[]>(
      `select code, response, attempts, relay_id from campaign_message where message_id = $1`,
      [recipientAt(page, 6).messageId],
    );
    expect(row).toEqual({ code: 550, response: '5.1.1 No such user', attempts: 1, relay_id: 1 });
  });

  it('called again after a lost answer returns what the first call did, and changes nothing', async () => {
    const committer = ledger.committer();
    const page = await ledger.leased(committer);
    const first = commitOf(page, 0, { marks: marksOf(page, 0, 5) });
    const answers = [await committer.ledger.commit([first]), await committer.ledger.commit([first])];
    expect(answers[1]).toEqual(answers[0]);
    const second = commitOf(page, 1, {
      outcomes: outcomesOf(page, 0, 5),
      marks: marksOf(page, 5, 8),
      events: eventNamed('messages.settled'),
    });
    for (let n = 0; n < 3; n++) {
      const [again] = await committer.ledger.commit([second]);
      expect(again).toMatchObject({ settled: true, started: new Set([5, 6, 7]) });
    }
    expect(Object.keys(await ledger.rows(page))).toHaveLength(5);
    expect(await ledger.events(page)).toHaveLength(1);
  });

  it('is repeated in parallel with a call that is still running, and applied once', async () => {
    const committer = ledger.committer();
    const page = await ledger.leased(committer);
    const first = commitOf(page, 0, { marks: marksOf(page, 0, 20), events: eventNamed('messages.settled') });
    const answers = await Promise.all(range(0, 6).map(() => committer.ledger.commit([first])));
    expect(answers.every(([one]) => one!.started.size === 20)).toBe(true);
    expect(await ledger.events(page)).toHaveLength(1);
  });

  it('never marks a position twice, and marks nothing without the lease, while paused, stopped or held', async () => {
    const committer = ledger.committer();
    const page = await ledger.leased(committer);
    await committer.ledger.commit([commitOf(page, 0, { marks: marksOf(page, 0, 5) })]);
    const [overlap] = await committer.ledger.commit([commitOf(page, 1, { marks: marksOf(page, 3, 7) })]);
    expect(overlap!.started).toEqual(new Set([5, 6]));
    const conditions: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
      ['PAUSED', () => ledger.setSend(page, `state = 'PAUSED'`), () => ledger.setSend(page, `state = 'RUNNING'`)],
      ['STOPPED', () => ledger.setSend(page, `state = 'STOPPED'`), () => ledger.setSend(page, `state = 'RUNNING'`)],
      [
        'PAUSED',
        () => world.database.query(`insert into mail_hold (reason, held_by) values ('test', 'spec')`),
        () => world.database.query(`delete from mail_hold`),
      ],
    ];
    let step = 2;
    for (const [sendState, begin, end] of conditions) {
      await begin();
      const group = { outcomes: [outcomeAt(page, step - 2)], marks: marksOf(page, 10, 12) };
      const [refused] = await committer.ledger.commit([commitOf(page, step, group)]);
      expect(refused).toMatchObject({ held: true, settled: true, sendState, started: new Set() });
      step += 1;
      await end();
    }
    await ledger.setChunk(page, `until = clock_timestamp() - interval '1 second'`);
    const group = { outcomes: [outcomeAt(page, 3)], marks: marksOf(page, 10, 12) };
    const [expired] = await committer.ledger.commit([commitOf(page, step, group)]);
    // No other lease began, so that the outcome is recorded.
    expect(expired).toMatchObject({ held: false, settled: true, started: new Set() });
    expect(Object.keys(await ledger.rows(page))).toEqual(['0', '1', '2', '3']);
  });

  it('withdraws marks, which can be made again by another relay', async () => {
    const committer = ledger.committer();
    const page = await ledger.leased(committer);
    await committer.ledger.commit([commitOf(page, 0, { marks: marksOf(page, 0, 5) })]);
    await committer.ledger.commit([commitOf(page, 1, { withdrawn: [1, 2] })]);
    const other = commitOf(page, 0, { relayId: 2, marks: marksOf(page, 0, 3) });
    const [marked] = await committer.ledger.commit([other]);
    expect(marked!.started).toEqual(new Set([1, 2]));
  });

  it('does not end a chunk without a row for each recipient, and records nothing of that call', async () => {
    const committer = ledger.committer();
    const page = await ledger.leased(committer);
    await committer.ledger.commit([commitOf(page, 0, { marks: marksOf(page, 0, 2) })]);
    const short = commitOf(page, 1, { outcomes: [outcomeAt(page, 0)], size: 2 });
    await expect(committer.ledger.commit([short])).rejects.toMatchObject({ code: 'TD011' });
    expect(await ledger.rows(page)).toEqual({});
    const twice = commitOf(page, 1, { outcomes: [outcomeAt(page, 0)] });
    await committer.ledger.commit([twice]);
    await expect(committer.ledger.commit([{ ...twice, step: 2 }])).rejects.toMatchObject({ code: 'TD010' });
  });

  it('is one call for chunks of many organizations, in any order', async () => {
    const committer = ledger.committer();
    const pages: LeasedChunk[] = [];
    for (let n = 0; n < 8; n++) pages.push(await ledger.leased(committer));
    const answers = await committer.ledger.commit(
      pages.map((page, n) => commitOf(page, 0, { marks: marksOf(page, n, n + 2) })),
    );
    expect(answers.map(({ started }) => [...started])).toEqual(pages.map((_page, n) => [n, n + 1]));
    const reversed = pages.map((page, n) => commitOf(page, 1, { outcomes: outcomesOf(page, n, n + 2) })).reverse();
    expect((await committer.ledger.commit(reversed)).every(({ settled }) => settled)).toBe(true);
    expect(await Promise.all(pages.map((page) => ledger.rows(page)))).toEqual(
      pages.map((_page, n) => ({ [n]: 'D', [n + 1]: 'D' })),
    );
  });

  it('lets exactly five of fifty parallel callers write to one mailbox', async () => {
    const organizationId = newId('org');
    const committers = range(0, 10).map(() => ledger.committer());
    const pages: { page: LeasedChunk; of: (typeof committers)[number] }[] = [];
    for (let n = 0; n < 50; n++) {
      const of = committers[n % 10]!;
      pages.push({ of, page: await ledger.leased(of, organizationId) });
    }
    const answers = await Promise.all(
      pages.map(async ({ page, of }) => {
        const [answer] = await of.ledger.commit([
          commitOf(page, 0, { marks: [markAt(page, 0, 'ann@people.internal')] }),
        ]);
        return answer!;
      }),
    );
    expect(answers.filter(({ started }) => started.size === 1)).toHaveLength(5);
    expect(answers.filter(({ refused }) => refused.size === 1)).toHaveLength(45);
    const { page } = pages[answers.findIndex(({ refused }) => refused.size === 1)]!;
    expect(await ledger.rows(page)).toEqual({ 0: 'W' });
    const [queued] = await ledger.queued(page);
    expect(queued).toMatchObject({ attempts: 0, state: 'DEFERRED' });
    expect(queued!.wait).toBeGreaterThan(500);
    const [repeated] = await pages[0]!.of.ledger.commit([
      commitOf(pages[0]!.page, 0, { marks: [markAt(pages[0]!.page, 0, 'ann@people.internal')] }),
    ]);
    expect([repeated!.started, repeated!.refused]).toEqual([answers[0]!.started, answers[0]!.refused]);
  });

  it('counts a mailbox once a call: a second message to it is marked by the next one', async () => {
    const committer = ledger.committer();
    const organizationId = newId('org');
    const page = await ledger.leased(committer, organizationId);
    // With more campaigns than a mailbox takes messages, each mailbox is counted.
    for (let n = 0; n < 5; n++) await ledger.start(organizationId);
    const same = [0, 1].map((n) => markAt(page, n, 'bob@people.internal'));
    const [first] = await committer.ledger.commit([commitOf(page, 0, { marks: same })]);
    expect([first!.started.size, first!.refused.size]).toEqual([1, 0]);
    const [second] = await committer.ledger.commit([commitOf(page, 1, { marks: same })]);
    expect(second!.started).toEqual(new Set([1]));
  });

  describe('after the lease', () => {
    /** A chunk whose first owner marked positions 0 to 5, of which 5 is a fixture address, and settled position 0. */
    async function abandoned() {
      const [one, two] = [ledger.committer(), ledger.committer()];
      const page = await ledger.leased(one);
      const marks = [...marksOf(page, 0, 5), { ...markAt(page, 5), mailbox: null }];
      await one.ledger.commit([commitOf(page, 0, { marks })]);
      await one.ledger.commit([commitOf(page, 1, { outcomes: [outcomeAt(page, 0)] })]);
      await ledger.setChunk(page, `until = clock_timestamp() - interval '1 second'`);
      const taken = (await two.pages.claim([]))!;
      expect(taken.sendId).toBe(page.sendId);
      const recipients = range(0, 10).map((n) => recipientAt(page, n, n === 5));
      return { one, two, page, taken, recipients };
    }

    it('the take-over puts marks without an outcome in doubt, and defers those to test addresses', async () => {
      const { one, two, page, taken, recipients } = await abandoned();
      expect(await two.ledger.takeOver(taken, recipients)).toEqual({ settled: new Set(range(0, 6)), doubted: 4 });
      expect(await ledger.rows(page)).toEqual({ 0: 'D', 1: 'I', 2: 'I', 3: 'I', 4: 'I', 5: 'W' });
      expect(await ledger.queued(page)).toMatchObject([{ wait: 0, attempts: 1 }]);
      // The first owner fails at the fence.
      const late = commitOf(page, 2, { outcomes: outcomesOf(page, 1, 3), marks: marksOf(page, 6, 8) });
      expect(await one.ledger.commit([late])).toMatchObject([{ held: false, settled: false, started: new Set() }]);
      expect(await one.ledger.takeOver(page, recipients)).toBeNull();
      // Repeated, the call before is still known as applied.
      const again = commitOf(page, 1, { outcomes: [outcomeAt(page, 0)] });
      expect(await one.ledger.commit([again])).toMatchObject([{ held: false, settled: true }]);
      const [marked] = await two.ledger.commit([commitOf(taken, 0, { marks: marksOf(page, 4, 8) })]);
      expect(marked!.started).toEqual(new Set([6, 7]));
    });

    it('late results settle messages in doubt by that attempt, with their events, once', async () => {
      const { one, two, page, taken, recipients } = await abandoned();
      await two.ledger.takeOver(taken, recipients);
      const refused = { state: 'FAILED' as const, code: 550, response: '550 5.1.1 No such user' };
      const outcomes = [
        outcomeAt(page, 1, { events: eventNamed('first') }),
        outcomeAt(page, 2, { ...refused, events: eventNamed('second') }),
        outcomeAt(page, 3, { state: 'DEFERRED', code: 451, response: '451 Later', wait: 60 }),
        // Never marked by it, and settled before.
        outcomeAt(page, 7, { events: eventNamed('never') }),
        outcomeAt(page, 0, { ...refused, events: eventNamed('never') }),
        // By another relay.
        outcomeAt(page, 4, { relayId: 2, events: eventNamed('never') }),
      ];
      const settled = await one.ledger.settleLate(page, outcomes, 0);
      expect(settled).toEqual(new Set([1, 2, 3].map((n) => recipientAt(page, n).messageId)));
      expect(await one.ledger.settleLate(page, outcomes, 0)).toEqual(new Set());
      expect(await ledger.rows(page)).toEqual({ 0: 'D', 1: 'D', 2: 'F', 3: 'W', 4: 'I', 5: 'W' });
      expect(await ledger.events(page)).toEqual(['first', 'second']);
    });

    it('late results that come before the take-over are recorded, and it leaves them alone', async () => {
      const { one, two, page, taken, recipients } = await abandoned();
      const outcomes = [outcomeAt(page, 1, { events: eventNamed('first') })];
      expect((await one.ledger.settleLate(page, outcomes, 0)).size).toBe(1);
      expect(await two.ledger.takeOver(taken, recipients)).toMatchObject({ doubted: 3 });
      expect(await ledger.rows(page)).toEqual({ 0: 'D', 1: 'D', 2: 'I', 3: 'I', 4: 'I', 5: 'W' });
    });

    it('late results change nothing of a later attempt', async () => {
      const { one, two, page, taken, recipients } = await abandoned();
      await two.ledger.takeOver(taken, recipients);
      await world.database.query(`update campaign_message set attempts = 2 where message_id = $1`, [
        recipientAt(page, 1).messageId,
      ]);
      expect(await one.ledger.settleLate(page, [outcomeAt(page, 1)], 0)).toEqual(new Set());
    });
  });
});
