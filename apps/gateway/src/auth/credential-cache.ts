/** Lifetime of a cached credential; changes are broadcast and take effect sooner. */
const cacheTtlMs = 30_000;
/** Lifetime of a cached unknown credential; short, since it may be created right after it was tried. */
const unknownMs = 1_000;
const knownMax = 10_000;
const unknownMax = 1_000;

interface Link {
  readonly connected: boolean;
  /** Grows with each lost connection: a broadcast may have been missed. */
  readonly disconnects: number;
}

interface Entry<F> {
  facts: F | null;
  until: number;
  disconnects: number;
}

/** Caches the facts of tokens or sessions by hash; an entry is valid only while broadcasts of changes can arrive. */
export class CredentialCache<F extends { expiresAt: string | null }> {
  readonly #known = new Map<string, Entry<F>>();
  /** Kept apart, so that guesses cannot evict real credentials. */
  readonly #unknown = new Map<string, Entry<F>>();
  readonly #asking = new Map<string, Promise<F | null>>();
  #changes = 0;

  constructor(
    private readonly link: Link,
    private readonly ask: (hash: string) => Promise<F | null>,
    private readonly now: () => number = Date.now,
  ) {}

  async find(hash: string): Promise<F | null> {
    const entry = this.#known.get(hash) ?? this.#unknown.get(hash);
    const facts = entry && this.#isFresh(entry) ? entry.facts : await this.#askOnce(hash);
    const expired = facts?.expiresAt && Date.parse(facts.expiresAt) <= this.now();
    return expired ? null : facts;
  }

  /** Drops the entries that a change concerns, and all unknown ones. */
  forget(concerns: (facts: F, hash: string) => boolean): void {
    this.#changes += 1;
    this.#asking.clear();
    this.#unknown.clear();
    for (const [hash, { facts }] of this.#known) if (facts && concerns(facts, hash)) this.#known.delete(hash);
  }

  #isFresh({ until, disconnects }: Entry<F>): boolean {
    return until > this.now() && this.link.connected && disconnects === this.link.disconnects;
  }

  #askOnce(hash: string): Promise<F | null> {
    const asked = this.#asking.get(hash);
    if (asked) return asked;
    const asking = this.#ask(hash).finally(() => {
      if (this.#asking.get(hash) === asking) this.#asking.delete(hash);
    });
    this.#asking.set(hash, asking);
    return asking;
  }

  async #ask(hash: string): Promise<F | null> {
    const { disconnects } = this.link;
    const changes = this.#changes;
    const facts = await this.ask(hash);
    // A change may have overtaken this reply: it serves the calls that wait for it, and is not cached.
    if (changes !== this.#changes) return facts;
    this.#known.delete(hash);
    const entry = { facts, until: this.now() + (facts ? cacheTtlMs : unknownMs), disconnects };
    if (facts) keep(this.#known, knownMax, hash, entry);
    else keep(this.#unknown, unknownMax, hash, entry);
    return facts;
  }
}

function keep<E>(map: Map<string, E>, sizeMax: number, key: string, entry: E): void {
  map.delete(key);
  if (map.size >= sizeMax) map.delete(map.keys().next().value!);
  map.set(key, entry);
}
