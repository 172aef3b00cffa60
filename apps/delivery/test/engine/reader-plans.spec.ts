import { describe, expect, it, jest } from '@jest/globals';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { EmailRepository } from '../../src/accept/email/email.repository.js';
import { AttemptMarkRepository } from '../../src/message/attempt-mark.repository.js';
import { MessageRepository } from '../../src/message/message.repository.js';
import { BounceRepository } from '../../src/report/bounce/bounce.repository.js';
import { ErasureRepository } from '../../src/report/erasure/erasure.repository.js';
import { MessageSearchRepository } from '../../src/report/inspection/message-search.repository.js';
import { RecipientRepository } from '../../src/report/recipient/recipient.repository.js';
import { SubscriberDataRepository } from '../../src/report/recipient/subscriber-data.repository.js';
import { HitRepository } from '../../src/report/tracking/hit.repository.js';
import { ProgressRepository } from '../../src/send/progress.repository.js';
import { intoLayout, layouts } from '../../../../test/harness/message-layouts.js';
import type { Layout } from '../../../../test/harness/message-layouts.js';
import { people, SendFixture } from '../send-fixture.js';

jest.setTimeout(180_000);

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const isMessages = ({ 'Relation Name': name = '' }: PlanNode): boolean => /^(?:campaign_)?message_\d{6}$/.test(name);

/** Names of one send, its first message, and its recipient; ids of the database are uuids. */
interface Names {
  organizationId: string;
  sendId: string;
  messageId: string;
  subscriberId: string;
  mailboxHash: string | null;
  month: string;
  uuid: { organization: string; message: string };
}

const reads: Record<string, (sql: Sql, names: Names) => Promise<unknown>> = {
  'one message': (sql, { organizationId, messageId }) =>
    new MessageSearchRepository(sql).find(organizationId, messageId),
  'the message of a subscriber in a send': (sql, { organizationId, sendId, subscriberId, mailboxHash, uuid }) =>
    new MessageSearchRepository(sql).findBySend(organizationId, sendId, {
      subscriberId,
      mailboxHash,
      messageIds: [uuid.message],
    }),
  'the message of an online view': (sql, { organizationId, messageId, month }) =>
    new MessageRepository(sql).findAttempted(organizationId, messageId, month),
  'the acceptance of a clicked message': (sql, { organizationId, messageId, month }) =>
    new HitRepository(sql).findAcceptedAt(organizationId, messageId, month),
  'the messages of hits, and changes them': async (sql, { organizationId, messageId, month }) => {
    const repository = new HitRepository(sql);
    const hit = {
      hitId: '',
      kind: 'open' as const,
      organizationId,
      messageId,
      period: month,
      linkNumber: null,
      url: null,
    };
    const found = await repository.listForUpdate([{ ...hit, at: '', userAgent: null }]);
    const message = found.get(messageId)!;
    await repository.update([{ message, opens: 1, clicks: 0, openedAt: new Date(0), clickedAt: null }]);
  },
  'the messages of reports, and changes them': async (sql, { month, uuid }) => {
    const repository = new BounceRepository(sql);
    const key = { organizationId: uuid.organization, messageId: uuid.message, period: month };
    const message = (await repository.listForUpdate([key])).get(uuid.message)!;
    const counters = { sent: 0, inDoubt: 0, delivered: 0, bounced: 0 };
    await repository.update([{ message, status: null, reports: [], counters }]);
  },
  'an attempt mark': (sql, { organizationId, messageId }) =>
    new AttemptMarkRepository(sql).isOpen(organizationId, messageId),
  'a page of recipients': (sql, { organizationId, sendId }) =>
    new RecipientRepository(sql).list(organizationId, sendId, { statuses: ['SENT'], cursor: null, limit: 2 }),
  'the counts of recipients': (sql, { organizationId, sendId }) =>
    new RecipientRepository(sql).count(organizationId, sendId),
  'the messages of a send': (sql, { organizationId, sendId }) =>
    new MessageRepository(sql).listBySend(organizationId, sendId, { after: null, limit: 2 }),
  'the progress of a send': (sql, { organizationId, sendId }) =>
    new ProgressRepository(sql).find(organizationId, sendId),
};

/** Of messages by subscriber, the plans that know the month before they run; others learn it from the send. */
const prunedBySubscriber = new Set([
  'the message of an online view',
  'the acceptance of a clicked message',
  'the messages of hits, and changes them',
  'the messages of reports, and changes them',
]);

