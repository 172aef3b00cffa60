import type { LiveUpdate } from '#contracts';

/** Milliseconds between two updates of one name and record. */
const intervalMs = 1_000;
/** Reading the numbers of an update takes at most this share of the time. */
const readShare = 1 / 20;

export type NewLiveUpdate = Omit<LiveUpdate, 'at'>;

type ReadNumbers = () => Promise<LiveUpdate['numbers'] | null>;

interface Recent {
  timer: NodeJS.Timeout | null;
  waiting: (() => void | Promise<void>) | null;
}

/** Publishes updates of records for those who watch them: at most one a second and record, and always the last. */
export class LiveUpdates {
  readonly #recent = new Map<string, Recent>();

  constructor(private readonly send: (update: LiveUpdate) => void) {}

  /** Publishes without waiting; call it after the commit, since watchers read the record at once. */
  publish(update: NewLiveUpdate): void {
    const current = { ...update, at: new Date().toISOString() };
    this.#schedule(update, () => this.send(current));
  }

  /**
   * Publishes an update with numbers that are read when it is sent, seldom enough to cost little.
   * @param read null when the record is gone; after an error it is called once more, and then the update is dropped
   */
  publishNumbers(update: NewLiveUpdate, read: ReadNumbers): void {
    this.#schedule(update, () => this.#sendNumbers(update, read, true));
  }

  async flush(): Promise<void> {
    const waiting = [...this.#recent.values()].map((recent) => {
      if (recent.timer) clearTimeout(recent.timer);
      return recent.waiting?.();
    });
    this.#recent.clear();
    await Promise.all(waiting);
  }

  async #sendNumbers(update: NewLiveUpdate, read: ReadNumbers, isFirst: boolean): Promise<void> {
    try {
      const numbers = await read();
      if (numbers) this.send({ ...update, numbers, at: new Date().toISOString() });
    } catch (error) {
      const recent = this.#recent.get(keyOf(update));
      if (!isFirst || !recent) throw error;
      // A newer update replaces the failed one anyway.
      recent.waiting ??= () => this.#sendNumbers(update, read, false);
    }
  }

  #schedule(update: NewLiveUpdate, work: () => void | Promise<void>): void {
    const key = keyOf(update);
    const recent = this.#recent.get(key);
    if (recent) recent.waiting = work;
    else void this.#run(key, work);
  }

  async #run(key: string, work: () => void | Promise<void>): Promise<void> {
    const recent: Recent = { timer: null, waiting: null };
    this.#recent.set(key, recent);
    const startedAt = performance.now();
    // An update is a hint: a lost connection must not end the process.
    await Promise.resolve()
      .then(work)
      .catch(() => undefined);
    if (this.#recent.get(key) !== recent) return;
    const waitMs = Math.max(intervalMs, (performance.now() - startedAt) / readShare);
    recent.timer = setTimeout(() => {
      if (recent.waiting) void this.#run(key, recent.waiting);
      else this.#recent.delete(key);
    }, waitMs).unref();
  }
}

const keyOf = ({ name, organization, id }: NewLiveUpdate): string => `${name} ${organization} ${id}`;
