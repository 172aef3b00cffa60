import type { ServiceBus } from '#bus';
import { RemoteFailure } from '#tool-call';

/** Changes are broadcast; this bounds how long a lost broadcast can be felt. */
const freshMs = 30_000;
const keptMax = 10_000;

interface Kept<T> {
  answer: T;
  until: number;
  disconnects: number;
}

/** Caches another service's answers for a short while; an answer is dropped when its owner broadcasts a change. */
export class ResponseCache<T> {
  readonly #kept = new Map<string, Kept<T>>();
  #changes = 0;

  constructor(private readonly bus: Pick<ServiceBus, 'disconnects'>) {}

  /**
   * @param ask calls the owner; a null answer is not kept
   * @throws RemoteFailure when the owner does not answer and no answer is cached
   */
  async find(key: string, ask: () => Promise<T>): Promise<T>;
  async find(key: string, ask: () => Promise<T | null>): Promise<T | null>;
  async find(key: string, ask: () => Promise<T | null>): Promise<T | null> {
    const { disconnects } = this.bus;
    const kept = this.#kept.get(key);
    if (kept && kept.until > performance.now() && kept.disconnects === disconnects) return kept.answer;
    const changes = this.#changes;
    try {
      const answer = await ask();
      // An answer requested before a change is not kept after it.
      if (answer === null) this.#kept.delete(key);
      else if (changes === this.#changes) this.#keep(key, { answer, until: performance.now() + freshMs, disconnects });
      return answer;
    } catch (error) {
      // While the owner is down for a moment, callers with a cached answer continue.
      if (kept && error instanceof RemoteFailure && error.failure.code !== 'NOT_FOUND') return kept.answer;
      throw error;
    }
  }

  forget(key: string): void {
    this.#changes += 1;
    this.#kept.delete(key);
  }

  #keep(key: string, entry: Kept<T>): void {
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    if (this.#kept.size > keptMax) this.#kept.delete(this.#kept.keys().next().value!);
  }
}
