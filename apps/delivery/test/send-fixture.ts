import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import type { ServiceBus } from '#bus';
import { compileMail, parseContent } from '#content';
import { deliveryRequests, domainRequests, subscriberRequests } from '#contracts';
import type { DomainEvent, SenderFacts, SendProgress } from '#contracts';
import { newId, newSendUuid, uuidOf, wireId } from '#database';
import { settledMessages, settledMessageUuid } from '#events';
import { createLogger } from '#observability';
import { CallContexts, readEnvironment } from '#service-host';
import { SmtpSink, testLogLevel, until } from '#testing';
import { Harness } from '../../../test/harness/harness.js';
import type { Tenant } from '../../../test/harness/harness.js';
import { environmentFor } from '../../../test/harness/service-plans.js';
import { deliveryEnvironment } from '../src/config.js';
import { campaignMails, renderPool } from '../src/delivery.module.js';
import { stateNameSql } from '../src/message/ledger-codes.js';
import { meterOf } from '../src/metrics/send-metrics.service.js';
import { preparedSql } from '../src/send/prepared-sql.repository.js';
import type { PreparedSql } from '../src/send/prepared-sql.repository.js';
import { SendEngine } from '../src/send/send-engine.worker.js';

export interface Sending extends Tenant {
  sender: SenderFacts;
}

export interface StartedSend extends Tenant {
  sendId: string;
  campaignId: string;
}

/** Where the messages of a send are rows: 0 the table `message`, 1 the ledger. */
export type SendLayout = 0 | 1;

/** A message of a send; one with an attempt mark and no outcome is HANDING_OVER in both layouts. */
export interface MessageRow {
  messageId: string;
  /** Empty for one of the ledger that has no row. */
  email: string;
  state: string;
  attempts: number;
  response: string | null;
  /** Seconds until it is due; null if it is not queued. */
  wait: number | null;
  owner: string | null;
  fence: number;
}

/** Messages of campaigns that may be on the wire at one time, with the default number of connections. */
export const campaignConnections = 36;

/** A campaign's text, with one link and the way out. */
export const markdown = `Hello {{firstName | 'friend'}}, see [our shop](https://shop.internal/?id={{email}}).

[Leave]({{unsubscribeUrl}})`;

/**
 * A line between an engine and its database that can be cut. Statements sent meanwhile wait, and run late when the line
 * is mended: a process that was stopped and woken. If it is never mended, the process counts as dead.
 */
export class Line {
  #cut = false;
  #waiting: (() => void)[] = [];
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(private readonly real: DataSource) {}

