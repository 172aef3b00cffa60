import { setTimeout as sleep } from 'node:timers/promises';
import { emailKey } from '#email-address';
import type { RenderOutcome } from '../render/render-pool.worker.js';
import type { RenderedHandle } from '../relay/send-thread.worker.js';
import type { RenderRecipient } from '../render/campaign-renderer.js';
import type { Mark, Person } from './chunk.js';

export interface Ready {
  mark: Mark;
  person: Person;
  message: RenderedHandle;
}

/** Deletes a rendered message that is not sent. */
export const dropMessage = ({ message }: Ready): void => message.thread.drop(message);

/** Enough to be worth a thread's attention, few enough that the first are soon there. */
const batchMax = 10;
const retryMs = 250;
/** After this many failures of the thread in a row, another attempt would not help this chunk. */
const failuresMax = 8;

export interface PrefetcherDependencies {
  /** Renders messages on a thread, in the order of the recipients. @throws Error when the thread has ended */
  make(recipients: readonly RenderRecipient[]): Promise<RenderOutcome[]>;
  /** Whether no more may be rendered ahead, since the messages in memory are large. */
  isFull(): boolean;
  made(): void;
  failed(person: Person, reason: string): void;
  stuck(reason: string): void;
}

/** Renders a few messages of a chunk ahead of their delivery attempts, so that no connection waits for a signature. */
export class MessagePrefetcher {
  /** In reverse, so that the next one is at the end. */
  #recipients: Person[];
  #ready: Ready[] = [];
  #rendering = 0;
  #failures = 0;
  #failedAt = -Infinity;

  constructor(
    private readonly parts: PrefetcherDependencies,
    people: readonly Person[],
  ) {
    this.#recipients = [...people].reverse();
  }

  get remaining(): number {
    return this.#recipients.length + this.#rendering + this.#ready.length;
  }

  get ready(): number {
    return this.#ready.length;
  }

  get renderPool(): number {
    return this.#rendering;
  }

  /** Starts rendering messages until `count` are ready or being rendered. */
  makeAhead(count: number): void {
    for (;;) {
      const ahead = this.#ready.length + this.#rendering;
      const size = Math.min(batchMax, count - ahead, this.#recipients.length);
      if (size <= 0 || (ahead > 0 && this.parts.isFull())) return;
      this.#rendering += size;
      void this.#make(this.#recipients.splice(-size).reverse());
    }
  }

  /**
   * Removes our signature from ready messages if the relay does not want it. Messages that lack it, or whose thread has
   * ended, are rendered again.
   */
  fit(signs: boolean): void {
    this.#ready = this.#ready.filter(({ person, message }) => {
      message.withSignature = signs;
      if (message.thread.isAlive && (message.isSigned || !signs)) return true;
      message.thread.drop(message);
      this.#recipients.push(person);
      return false;
    });
  }

  take(choose: (ready: Ready) => boolean): Ready[] {
    const taken: Ready[] = [];
    this.#ready = this.#ready.filter((ready) => {
      if (!choose(ready)) return true;
      taken.push(ready);
      return false;
    });
    return taken;
  }

  putBack(ready: Ready): void {
    this.#ready.unshift(ready);
  }

  giveUp(): { subscriberId: string; email: string }[] {
    const people = this.#recipients
      .splice(0)
      .map(({ subscriberId, recipient: { email } }) => ({ subscriberId, email }));
    const ready = this.#ready.splice(0).map(({ mark: { subscriberId, email }, message }) => {
      message.thread.drop(message);
      return { subscriberId, email };
    });
    return [...ready, ...people];
  }

  async #make(people: Person[]): Promise<void> {
    const recipients = people.map(({ messageId, subscriberId, address, recipient: { values, shows } }) => ({
      messageId,
      subscriberId,
      address,
      recipient: { values, shows },
    }));
    try {
      const made = await this.parts.make(recipients);
      this.#failures = 0;
      made.forEach((result, place) => this.#keep(people[place]!, recipients[place]!.messageId, result));
    } catch (error) {
      // The thread is at fault, not a recipient; it is started again.
      this.#threadEnded((error as Error).message);
      await sleep(retryMs);
      this.#recipients.push(...people.reverse());
    }
    this.#rendering -= people.length;
    this.parts.made();
  }

  /** Everything that a thread had in hand comes back at once when it ends: that counts as one. */
  #threadEnded(reason: string): void {
    const now = performance.now();
    if (now - this.#failedAt < retryMs / 2) return;
    this.#failedAt = now;
    this.#failures += 1;
    if (this.#failures >= failuresMax) this.parts.stuck(reason);
  }

  #keep(person: Person, messageId: string, result: RenderOutcome): void {
    if ('failure' in result) return this.parts.failed(person, result.failure);
    const { recipient, subscriberId, address, simulated } = person;
    const { subject, message: smtpMessage } = result;
    const mailbox = simulated ? null : emailKey(address);
    this.#ready.push({
      mark: { messageId, subscriberId, email: recipient.email, mailbox, subject },
      person,
      message: smtpMessage,
    });
  }
}
