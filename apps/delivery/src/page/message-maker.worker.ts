import { newUuid } from '#database';
import { emailKey } from '#email-address';
import type { Parcel } from '../message/message.js';
import type { CampaignMail } from '../send/campaign-mail.js';
import type { Person } from './admit-people.js';
import type { Mark } from './page.js';

/** A message ready to be marked and handed over. */
export interface Ready {
  mark: Mark;
  parcel: Parcel;
}

/**
 * Makes the messages of a page a little ahead of their hand-over, so that no connection waits for a signature and no
 * more than a few are in memory.
 */
export class MessageMaker {
  /** In reverse, so that the next one is at the end. */
  #people: Person[];
  #ready: Ready[] = [];
  #making = 0;

  constructor(
    private readonly mail: CampaignMail,
    people: readonly Person[],
    private readonly on: { made(): void; failed(person: Person, error: Error): void },
  ) {
    this.#people = [...people].reverse();
  }

  /** People whose message was not taken yet. */
  get remaining(): number {
    return this.#people.length + this.#making + this.#ready.length;
  }

  get making(): number {
    return this.#making;
  }

  /** Starts making messages until so many are ready or nearly. */
  makeAhead(count: number): void {
    while (this.#ready.length + this.#making < count && this.#people.length > 0) {
      this.#making += 1;
      void this.#make(this.#people.pop()!);
    }
  }

  /** Takes out the ready messages that are chosen, in order. */
  take(choose: (ready: Ready) => boolean): Ready[] {
    const taken: Ready[] = [];
    this.#ready = this.#ready.filter((ready) => {
      if (!choose(ready)) return true;
      taken.push(ready);
      return false;
    });
    return taken;
  }

  /** Takes a message back that was not handed over. */
  putBack(ready: Ready): void {
    this.#ready.unshift(ready);
  }

  /** Gives up everybody who is not being made at this moment. */
  giveUp(): { subscriberId: string; email: string }[] {
    const people = this.#people.splice(0).map(({ subscriberId, recipient: { email } }) => ({ subscriberId, email }));
    return [...this.#ready.splice(0).map(({ mark: { subscriberId, email } }) => ({ subscriberId, email })), ...people];
  }

  async #make(person: Person): Promise<void> {
    const { recipient, subscriberId, address, simulated } = person;
    const messageId = newUuid();
    try {
      const addressee = { messageId, subscriberId, address, recipient };
      const { parcel, subject } = await this.mail.make(addressee, new Date(Date.now()));
      const mailbox = simulated ? null : emailKey(address);
      this.#ready.push({ mark: { messageId, subscriberId, email: recipient.email, mailbox, subject }, parcel });
    } catch (error) {
      this.on.failed(person, error as Error);
    }
    this.#making -= 1;
    this.on.made();
  }
}
