import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { RecipientGuardRepository, takeGuardSql } from '../../src/limits/recipient-guard.repository.js';
import type { LeasedChunk } from '../../src/send/chunk/chunk.js';
import { QueuedMessageRepository } from '../../src/send/ledger/queued-message.repository.js';
import { preparedSql } from '../../src/send/prepared-sql.repository.js';
import type { PreparedSql } from '../../src/send/prepared-sql.repository.js';
import { hashMailbox } from '../../../../test/harness/message-layouts.js';
import { commitOf, LedgerFixture, markAt, outcomeAt } from '../ledger-fixture.js';
import type { Committer } from '../ledger-fixture.js';
import { SendFixture } from '../send-fixture.js';

jest.setTimeout(120_000);

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

describe('the recipient guard', () => {
  const world = SendFixture.ofSuite({}, 1);
  let sql: PreparedSql;
  let ledger: LedgerFixture;
  beforeAll(() => {
    sql = preparedSql(world.database, 10);
    ledger = new LedgerFixture(world.database, sql);
  });
  afterEach(async () => {
    await ledger.check();
    await world.database.query(
      `truncate recipient_guard, message_queue, campaign_message, send_attempt, send_page, send, send_turn, send_turn_change`,
    );
  });
  afterAll(() => sql.end());

  const ann = 'ann@people.internal';

  /** A message of a campaign of its own to `mailbox`, as far as the answer of the guard. */
  class Mail {
    #step = 0;
    private constructor(
      private readonly of: Committer,
      readonly page: LeasedChunk,
      private readonly mailbox: string,
    ) {}

    static async to(mailbox: string, organizationId: string, of = ledger.committer()): Promise<Mail> {
      return new Mail(of, await ledger.leased(of, organizationId), mailbox);
    }

    /** Marks the message. @returns whether the guard let it pass */
    async mark(): Promise<boolean> {
      const [answer] = await this.of.ledger.commit([commitOf(this.page, this.#step++, { marks: [this.#mark] })]);
      return answer!.started.size === 1;
    }

    async end(change: Parameters<typeof outcomeAt>[2] = {}): Promise<void> {
      await this.of.ledger.commit([commitOf(this.page, this.#step++, { outcomes: [this.#outcome(change)], size: 1 })]);
    }

    async withdraw(): Promise<void> {
      await this.of.ledger.commit([commitOf(this.page, this.#step++, { withdrawn: [0] })]);
    }

    /** Ends this message and marks the next one in one call. */
    async endWith(next: Mail): Promise<boolean> {
      const [, answer] = await this.of.ledger.commit([
        commitOf(this.page, this.#step++, { outcomes: [this.#outcome({})], size: 1 }),
        commitOf(next.page, next.#step++, { marks: [next.#mark] }),
      ]);
      return answer!.started.size === 1;
    }

    get #mark() {
      return markAt(this.page, 0, this.mailbox);
    }

    #outcome(change: Parameters<typeof outcomeAt>[2]) {
      return outcomeAt(this.page, 0, { recipient: this.#mark.recipient, ...change });
    }
  }

  const keyOf = (organizationId: string, mailbox: string) => ({
    key: mailbox,
    hash: hashMailbox(organizationId, mailbox),
  });

  /** Counts a message that is in no campaign. @returns whether the guard let it pass */
  const single = async (organizationId: string, mailbox: string): Promise<boolean> => {
    const { key, hash } = keyOf(organizationId, mailbox);
    const rows = await sql.query(
      'single',
      takeGuardSql('select $1::uuid as organization_id, $2::text as mailbox, $3::bigint as hash'),
      [uuidOf('org', organizationId), key, hash],
    );
    return rows.length === 1;
  };
  const isOpen = (organizationId: string, mailbox: string) =>
    new RecipientGuardRepository(world.database.manager).isOpen(organizationId, keyOf(organizationId, mailbox));
  /** How many of `count` single messages in turn pass. */
  const passed = async (count: number, organizationId: string, mailbox: string): Promise<number> => {
    let n = 0;
    for (let left = count; left > 0; left--) n += Number(await single(organizationId, mailbox));
    return n;
  };
  const rowsOf = async (): Promise<string[]> =>
    (await world.database.query<{ mailbox: string }[]>(`select mailbox from recipient_guard order by 1`)).map(
      ({ mailbox }) => mailbox,
    );

  it('writes no row for a message of a campaign, and counts it from its mark on', async () => {
    const organization = newId('org');
    const mail = await Mail.to(ann, organization);
    expect(await mail.mark()).toBe(true);
    expect(await rowsOf()).toEqual([]);
    expect(await passed(2, organization, ann)).toBe(2);
    await mail.end();
    expect(await passed(4, organization, ann)).toBe(2);
    expect(await isOpen(organization, ann)).toBe(false);
    expect(await passed(6, organization, 'bob@people.internal')).toBe(5);
    expect(await passed(6, newId('org'), ann)).toBe(5);
  });

  it('admits exactly five of campaigns and single messages in parallel, through many connections', async () => {
    for (const campaigns of [1, 3, 4, 8, 20]) {
      const organization = newId('org');
      const mails: Mail[] = [];
      const of = times(4, () => ledger.committer());
      for (let n = 0; n < campaigns; n++) mails.push(await Mail.to(ann, organization, of[n % 4]));
      const calls = [...mails.map((mail) => () => mail.mark()), ...times(12, () => () => single(organization, ann))];
      calls.sort(() => Math.random() - 0.5);
      const answers = await Promise.all(calls.map((call) => call()));
      expect(answers.filter(Boolean)).toHaveLength(5);
      await world.database.query(`update send set finished_at = clock_timestamp() where finished_at is null`);
      await world.database.query(`update send_page set state = 'DONE', until = null`);
    }
    await world.database.query('truncate send_attempt');
  });

  it('counts a message once whose outcome and the next mark are in one call', async () => {
    const [organization, of] = [newId('org'), ledger.committer()];
    const mails: Mail[] = [];
    for (let n = 0; n < 6; n++) mails.push(await Mail.to(ann, organization, of));
    mails.sort((a, b) => (a.page.sendId < b.page.sendId ? -1 : 1));
    expect(await mails[0]!.mark()).toBe(true);
    for (let n = 1; n < 5; n++) expect(await mails[n - 1]!.endWith(mails[n]!)).toBe(true);
    expect(await mails[4]!.endWith(mails[5]!)).toBe(false);
  });

  it('forgets a mark that was withdrawn', async () => {
    const organization = newId('org');
    const mail = await Mail.to(ann, organization);
    await mail.mark();
    await mail.withdraw();
    expect(await passed(6, organization, ann)).toBe(5);
  });

  it('allows twenty in 24 hours, and says when the next may follow', async () => {
    const [organization, of] = [newId('org'), ledger.committer()];
    const ago = async (minutes: number) => {
      await world.database.query(
        `update campaign_message set attempted_at = attempted_at - make_interval(mins => ${minutes})`,
      );
      await world.database.query(`update send set finished_at = clock_timestamp() - make_interval(mins => ${minutes})`);
    };
    const next = async () => {
      const mail = await Mail.to(ann, organization, of);
      const isMarked = await mail.mark();
      if (isMarked) await mail.end();
      return { isMarked, mail };
    };
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 5; n++) expect((await next()).isMarked).toBe(true);
      expect(await single(organization, ann)).toBe(false);
      await ago(60);
    }
    expect(await single(organization, ann)).toBe(false);
    const { isMarked, mail } = await next();
    expect(isMarked).toBe(false);
    const [queued] = await ledger.queued(mail.page);
    expect(queued!.wait / 3600).toBeCloseTo(20, 1);
    expect(await rowsOf()).toEqual([]);
    // Of the 20, the first five are older now.
    await ago(20 * 60 + 1);
    expect(await passed(6, organization, ann)).toBe(5);
  });

  it('does not count test addresses, nor messages that were not attempted', async () => {
    const organization = newId('org');
    const skipped = await Mail.to(ann, organization);
    await skipped.end({ state: 'SKIPPED', relayId: null, at: null, code: null, response: '', skipReason: 'BANNED' });
    const simulated = await Mail.to(ann, organization);
    const { recipient } = markAt(simulated.page, 0, ann);
    await simulated.end({ recipient: { ...recipient, simulated: true } });
    expect(await passed(6, organization, ann)).toBe(5);
  });

  it('counts what is in doubt after a take-over once', async () => {
    const organization = newId('org');
    const mail = await Mail.to(ann, organization);
    await mail.mark();
    await ledger.setChunk(mail.page, `until = clock_timestamp() - interval '1 second'`);
    const two = ledger.committer();
    const taken = (await two.pages.claim([]))!;
    expect(taken.sendId).toBe(mail.page.sendId);
    expect((await two.ledger.takeOver(taken, [markAt(taken, 0, ann).recipient]))!.doubted).toBe(1);
    expect(await passed(6, organization, ann)).toBe(4);
  });

  it('counts a message at its first attempt only, in the chunk or from the queue', async () => {
    const organization = newId('org');
    const [first, second] = [await Mail.to(ann, organization), await Mail.to(ann, organization)];
    await first.mark();
    await first.end({ state: 'DEFERRED', code: 450, response: '450 Later', wait: -60 });
    // Not attempted in its chunk.
    await second.end({
      state: 'DEFERRED',
      relayId: null,
      at: null,
      code: null,
      response: 'The relay is away',
      wait: -60,
    });
    await world.database.query(`update campaign_message set attempted_at = attempted_at - interval '11 minutes'`);
    expect(await passed(4, organization, ann)).toBe(4);
    const queue = new QueuedMessageRepository(sql, randomUUID(), 20);
    const claimed = await queue.claim(['CAMPAIGN'], 10);
    const marks = claimed.map((message) => ({
      message,
      subject: '',
      mailbox: message.attempts > 0 ? null : keyOf(organization, ann),
    }));
    expect((await queue.updateAttempting(marks, 1)).started.size).toBe(2);
    const at = new Date().toISOString();
    const sent = { state: 'SENT' as const, code: 250, enhancedCode: null, response: '250 Ok', wait: null };
    await queue.settle(
      'attempted',
      claimed.map((message) => ({ ...sent, message, skipReason: null, at, events: '', lane: 0 })),
    );
    // Four single messages, and the second from the queue; the first counted 11 minutes ago.
    expect(await isOpen(organization, ann)).toBe(false);
    await world.database.query(
      `update recipient_guard set sent_at = array(select t - interval '11 minutes' from unnest(sent_at) t)`,
    );
    expect(await passed(6, organization, ann)).toBe(5);
  });

  it('counts a message once whose first attempt from the queue is in doubt', async () => {
    const organization = newId('org');
    const mail = await Mail.to(ann, organization);
    const isAway = { relayId: null, at: null, code: null, response: 'The relay is away' };
    await mail.end({ state: 'DEFERRED', wait: -60, ...isAway });
    const queue = new QueuedMessageRepository(sql, randomUUID(), 20);
    const [message] = await queue.claim(['CAMPAIGN'], 10);
    await queue.updateAttempting([{ message: message!, subject: '', mailbox: keyOf(organization, ann) }], 1);
    await world.database.query(`update message_queue set until = clock_timestamp() - interval '1 second'`);
    expect(await queue.takeOver(['CAMPAIGN'])).toEqual({ moved: 1, doubted: 1 });
    expect(await passed(6, organization, ann)).toBe(4);
  });
});
