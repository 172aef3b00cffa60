import { IdleBackoff, WakeSignal } from '#concurrency';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { subscriberRequests } from '#contracts';
import { addressHasher } from '#link-token';
import type { ServiceDependencies, Worker } from '#service-host';
import type { DeliveryConfig } from '../config.js';
import { DueQueue } from './due/due-queue.worker.js';
import { DueMessageRepository } from './due/due-message.repository.js';
import type { MessageKind } from './due/due-message.js';
import type { RenderPool } from './render/render-pool.worker.js';
import type { SendMetrics } from '../metrics/send-metrics.service.js';
import { CampaignQueue } from './chunk/campaign-queue.worker.js';
import { ChunkRepository } from './chunk/chunk.repository.js';
import { AttemptJournal } from './journal/attempt-journal.service.js';
import { GroupCommitter } from './ledger/group-committer.worker.js';
import { LedgerChunkRepository } from './ledger/ledger-chunk.repository.js';
import { QueuedMessageRepository } from './ledger/queued-message.repository.js';
import type { PreparedSql } from './prepared-sql.repository.js';
import { DestinationRepository } from './relay/destination.repository.js';
import { parseRelayUrl } from './relay/relay-address.js';
import { Relay } from './relay/connection-pool.worker.js';
import type { SmtpTimeouts } from './relay/wire-protocol.js';
import type { RelayState } from '../metrics/backlog.service.js';
import type { SendQueue } from '../message/send-queue.js';
import { mailboxHasher } from '../message/address-hash.js';
import { SendingDomainSource } from '../message/sending-domain.client.js';
import type { RenderPlanService } from './render/render-plan.service.js';
import { EngineSessionRepository } from './engine-session.repository.js';
import { finishSends } from './finish-send.job.js';
import { SendRepository } from './send.repository.js';

export interface SendEngineDependencies extends Pick<ServiceDependencies, 'dataSource' | 'contexts' | 'bus' | 'log'> {
  config: DeliveryConfig;
  /** For the statements of every few messages; closed with the engine. */
  sql: PreparedSql;
  mails: RenderPlanService;
  renderPool: RenderPool;
  meter: SendMetrics;
}

/** Signals that results were written: there are events to publish, and a send that other processes may help with. */
const resultsBroadcast = 'outbox.delivery';
/** Outbox publishers poll by themselves too; waking them more often only makes smaller event batches. */
const outboxEveryMs = 200;
/** Poll interval for complete sends: the shorter while messages go out, the longer for sends of processes that died. */
const sweepPace = { minMs: 1_000, maxMs: 5_000 };
/**
 * Due messages that are rows, in send queues that do not wait for each other; the first queue learns of a free
 * connection first.
 */
const dueQueues: { lane: SendQueue; kinds: readonly MessageKind[] }[] = [
  { lane: 'single', kinds: ['TRANSACTIONAL', 'SMTP', 'TEST'] },
  { lane: 'workflow', kinds: ['WORKFLOW'] },
  { lane: 'retry', kinds: ['CAMPAIGN'] },
];
/** Kinds of messages of the ledger that are queued. */
const queuedKinds: readonly MessageKind[] = ['CAMPAIGN'];
/** Less than the time in which a process has to stop. */
const stopMaxMs = 20_000;

/**
 * Sends campaign chunks and due messages from their queues over one set of connections; any number of engines may work
 * on one database.
 */
export class SendEngine implements Worker {
  readonly #relay: Relay;
  readonly #campaigns: CampaignQueue;
  readonly #due: readonly DueQueue[];
  readonly #dueMessages: DueMessageRepository;
  readonly #queued: QueuedMessageRepository;
  readonly #committer: GroupCommitter;
  readonly #journal: AttemptJournal;
  readonly #session: EngineSessionRepository;
  readonly #signal = new WakeSignal();
  readonly #backoff: IdleBackoff;
  #outboxTimer: NodeJS.Timeout | null = null;
  #stopping = false;
  #starting: Promise<void> = Promise.resolve();
  #sweeping: Promise<void> = Promise.resolve();

