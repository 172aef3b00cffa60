/**
 * Keeps the results used last, bounded by size.
 * @param sizeMax what all results may have together, in the unit of `sizeOf`; a larger one is not kept
 */
export class SizedCache<K, V> {
  readonly #kept = new Map<K, { value: V; size: number }>();
  #size = 0;
  #evictions = 0;

  constructor(
    private readonly sizeMax: number,
    private readonly sizeOf: (value: V, key: K) => number,
  ) {}

  get size(): number {
    return this.#size;
  }

  /** How many results made room for others since the start. */
  get evictions(): number {
    return this.#evictions;
  }

  get(key: K): V | undefined {
    const found = this.#kept.get(key);
    if (!found) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const size = this.sizeOf(value, key);
    if (size > this.sizeMax) return;
    this.#kept.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.sizeMax) return;
      this.delete(oldest);
      this.#evictions += 1;
    }
  }

  delete(key: K): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}