/** Reads that cannot know the month: an index leads each to its rows in every partition. */
const readsOfAllMonths: Record<string, (sql: Sql, names: Names) => Promise<unknown>> = {
  'the messages of an organization': (sql, { organizationId }) =>
    new MessageSearchRepository(sql).list(organizationId, {
      query: undefined,
      status: undefined,
      campaignId: undefined,
      from: null,
      to: null,
      after: null,
      limit: 2,
    }),
  'the emails of a subscriber': (sql, { organizationId, subscriberId, mailboxHash, uuid }) =>
    new EmailRepository(sql).listBySubscriber(
      organizationId,
      { subscriberId, mailboxHash, messageIds: [uuid.message] },
      { status: null, limit: 2 },
    ),
  'the data of a subscriber': (sql, { organizationId, subscriberId, mailboxHash, uuid }) =>
    new SubscriberDataRepository(sql).list(
      organizationId,
      { subscriberId, mailboxHash, messageIds: [uuid.message] },
      { after: null, limit: 2 },
    ),
  'an erasure': async (sql, { organizationId, subscriberId, mailboxHash, messageId }) => {
    const erasures = new ErasureRepository(sql);
    await erasures.insert([{ organizationId, subscriberId, mailboxHash, messageIds: [messageId] }]);
    await erasures.listAddresses();
    await erasures.eraseSome([{ organizationId, email: 'p0@nowhere.internal', hash: null }]);
  },
};

describe.each(layouts)('the plans of readers, %s', (layout) => {
  const world = SendFixture.ofSuite();
  let made: Promise<Names> | undefined;

  const make = async (): Promise<Names> => {
    const relay = await world.relay();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(3)));
    world.engine(relay.url);
    await world.finished(send);
    await world.stopEngines();
    await intoLayout(world.database, layout, send.sendId);
    const [row] = await world.database.query<
      [
        {
          organization_id: string;
          message_id: string;
          subscriber_id: string;
          mailbox_hash: string | null;
          month: string;
        },
      ]
    >(
      `select organization_id, message_id, subscriber_id, mailbox_hash, to_char(period, 'YYYY-MM') as month from any_message
       where send_id = $1 order by email`,
      [uuidOf('send', send.sendId)],
    );
    return {
      organizationId: tenant.organizationId,
      sendId: send.sendId,
      messageId: wireId('msg', row.message_id),
      subscriberId: wireId('sub', row.subscriber_id),
      mailboxHash: row.mailbox_hash,
      month: row.month,
      uuid: { organization: row.organization_id, message: row.message_id },
    };
  };

  /** The nodes of all plans of some work that read partitions of messages. A sequential scan is left only where no index serves. */
  const scansOf = async (work: (sql: Sql) => Promise<unknown>): Promise<PlanNode[]> => {
    const scans: PlanNode[] = [];
    const query = async (text: string, values: unknown[]): Promise<unknown> =>
      await world.database.transaction(async (manager) => {
        await manager.query('set local enable_seqscan = off');
        const rows: { 'QUERY PLAN': { Plan: PlanNode }[] }[] = await manager.query(
          `explain (format json) ${text}`,
          values,
        );
        scans.push(...nodesOf(rows[0]!['QUERY PLAN'][0]!.Plan).filter(isMessages));
        return await manager.query(text, values);
      });
    await work({ query } as unknown as Sql);
    return scans;
  };
  const tableOf: Record<Layout, string> = { 'rows by subscriber': 'message', 'rows by position': 'campaign_message' };

  it.each(Object.keys(reads))('find %s by an index, in the month of the send', async (name) => {
    const names = await (made ??= make());
    const scans = await scansOf((sql) => reads[name]!(sql, names));
    expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
    const isPruned = layout === 'rows by position' || prunedBySubscriber.has(name);
    const isRead = layout === 'rows by position' || name !== 'an attempt mark';
    const leaf = `${tableOf[layout]}_${names.month.replace('-', '')}`;
    if (isPruned) expect(new Set(scans.map((scan) => scan['Relation Name']))).toEqual(new Set([leaf]));
    else if (isRead) expect(scans.map((scan) => scan['Relation Name'])).toContain(leaf);
  });

  it.each(Object.keys(readsOfAllMonths))('find %s by an index in each month', async (name) => {
    const names = await (made ??= make());
    const scans = await scansOf((sql) => readsOfAllMonths[name]!(sql, names));
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
  });
});
