import { createHash } from 'node:crypto';
import type { Total } from './subscriber-view.repository.js';

/** Milliseconds for which the pages of a list show the total of its first page. */
const freshMs = 60_000;
const keptMax = 10_000;

/** Totals of lists: counted for the first page, and shown again on the following ones. */
export class TotalCache {
  readonly #known = new Map<string, { total: Total; until: number }>();

  /**
   * @param asked what makes two calls pages of one list
   * @param count counts now; asked for the first page, and where nothing fresh is known
   */
  async of(asked: unknown, { first, count }: { first: boolean; count: () => Promise<Total> }): Promise<Total> {
    // Filters may have a megabyte.
    const key = createHash('sha256').update(JSON.stringify(asked)).digest('base64');
    const known = this.#known.get(key);
    if (!first && known && known.until > performance.now()) return known.total;
    const total = await count();
    this.#known.delete(key);
    this.#known.set(key, { total, until: performance.now() + freshMs });
    const oldest = this.#known.keys().next();
    if (this.#known.size > keptMax && !oldest.done) this.#known.delete(oldest.value);
    return total;
  }
}
