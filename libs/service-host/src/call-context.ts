import type { DataSource, EntityManager } from 'typeorm';
import { Semaphore } from '#concurrency';
import type { LiveUpdates } from '#bus';
import { isUniqueViolation } from '#database';
import { Outbox } from '#events';
import type { Implementation } from '#tool-call';

export interface CallContext {
  manager: EntityManager;
  outbox: Outbox;
  /**
   * A short transaction of its own, with its events, for calls that also talk to the outside world. Inside a `write`
   * call it is that call's transaction.
   */
  transaction<T>(work: (context: CallContext) => Promise<T>): Promise<T>;
  /**
   * The last of these, whose result is the call's answer: for a call that must have its effect once, both are committed
   * together.
   */
  conclude<T>(work: (context: CallContext) => Promise<T>): Promise<T>;
}

/** Records written at the end of each transaction of an idempotent call, and of its last one. */
export interface IdempotencyMarks {
  effected(manager: EntityManager): Promise<void>;
  concluded(manager: EntityManager, answer: unknown): Promise<void>;
}

/** The organization in whose share of the database connections something is done; null: in the service's own. */
export type Share = string | null;

export type ImplementationFactory = (context: CallContext) => Implementation;

export class CallContexts {
  readonly #listeners: (() => void)[] = [];
  readonly #shares: Semaphore;

  /** Half of the data source's connections are the most that one organization's calls may hold in transactions. */
  constructor(
    private readonly service: string,
    private readonly dataSource: DataSource,
    private readonly wakePublisher: () => void,
    private readonly live: Pick<LiveUpdates, 'publish'> | null = null,
  ) {
    const { poolSize = Infinity } = dataSource.options;
    this.#shares = new Semaphore({ limit: Infinity, limitPerKey: Math.ceil(poolSize / 2) });
  }

  /**
   * Registers a callback for this process's commits for calls and events; without one, only other processes can have
   * left work.
   */
  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Says that something was written without a transaction of these. */
  noteCommit(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * Statements without BEGIN; `transaction` opens one.
   * @param share the organization within whose share of connections transactions stay, if they do
   */
  plain(share: Share = null): CallContext {
    return {
      manager: this.dataSource.manager,
      outbox: new Outbox(this.service),
      transaction: (work) => this.callTransaction(work, share),
      conclude: (work) => this.callTransaction(work, share),
    };
  }

  /**
   * The same for an idempotent call: each of its transactions ends with a mark, so that its commits are recorded even
   * when the process ends before the call does.
   */
  marked({ effected, concluded }: IdempotencyMarks, share: Share = null): CallContext {
    const ending =
      (mark: IdempotencyMarks['concluded']): CallContext['transaction'] =>
      (work) =>
        this.callTransaction(async (context) => {
          const result = await work(context);
          await mark(context.manager, result);
          return result;
        }, share);
    return { ...this.plain(share), transaction: ending(effected), conclude: ending(concluded) };
  }

  /**
   * The same for calls: one that finds a name or an address taken at this very moment by another is undone and carried out
   * once more, and then refuses by its own rule.
   */
  async callTransaction<T>(work: (context: CallContext) => Promise<T>, share: Share = null): Promise<T> {
    const attempt = () =>
      this.transaction(work).catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        return this.transaction(work);
      });
    return share === null ? await attempt() : await this.#shares.run({ key: share }, attempt);
  }

  /** Runs `work` in a transaction, writes its events in it, and wakes the outbox publisher once it is committed. */
  async transaction<T>(work: (context: CallContext) => Promise<T>): Promise<T> {
    const outbox = new Outbox(this.service);
    let wrote = false;
    const result = await this.dataSource.transaction(async (manager) => {
      const context: CallContext = {
        manager,
        outbox,
        transaction: (inner) => inner(context),
        conclude: (inner) => inner(context),
      };
      const answer = await work(context);
      wrote = await outbox.flush(manager);
      return answer;
    });
    this.noteCommit();
    for (const update of outbox.updates) this.live?.publish(update);
    if (wrote) this.wakePublisher();
    return result;
  }
}
