import { describe, expect, it } from '@jest/globals';
import { subscriberLifeRequests } from '#contracts';
import type { DomainEvent, EventData, EventName } from '#contracts';
import { messageIdAt, newId, newSendUuid, newUuid, uuidOf, wireId } from '#database';
import { Outbox, settledData } from '#events';
import type { EventHandler } from '#events';
import { addressHasher } from '#link-token';
import { until } from '#testing';
import type { EntityManager } from 'typeorm';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { messageHandlers } from '../../src/activity/message.consumer.js';
import { AudienceRepository } from '../../src/audience/audience.repository.js';
import { DeletedValueRepository } from '../../src/cleanup/deleted-value.repository.js';
import { DeletionLockRepository } from '../../src/subscriber/deletion-lock.repository.js';
import { deleteSubscriber } from '../../src/subscriber/deletion.service.js';
import { runHandlers } from '../../src/workflow/run.consumer.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

const harness = useFixture(() => Harness.start());
const tenant = useFixture(() => organization(harness));

const hashAddress = addressHasher('07'.repeat(32));
const handlers = { ...messageHandlers(hashAddress), ...runHandlers };

const now = () => new Date().toISOString();
const about = ({ id, email }: Subscriber) => ({
  messageId: newId('msg'),
  subscriberId: id,
  campaignId: newId('cmp'),
  campaignName: 'News',
  subject: 'Hello',
  email,
  at: now(),
  simulated: false,
});
const bounced = (who: Subscriber, bounceType: 'HARD' | 'SOFT') => ({
  ...about(who),
  bounceType,
  bounceCategory: bounceType === 'HARD' ? 'NO_SUCH_USER' : 'MAILBOX_FULL',
  reason: '550',
  provider: null,
  status: '5.1.1',
});
const handle =
  <N extends EventName & keyof typeof handlers>(name: N, dataOf: (who: Subscriber) => EventData<N>) =>
  async (manager: EntityManager, who: Subscriber): Promise<void> => {
    const event = { id: newId('evt'), name, organizationId: tenant.organizationId, data: dataOf(who) };
    const handler = handlers[name] as unknown as EventHandler<EventName>;
    await handler([event as unknown as DomainEvent<EventName>], { manager, outbox: new Outbox('subscriber'), lane: 0 });
  };

/** Writers of rows about a subscriber whose own row they do not change, in the transaction of the manager. */
const writers: [string, (manager: EntityManager, who: Subscriber) => Promise<void>][] = [
  ['a message that was sent', handle('message.sent', about)],
  [
    'a group of settled messages',
    handle('messages.settled', ({ id }) =>
      settledData({ sendId: wireId('send', newSendUuid()), campaignId: newId('cmp'), chunk: 0, at: now() }, [
        {
          position: 0,
          subscriberId: id,
          outcome: 'DELIVERED',
          variant: null,
          destination: 'other',
          simulated: false,
          subjectValues: null,
        },
      ]),
    ),
  ],
  [
    'an open of a message by position',
    handle('message.opened', (who) => ({
      ...about(who),
      messageId: wireId('msg', messageIdAt(newSendUuid(), 0, 0)),
      machine: false,
      first: true,
      userAgent: null,
    })),
  ],
  [
    'a click',
    handle('message.clicked', (who) => ({
      ...about(who),
      machine: false,
      first: true,
      firstOfLink: true,
      url: 'https://example.com/',
      userAgent: null,
    })),
  ],
  ['a soft bounce', handle('message.bounced', (who) => bounced(who, 'SOFT') as EventData<'message.bounced'>)],
  ['a hard bounce', handle('message.bounced', (who) => bounced(who, 'HARD') as EventData<'message.bounced'>)],
  [
    'a complaint',
    handle('message.complained', (who) => ({ ...about(who), complaintFeedbackType: 'abuse', provider: null })),
  ],
  [
    'the start of a run',
    handle(
      'run.started',
      ({ id }) =>
        ({
          subscriberId: id,
          workflowId: newId('wf'),
          workflowName: 'Welcome',
          runId: newId('run'),
          at: now(),
        }) as EventData<'run.started'>,
    ),
  ],
  [
    'the removal of a deleted tag',
    async (manager, who) => {
      const tag = { id: newId('tag'), name: 'gone' };
      await manager.query(
        `insert into subscriber_tag (organization_id, tag_id, subscriber_id, added_at) values ($1, $2, $3, now())`,
        [uuidOf('org', tenant.organizationId), uuidOf('tag', tag.id), uuidOf('sub', who.id)],
      );
      await new DeletedValueRepository(manager).removeTag(tenant.organizationId, tag, new Date());
    },
  ],
];

