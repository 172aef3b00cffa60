import { liveNounOf } from '#contracts';
import type { LiveNoun, LiveUpdate } from '#contracts';

/** Milliseconds between two deliveries of one update and record. */
const intervalMs = 1_000;

export interface LiveEvent {
  organization: string;
  noun: LiveNoun;
  /** Its text without the id (WHATWG HTML, section 9.2.6). */
  text: string;
}

interface Entry {
  sequence: number;
  atMs: number;
  deliveredMs: number | null;
  event: LiveEvent;
}

/** What a stream is sent after a break: what followed, or that the client must read everything again. */
export type Replay = { reset: false; events: LiveEvent[] } | { reset: true };

export interface LiveTailOptions {
  deliver: (event: LiveEvent) => void;
  maxAgeMs: number;
  now?: () => number;
}

/**
 * Keeps the newest update of each name and record of the stream `ui` and delivers at most one a second of each, always
 * the last. A position is the stream's birth and a sequence up to which everything was delivered, so that it means the
 * same on every gateway.
 */
export class LiveTail {
  #birth = '';
  #seen = 0;
  /** Updates up to this sequence may be missing here. */
  #floor = 0;
  readonly #newest = new Map<string, Entry>();
  /** The keys of updates that wait for their second to end, in the order of their sequences. */
  readonly #held = new Map<string, NodeJS.Timeout>();
  readonly #now: () => number;

  constructor(private readonly options: LiveTailOptions) {
    this.#now = options.now ?? Date.now;
  }

  get seen(): number {
    return this.#seen;
  }

  get birth(): string {
    return this.#birth;
  }

  /** The position of everything delivered so far, as the id of an event. */
  get position(): string {
    const first = this.#held.keys().next();
    return `${this.#birth}-${first.done ? this.#seen : this.#newest.get(first.value)!.sequence - 1}`;
  }

  /** Begins with a stream, or with one that has lost its updates. @param floor the sequence before its first message */
  restart(birth: string, floor: number): void {
    for (const timer of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
    this.#newest.clear();
    this.#birth = birth;
    this.#floor = this.#seen = floor;
  }

  /** Takes a message of the stream; `null` for one that is no update. */
  add(sequence: number, atMs: number, update: LiveUpdate | null): void {
    this.#seen = sequence;
    if (!update) return;
    const key = `${update.name} ${update.organization} ${update.id}`;
    const before = this.#newest.get(key);
    this.#newest.delete(key);
    const entry: Entry = { sequence, atMs, deliveredMs: before?.deliveredMs ?? null, event: liveEventOf(update) };
    this.#newest.set(key, entry);
    const waitMs = (entry.deliveredMs ?? -Infinity) + intervalMs - this.#now();
    const held = this.#held.get(key);
    if (held) {
      this.#held.delete(key);
      this.#held.set(key, held);
    } else if (waitMs > 0) this.#held.set(key, setTimeout(() => this.#deliver(key), waitMs).unref());
    else this.#deliver(key);
  }

  /** What followed a position, but for what is delivered within a second anyway. */
  replay(position: string): Replay {
    const [birth, after = ''] = position.split('-');
    const sequence = /^\d{1,15}$/.test(after) ? Number(after) : -1;
    if (birth !== this.#birth || sequence < this.#floor) return { reset: true };
    const events = [];
    for (const [key, entry] of this.#newest)
      if (entry.sequence > sequence && !this.#held.has(key)) events.push(entry.event);
    return { reset: false, events };
  }

  prune(): void {
    const oldest = this.#now() - this.options.maxAgeMs;
    for (const [key, { atMs, sequence }] of this.#newest) {
      if (atMs > oldest || this.#held.has(key)) return;
      this.#newest.delete(key);
      this.#floor = sequence;
    }
  }

  #deliver(key: string): void {
    this.#held.delete(key);
    const entry = this.#newest.get(key)!;
    entry.deliveredMs = this.#now();
    this.options.deliver(entry.event);
  }
}

/** The event of an update: its data name the record, and hold neither content nor addresses. */
function liveEventOf({ name, id, organization, at, by, numbers = {} }: LiveUpdate): LiveEvent {
  const noun = liveNounOf(name);
  const data = JSON.stringify({ noun, id, at, by, organization, numbers });
  return { organization, noun, text: `event: ${name}\ndata: ${data}\n\n` };
}
