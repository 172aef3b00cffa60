import { randomUUID } from 'node:crypto';
import type { Caller } from '#tool-call';

/** A caller as it travels: durations on the sender's monotonic clock, which no adjustment of its wall clock moves. */
interface SentCaller extends Omit<Caller, 'now'> {
  now: string;
  /** Absent from senders of an older version. */
  sent?: {
    /** Which process sent it, since each has a monotonic clock of its own. */
    process: string;
    atMs: number;
    remainingMs: number;
    /** Milliseconds between the start of the call and `atMs`. */
    ageMs: number;
  };
}

const processId = randomUUID();
/** More senders than one installation has; the one that was silent longest is forgotten. */
const sendersMax = 1_000;
/** A clock that runs slower than ours by 200 ppm gains 60 ms in that time. */
const windowMs = 300_000;

export function writeCaller(caller: Caller): string {
  const sent: SentCaller['sent'] = {
    process: processId,
    atMs: performance.now(),
    remainingMs: caller.deadline - Date.now(),
    ageMs: Date.now() - caller.now.getTime(),
  };
  return JSON.stringify({ ...caller, sent });
}

/**
 * Deadline and instant are converted to this process's clock, so that any offset between two clocks is harmless. The
 * offset of a sender's monotonic clock comes from its fastest request within some minutes.
 */
export class CallerReader {
  readonly #senders = new Map<string, FastestTransit>();

  constructor(
    private readonly wallMs: () => number = Date.now,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** @param text what `writeCaller` wrote, or the header of an older version, whose instants are taken as they are */
  read(text: string): Caller {
    const { sent, ...caller } = JSON.parse(text) as SentCaller;
    if (!sent) return { ...caller, now: new Date(caller.now) };
    const wallMs = this.wallMs();
    const transitMs = this.#senderOf(sent.process).transitMs(sent.atMs, this.monotonicMs());
    const deadline = wallMs + sent.remainingMs - transitMs;
    return { ...caller, deadline, now: new Date(wallMs - sent.ageMs - transitMs) };
  }

  #senderOf(process: string): FastestTransit {
    const sender = this.#senders.get(process) ?? new FastestTransit();
    this.#senders.delete(process);
    this.#senders.set(process, sender);
    if (this.#senders.size > sendersMax) this.#senders.delete(this.#senders.keys().next().value!);
    return sender;
  }
}

/** The smallest difference between two monotonic clocks that was seen lately, and how much later a message came. */
class FastestTransit {
  #current = Infinity;
  #previous = Infinity;
  #windowEndsMs = -Infinity;

  transitMs(sentMs: number, receivedMs: number): number {
    if (receivedMs >= this.#windowEndsMs) {
      this.#previous = receivedMs >= this.#windowEndsMs + windowMs ? Infinity : this.#current;
      this.#current = Infinity;
      this.#windowEndsMs = receivedMs + windowMs;
    }
    const difference = receivedMs - sentMs;
    this.#current = Math.min(this.#current, difference);
    return difference - Math.min(this.#current, this.#previous);
  }
}