  constructor(private readonly parts: SendEngineDependencies) {
    const { dataSource, sql, bus, log, config, meter } = parts;
    const owner = randomUUID();
    const leaseSeconds = config.SEND_LEASE_SECONDS;
    this.#relay = new Relay({
      address: parseRelayUrl(config.SMTP_URL),
      fallback: config.SMTP_FALLBACK_URL ? parseRelayUrl(config.SMTP_FALLBACK_URL) : null,
      dkim: { first: config.SMTP_DKIM, fallback: config.SMTP_FALLBACK_DKIM },
      perSecond: config.SMTP_RATE ?? null,
      connections: config.SMTP_CONNECTIONS,
      window: config.SEND_WINDOW,
      perDomain: config.SMTP_CONNECTIONS_PER_DOMAIN ?? null,
      timeouts: timeoutsOf(config),
      receipts: config.SMTP_FEEDBACK === 'dsn',
      threads: parts.renderPool.threads,
      destinations: new DestinationRepository(dataSource.manager),
      meter,
      log,
    });
    this.#dueMessages = new DueMessageRepository(sql, owner, leaseSeconds);
    this.#queued = new QueuedMessageRepository(sql, owner, leaseSeconds);
    const ledger = new LedgerChunkRepository(sql, owner, leaseSeconds);
    this.#committer = new GroupCommitter({ ledger, log });
    this.#journal = new AttemptJournal(config.DATA_DIR, owner, log);
    this.#session = new EngineSessionRepository(dataSource, owner, leaseSeconds);
    this.#backoff = new IdleBackoff(parts.contexts, sweepPace, () => this.#signal.notify());
    const hashMailbox = mailboxHasher(addressHasher(config.MASTER_KEY));
    const shared = {
      contexts: parts.contexts,
      due: this.#dueMessages,
      mails: parts.mails,
      sendingDomains: new SendingDomainSource(bus),
      subscribers: bus.client(subscriberRequests),
      relay: this.#relay,
      meter,
      hashMailbox,
      leaseSeconds,
      recipientTtlSeconds: config.RECIPIENT_CACHE_TTL_SECONDS,
      accepted: config.SMTP_FEEDBACK === 'none' ? ('DELIVERED' as const) : ('SENT' as const),
      wakeOutbox: () => this.#wakeOutbox(),
      log,
    };
    this.#campaigns = new CampaignQueue({
      ...shared,
      renderPool: parts.renderPool,
      pages: new ChunkRepository(sql, owner, leaseSeconds),
      ledger,
      committer: this.#committer,
      journal: this.#journal,
      sends: new SendRepository(dataSource.manager),
    });
    this.#due = [
      ...dueQueues.map(({ lane, kinds }) => new DueQueue(shared, lane, kinds)),
      new DueQueue({ ...shared, due: this.#queued }, 'retry', queuedKinds),
    ];
  }

  get relay(): RelayState {
    return this.#relay.state;
  }

  start(): void {
    this.parts.bus.onBroadcast(resultsBroadcast, () => this.#campaigns.help());
    for (const lane of this.#due) lane.start();
    // A chunk that is taken over before the journal is there would be in doubt as a whole.
    this.#starting = this.#journal.start().then(() => {
      if (!this.#stopping) this.#campaigns.start();
    });
    this.#sweeping = this.#sweep();
  }

  /** Claims nothing new, finishes and records the messages in progress, and releases the chunks. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#signal.notify();
    await this.#starting;
    const finished = Promise.all([...[...this.#due, this.#campaigns].map((lane) => lane.stop()), this.#sweeping]);
    // A relay that hangs is not waited for: its messages are taken over when their lease ends.
    const patience = sleep(stopMaxMs, undefined, { ref: false });
    await Promise.race([finished, patience]);
    this.#committer.stop();
    await this.#relay.stop();
    await this.parts.renderPool.stop();
    await this.#journal.stop();
    await this.parts.sql.end();
    await this.#session.end();
    if (this.#outboxTimer) clearTimeout(this.#outboxTimer);
  }

  async #sweep(): Promise<void> {
    while (!this.#stopping) {
      // Every commit wakes it, and the rest is not over for that.
      if (this.#backoff.remainingMs === 0)
        await this.#backoff
          .poll(async () => (await this.#takeOver()) + (await finishSends(this.parts)))
          .catch((error: unknown) => this.parts.log.warn({ err: error }, 'cannot end sends'));
      await this.#signal.wait(this.#backoff.remainingMs);
    }
  }

  async #takeOver(): Promise<number> {
    const old = await this.#dueMessages.takeOver(dueQueues.flatMap(({ kinds }) => kinds));
    const queued = await this.#queued.takeOver(queuedKinds);
    const moved = old.moved + queued.moved;
    this.parts.meter.doubted(old.doubted + queued.doubted);
    const released = await this.#releaseAbandoned();
    if (moved + released > 0) this.parts.contexts.noteCommit();
    return moved + released;
  }

  /** @returns how many chunks; none if it fails, since their leases end all the same */
  async #releaseAbandoned(): Promise<number> {
    const { log } = this.parts;
    try {
      await this.#session.hold();
      const pages = await this.#session.releaseAbandoned();
      if (pages > 0) log.warn({ pages }, 'a sending process ended; others take over its chunks');
      return pages;
    } catch (error) {
      log.warn({ err: error }, 'chunks of ended processes wait until their leases expire');
      return 0;
    }
  }

  #wakeOutbox(): void {
    this.#backoff.reset();
    this.#outboxTimer ??= setTimeout(() => {
      this.#outboxTimer = null;
      if (this.parts.bus.connected) this.parts.bus.broadcast(resultsBroadcast, {});
    }, outboxEveryMs);
  }
}

const timeoutsOf = (config: DeliveryConfig): SmtpTimeouts => ({
  connectMs: config.SMTP_CONNECT_TIMEOUT_SECONDS * 1000,
  greetingMs: config.SMTP_GREETING_TIMEOUT_SECONDS * 1000,
  commandMs: config.SMTP_COMMAND_TIMEOUT_SECONDS * 1000,
  dataMs: config.SMTP_DATA_TIMEOUT_SECONDS * 1000,
});
