import type { TokenFacts } from '#contracts';

/** Lifetime of a cached token; changes are broadcast and take effect sooner. */
const cacheTtlMs = 30_000;
/** Lifetime of a cached unknown token; short, since it may be created right after it was tried. */
const unknownMs = 1_000;
const knownMax = 10_000;
const unknownMax = 1_000;

/** The connection over which token changes are broadcast. */
interface Link {
  readonly connected: boolean;
  /** Grows with each lost connection: a broadcast may have been missed. */
  readonly disconnects: number;
}

interface Entry {
  facts: TokenFacts | null;
  until: number;
  disconnects: number;
}

/** Caches tokens by hash. An entry is valid only while broadcasts of changes can arrive. */
export class TokenCache {
  readonly #known = new Map<string, Entry>();
  /** Kept apart, so that guesses cannot evict real tokens. */
  readonly #unknown = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<TokenFacts | null>>();
  #changes = 0;

  constructor(
    private readonly link: Link,
    private readonly ask: (tokenHash: string) => Promise<TokenFacts | null>,
    private readonly now: () => number = Date.now,
  ) {}

  /** @returns null for a token that is unknown, expired or revoked */
  async find(tokenHash: string): Promise<TokenFacts | null> {
    const entry = this.#known.get(tokenHash) ?? this.#unknown.get(tokenHash);
    const facts = entry && this.#isFresh(entry) ? entry.facts : await this.#askOnce(tokenHash);
    const expired = facts?.expiresAt && Date.parse(facts.expiresAt) <= this.now();
    return expired ? null : facts;
  }

  /** Drops the entries that a change may concern: one token, all of an organization, or all. */
  forget(change: { organizationId?: string; tokenHash?: string }): void {
    this.#changes += 1;
    this.#asking.clear();
    this.#unknown.clear();
    if (change.tokenHash) this.#known.delete(change.tokenHash);
    else if (!change.organizationId) this.#known.clear();
    if (!change.organizationId) return;
    for (const [hash, { facts }] of this.#known) {
      if (facts?.organizationId === change.organizationId) this.#known.delete(hash);
    }
  }

  #isFresh({ until, disconnects }: Entry): boolean {
    return until > this.now() && this.link.connected && disconnects === this.link.disconnects;
  }

  #askOnce(tokenHash: string): Promise<TokenFacts | null> {
    const asked = this.#asking.get(tokenHash);
    if (asked) return asked;
    const asking = this.#ask(tokenHash).finally(() => {
      if (this.#asking.get(tokenHash) === asking) this.#asking.delete(tokenHash);
    });
    this.#asking.set(tokenHash, asking);
    return asking;
  }

  async #ask(tokenHash: string): Promise<TokenFacts | null> {
    const { disconnects } = this.link;
    const changes = this.#changes;
    const facts = await this.ask(tokenHash);
    // A change may have overtaken this reply: it serves the calls that wait for it, and is not cached.
    if (changes !== this.#changes) return facts;
    this.#known.delete(tokenHash);
    const entry = { facts, until: this.now() + (facts ? cacheTtlMs : unknownMs), disconnects };
    if (facts) keep(this.#known, knownMax, tokenHash, entry);
    else keep(this.#unknown, unknownMax, tokenHash, entry);
    return facts;
  }
}

/** Adds an entry; drops the oldest when the map is full. */
function keep(map: Map<string, Entry>, sizeMax: number, key: string, entry: Entry): void {
  map.delete(key);
  if (map.size >= sizeMax) map.delete(map.keys().next().value!);
  map.set(key, entry);
}