  /** Resolves when the statements in flight have returned, so that nothing changes behind the test any more. */
  async cut(): Promise<void> {
    this.#cut = true;
    await Promise.allSettled(this.#underWay);
  }

  mend(): void {
    this.#cut = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  #through<A extends unknown[], R>(ask: (...args: A) => Promise<R>) {
    return async (...args: A): Promise<R> => {
      if (this.#cut) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      const asking = ask(...args);
      this.#underWay.add(asking);
      return await asking.finally(() => this.#underWay.delete(asking));
    };
  }

  /** The data source at the engine's end. */
  get dataSource(): DataSource {
    const { real } = this;
    return {
      options: real.options,
      manager: { query: this.#through((text: string, values: unknown[]) => real.manager.query(text, values)) },
      transaction: this.#through((work: never) => real.transaction(work)),
    } as unknown as DataSource;
  }

  /** Prepared statements at the engine's end. */
  through(sql: PreparedSql): PreparedSql {
    return { query: this.#through(sql.query) as PreparedSql['query'], end: () => sql.end() };
  }
}

/** Everything around the engine as it is in production, on a database of its own; engines are started by the tests. */
export class SendFixture {
  readonly #engines = new Map<SendEngine, Line | undefined>();
  readonly #relays: SmtpSink[] = [];
  readonly #commits: NodeJS.Timeout[] = [];

  private constructor(
    private readonly started: () => Harness,
    readonly layout: SendLayout,
  ) {}

  /** @param change of the environment of the services @param layout of the sends it starts */
  static async start(change: Record<string, string> = {}, layout: SendLayout = 0): Promise<SendFixture> {
    const harness = await Harness.start(change);
    const world = new SendFixture(() => harness, layout);
    await world.#enableLayout();
    return world;
  }

  /** The world of a suite: engines and relays end with each of its tests, the world with the last. */
  static ofSuite(change: Record<string, string> = {}, layout: SendLayout = 0): SendFixture {
    let harness: Harness;
    const world = new SendFixture(() => harness, layout);
    beforeAll(async () => {
      harness = await Harness.start(change);
      await world.#enableLayout();
    });
    afterEach(async () => {
      await Promise.all([world.stopEngines(), world.#stopRelays()]);
      // An engine may see its relay end first, which must not affect the next test.
      await world.database.query('delete from destination');
    });
    afterAll(() => world.stop());
    return world;
  }

  async #enableLayout(): Promise<void> {
    if (this.layout === 0) return;
    await this.database.query(
      `insert into feature (name, enabled_at) values ('send.ledger', clock_timestamp()), ('messages.settled', clock_timestamp())
       on conflict (name) do update set enabled_at = excluded.enabled_at`,
    );
  }

  get tidings(): Harness {
    return this.started();
  }

  async stop(): Promise<void> {
    await this.stopEngines();
    await this.tidings.stop();
  }

  /** Ends all engines; those that a test left as dead resume and end too. */
  async stopEngines(): Promise<void> {
    const engines = [...this.#engines];
    this.#engines.clear();
    this.#commits.splice(0).forEach((timer) => clearInterval(timer));
    await Promise.all(
      engines.map(async ([engine, line]) => {
        const stopped = engine.stop();
        line?.mend();
        await stopped;
      }),
    );
  }

  async end(engine: SendEngine): Promise<void> {
    this.#engines.delete(engine);
    await engine.stop();
  }

  /** Starts a relay for one test. @param options without them it accepts everything */
  async relay(options?: Parameters<typeof SmtpSink.start>[0]): Promise<SmtpSink> {
    const sink = await SmtpSink.start(options);
    this.#relays.push(sink);
    return sink;
  }

  async #stopRelays(): Promise<void> {
    await Promise.all(this.#relays.splice(0).map((sink) => sink.stop()));
  }

  get database(): DataSource {
    return this.tidings.dataSource('delivery');
  }

  /**
   * Starts an engine on a relay.
   * @param line its connection to its database, which may be cut
   * @param bus by which it reaches the other services
   */
  engine(
    relayUrl: string,
    change: Record<string, string> = {},
    line?: Line,
    bus: ServiceBus = this.tidings.bus,
  ): SendEngine {
    const dataSource = line?.dataSource ?? this.database;
    const config = readEnvironment(deliveryEnvironment, {
      ...environmentFor('postgres://localhost/unused'),
      SMTP_URL: relayUrl,
      ...change,
    });
    const sql = preparedSql(this.database, 3);
    const log = createLogger('delivery', testLogLevel);
    const contexts = new CallContexts('delivery', dataSource, () => undefined);
    // Calls of the tests commit in another process; these engines poll as if it were this one.
    this.#commits.push(setInterval(() => contexts.noteCommit(), 100));
    const engine = new SendEngine({
      dataSource,
      sql: line ? line.through(sql) : sql,
      contexts,
      bus,
      log,
      config,
      meter: meterOf(new Registry()),
      renderPool: renderPool(config, log),
      mails: campaignMails(config, { dataSource, bus, log }),
    });
    this.#engines.set(engine, line);
    engine.start();
    return engine;
  }

  async organization(): Promise<Sending> {
    const { organization } = await this.tidings
      .client(domainRequests)
      .create_organization({ name: 'Garden Shop' }, this.tidings.caller({ organizationId: '' }));
    const tenant = { organizationId: organization.id };
    const { sender } = await this.tidings
      .client(domainRequests)
      .get_sender({ senderId: null }, this.tidings.caller(tenant));
    return { ...tenant, sender: sender! };
  }

  /** Imports subscribers and freezes all subscribers of the organization into an audience. */
  async audience(tenant: Tenant, people: readonly { email: string; name?: string; tags?: string[] }[]) {
    for (let at = 0; at < people.length; at += 500) {
      await this.tidings.data('import_subscribers', { subscribers: people.slice(at, at + 500) }, tenant);
    }
    return await this.tidings
      .client(subscriberRequests)
      .freeze_audience({ audienceId: newId('aud'), purpose: 'SEND', filters: [] }, this.tidings.caller(tenant));
  }

  /** Starts a send to a frozen audience; `change` overrides the arguments of start_send. */
  async send(
    { organizationId, sender }: Sending,
    audience: { audienceId: string; total: number; pages: number },
    change: Record<string, unknown> = {},
  ): Promise<StartedSend> {
    const sendId = wireId('send', newSendUuid());
    const campaignId = newId('cmp');
    const send = {
      sendId,
      campaignId,
      campaignName: 'News of May',
      organizationName: 'Garden Shop',
      replyTo: null,
      sender,
      audienceId: audience.audienceId,
      total: audience.total,
      pages: audience.pages,
      template: template(markdown),
      tracking: { opens: true, clicks: true },
      ...change,
    };
    await this.tidings.client(deliveryRequests).start_send(send, this.tidings.caller({ organizationId }));
    return { organizationId, sendId, campaignId };
  }

  async progress({ organizationId, sendId }: StartedSend): Promise<SendProgress> {
    const caller = this.tidings.caller({ organizationId });
    return (await this.tidings.client(deliveryRequests).get_send_progress({ sendId }, caller)).progress;
  }

  async setState({ organizationId, sendId }: StartedSend, state: 'RUNNING' | 'PAUSED' | 'STOPPED'): Promise<void> {
    const caller = this.tidings.caller({ organizationId });
    await this.tidings.client(deliveryRequests).set_send_state({ sendId, state, reason: null }, caller);
  }

  /** Waits for the end of a send, compares its counters with its rows, and returns its progress. */
  async finished(send: StartedSend, withinMs = 100_000): Promise<SendProgress> {
    await until('the send ends', async () => (await this.progress(send)).finishedAt !== null, withinMs);
    return await this.checked(send);
  }

  /** The progress, after its counters were compared with the rows they count. */
  async checked(send: StartedSend): Promise<SendProgress> {
    const progress = await this.progress(send);
    const states = await this.states(send);
    const of = (...names: string[]) => names.reduce((sum, name) => sum + (states[name] ?? 0), 0);
    const counted = {
      sent: of('SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED'),
      delivered: of('DELIVERED', 'COMPLAINED'),
      failed: of('FAILED'),
      deferred: of('DEFERRED'),
      inDoubt: of('IN_DOUBT'),
      skipped: Object.values(progress.skipped).reduce((a, b) => a + b, 0),
    };
    const reported = { ...counted, ...pick(progress, ['sent', 'delivered', 'failed', 'deferred', 'inDoubt']) };
    if (JSON.stringify(reported) !== JSON.stringify({ ...counted, skipped: of('SKIPPED') })) {
      throw new Error(`counters ${JSON.stringify(reported)} are not rows ${JSON.stringify(states)}`);
    }
    return progress;
  }

  /** Counts the messages of a send in each state. */
  async states(send: StartedSend): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const rows = this.layout === 1 ? await this.messages(send) : await this.#stored(send);
    for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  /** Rows of either layout, since a spec may have converted a send. */
  async #stored({ organizationId, sendId }: StartedSend): Promise<{ state: string }[]> {
    return await this.database.query(`select state from any_message where organization_id = $1 and send_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('send', sendId),
    ]);
  }

  /** Lists the messages of a send that were marked, settled, or queued. */
  async messages({ organizationId, sendId }: StartedSend): Promise<MessageRow[]> {
    return await this.database.query(this.layout === 1 ? ledgerRowsSql : messageRowsSql, [
      uuidOf('org', organizationId),
      uuidOf('send', sendId),
    ]);
  }

  /** Counts the leased chunks of a send. */
  async leasedPages({ sendId }: StartedSend): Promise<number> {
    const [row] = await this.database.query<[{ n: number }]>(
      `select count(*)::int as n from send_page where send_id = $1 and state = 'LEASED'`,
      [uuidOf('send', sendId)],
    );
    return row.n;
  }

  /** Returns how often the chunks of a send were leased, in all. */
  async fences({ sendId }: StartedSend): Promise<number> {
    const [row] = await this.database.query<[{ n: number }]>(
      `select sum(fence)::int as n from send_page where send_id = $1`,
      [uuidOf('send', sendId)],
    );
    return row.n;
  }

  /**
   * Ends the leases of engines that died. A short lease would also end under a living engine that gets no processor for
   * that time.
   */
  async endLeases(): Promise<void> {
    await this.database.query(`update send_page set until = clock_timestamp() where state = 'LEASED'`);
    await this.database.query(`update message set due_at = clock_timestamp() where owner is not null`);
    await this.database.query(`update message_queue set until = clock_timestamp() where owner is not null`);
  }

  /** Ends the sessions that hold the locks of engines, as the death of their processes does. */
  async endSessions(): Promise<void> {
    await this.database.query(
      `select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
       join send_engine e on (l.classid::bigint << 32) | l.objid::bigint = hashtextextended('send engine ' || e.owner, 0)
       where l.locktype = 'advisory'`,
    );
  }

  /** Makes the deferred messages of a send due now. */
  async makeDue({ sendId }: StartedSend): Promise<void> {
    await this.database.query(
      `update message set due_at = clock_timestamp() where send_id = $1 and state = 'DEFERRED' and owner is null`,
      [uuidOf('send', sendId)],
    );
    await this.database.query(
      `update message_queue set due_at = clock_timestamp() where send_id = $1 and state = 'DEFERRED' and owner is null`,
      [uuidOf('send', sendId)],
    );
  }
}

const messageRowsSql = `
  select message_id as "messageId", email, state, attempts, response, extract(epoch from due_at - clock_timestamp())::float8 as wait,
    owner, fence::int as fence
  from message where organization_id = $1 and send_id = $2 order by message_id`;
const ledgerRowsSql = `
  select m.message_id as "messageId", m.email, case when q.state = 'ATTEMPTING' then 'HANDING_OVER' else ${stateNameSql('m.state')} end as state,
    m.attempts, concat_ws(' ', m.code, m.response) as response, extract(epoch from q.due_at - clock_timestamp())::float8 as wait,
    q.owner, coalesce(q.fence, 0)::int as fence
  from campaign_message m left join message_queue q using (message_id)
  where m.organization_id = $1 and m.message_id between $2 and (left($2::text, 28) || '7fffffff')::uuid
  union all
  select i.id, '', 'HANDING_OVER', 1, null, null, null, a.fence::int
  from send_attempt a cross join generate_series(0, 511) p
  cross join lateral (select (left(a.send_id::text, 28) || lpad(to_hex(a.chunk_no * 1024 + p), 8, '0'))::uuid as id) i
  where a.organization_id = $1 and a.send_id = $2 and get_bit(a.attempted, p) = 1
    and not exists (select from campaign_message m where m.message_id = i.id)
  order by 1`;

/** What events say of one message of a campaign that was sent, in whichever layout. */
export interface SentMessage {
  messageId: string;
  campaignId: string | null;
  delivered: boolean;
  /** Whether the event is about this message alone. */
  single: boolean;
}

/** Lists the messages that events report as sent. */
export function sentMessages(events: readonly DomainEvent[]): SentMessage[] {
  return events.flatMap((event): SentMessage[] => {
    if (event.name === 'message.sent') {
      const { messageId, campaignId } = event.data;
      return [{ messageId, campaignId, delivered: false, single: true }];
    }
    if (event.name !== 'messages.settled') return [];
    return settledMessages(event.data)
      .filter(({ outcome }) => outcome === 'SENT' || outcome === 'DELIVERED')
      .map(({ position, outcome }) => ({
        messageId: wireId('msg', settledMessageUuid(event.data, position)),
        campaignId: event.data.campaignId,
        delivered: outcome === 'DELIVERED',
        single: false,
      }));
  });
}

/** A mail compiled as the campaign service does. */
export function template(text: string, subject = 'News for {{firstName | "you"}}') {
  const parsed = parseContent('MARKDOWN', text);
  if (!('content' in parsed)) throw new Error(JSON.stringify(parsed));
  return compileMail({
    subject,
    preview: null,
    type: 'MARKDOWN',
    content: parsed.content,
    snippets: {},
    organization: { name: 'Garden Shop', address: 'Rose Lane 1' },
    footer: true,
  }).template;
}

/** Addresses that reach the test's sink. */
export const people = (count: number, domain = 'people.internal') =>
  Array.from({ length: count }, (_, n) => ({ email: `p${n}@${domain}`, name: `Person${n} Doe` }));

const pick = <T extends object, K extends keyof T>(from: T, keys: K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;

/** A world with a relay, and two organizations in it. */
export interface TwoTenants {
  world: SendFixture;
  sink: SmtpSink;
  tenant: Sending;
  otherTenant: Sending;
}

/** @param options of the relay, which accepts everything without them */
export async function twoTenants(options?: Parameters<typeof SmtpSink.start>[0]): Promise<TwoTenants> {
  const world = await SendFixture.start();
  const sink = await SmtpSink.start(options);
  const [tenant, otherTenant] = [await world.organization(), await world.organization()];
  return { world, sink, tenant: tenant, otherTenant: otherTenant };
}