/** Lists the tables that hold rows of a subscriber, without those kept for a former subscriber. */
async function tablesHolding({ id }: Subscriber): Promise<string[]> {
  const sql = harness.dataSource('subscriber');
  const tables: { name: string }[] = await sql.query(
    `select c.table_name as name from information_schema.columns c
     join pg_class r on r.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
     where c.table_schema = 'subscriber' and c.column_name = 'subscriber_id' and not r.relispartition
       and c.table_name <> 'former_subscriber' order by 1`,
  );
  const holding = [];
  for (const { name } of tables) {
    const rows: unknown[] = await sql.query(`select from ${name} where subscriber_id = $1 limit 1`, [
      uuidOf('sub', id),
    ]);
    if (rows.length > 0) holding.push(name);
  }
  return holding;
}

/** Runs `first` in a transaction that ends once `second` waits for it or has finished without waiting. */
async function inOrder(
  first: (manager: EntityManager) => Promise<void>,
  second: () => Promise<unknown>,
): Promise<void> {
  let begun: () => void = () => undefined;
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const holding = harness.dataSource('subscriber').transaction(async (manager) => {
    await first(manager);
    begun();
    await released;
  });
  await Promise.race([hasBegun, holding]);
  let isOver = false;
  const following = second().finally(() => (isOver = true));
  const waits = async () => {
    const [row]: { n: number }[] = await harness
      .dataSource('subscriber')
      .query(
        `select count(*)::int as n from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`,
      );
    return row!.n > 0;
  };
  try {
    await until('the second waits for the first, or is over', async () => isOver || (await waits()));
  } finally {
    release();
  }
  await Promise.all([holding, following]);
}

const erase = (manager: EntityManager, { id }: Subscriber) =>
  deleteSubscriber(id, { sql: manager, outbox: new Outbox('subscriber'), hashAddress }, harness.caller(tenant));

describe('rows of a subscriber who is deleted at the same moment', () => {
  it.each(writers)('are not left by %s that is applied while the deletion commits', async (_name, write) => {
    const who = await person(harness, tenant, { email: `${newUuid()}@example.com` });
    await inOrder(
      async (manager) => void (await erase(manager, who)),
      () => harness.dataSource('subscriber').transaction((manager) => write(manager, who)),
    );
    expect(await tablesHolding(who)).toEqual([]);
  });

  it.each(writers)('are deleted with those of %s that commits while the deletion runs', async (_name, write) => {
    const who = await person(harness, tenant, { email: `${newUuid()}@example.com` });
    const { delete_subscriber } = harness.client(subscriberLifeRequests);
    await inOrder(
      (manager) => write(manager, who),
      () => delete_subscriber({ subscriberId: who.id }, harness.caller(tenant)),
    );
    expect(await tablesHolding(who)).toEqual([]);
  });

  it('leave no address in an audience that is frozen meanwhile', async () => {
    const { organizationId } = tenant;
    const [gone, stays] = [
      await person(harness, tenant, { email: `${newUuid()}@example.com` }),
      await person(harness, tenant, { email: `${newUuid()}@example.com` }),
    ];
    const audienceId = newId('aud');
    const emails = await harness.dataSource('subscriber').transaction(async (manager) => {
      const audiences = new AudienceRepository(manager);
      await audiences.insert({ organizationId, audienceId, purpose: 'SEND', filters: [], now: new Date() });
      await audiences.freeze(organizationId, audienceId, () => ({ text: 'true', join: '' }));
      const { delete_subscriber } = harness.client(subscriberLifeRequests);
      await delete_subscriber({ subscriberId: gone.id }, harness.caller(tenant));
      await new DeletionLockRepository(manager).holdOff([organizationId]);
      await audiences.eraseFormer(organizationId, audienceId);
      return (await audiences.listPage(organizationId, { audienceId, pageNumber: 0 }, { shows: [], fields: null })).map(
        ({ email }) => email,
      );
    });
    expect(emails).toContain(stays.email);
    expect(emails).not.toContain(gone.email);
    expect(emails).toContain('');
  });
});
