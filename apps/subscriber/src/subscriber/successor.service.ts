import type { Sql } from '#database';
import { FormerSubscriberRepository } from './former-subscriber.repository.js';
import type { FormerAddress, FormerSubscriber } from './former-subscriber.repository.js';
import { SubscriberRepository } from './subscriber.repository.js';
import type { KeyedState } from './subscriber.repository.js';

/** The subject of an answer to mail: the locked subscriber or successor, or addresses that no subscriber has. */
export type Concerned = { subscriber: KeyedState; isSuccessor: boolean } | { addressHashes: string[] };

export class SuccessorService {
  readonly #former: FormerSubscriberRepository;
  readonly #subscribers: SubscriberRepository;

  constructor(sql: Sql) {
    this.#former = new FormerSubscriberRepository(sql);
    this.#subscribers = new SubscriberRepository(sql);
  }

  /**
   * Finds the subscriber, or the successor of a deleted one: who came with the address; if that one is gone too, who has
   * the address now, or else the successor's own successor.
   * @param isOverruled whether a former subscriber undid the answer before the deletion
   * @returns null when the answer changes nothing: it is overruled, or the subscriber is unknown
   */
  async find(
    organizationId: string,
    subscriberId: string,
    isOverruled: (former: FormerSubscriber) => boolean,
  ): Promise<Concerned | null> {
    const subscriber = await this.#subscribers.lockById(organizationId, subscriberId);
    if (subscriber) return { subscriber, isSuccessor: false };
    const addressHashes: string[] = [];
    for (let id: string | null = subscriberId; id !== null;) {
      const former = await this.#former.lockById(organizationId, id);
      if (!former) break;
      if (isOverruled(former)) return null;
      const successor =
        (former.successorId && (await this.#subscribers.lockById(organizationId, former.successorId))) ||
        (await this.#holderOf(organizationId, await this.#former.findAddress(organizationId, former.addressHash)));
      if (successor) return { subscriber: successor, isSuccessor: true };
      addressHashes.push(former.addressHash);
      id = former.successorId;
    }
    return addressHashes.length > 0 ? { addressHashes } : null;
  }

  /**
   * Locks the subscriber who has an address now.
   * @param emailKey null where only the hash is available, which finds only addresses that a subscriber has left before
   * @returns also the former address, if any; a null `holder` when no subscriber has it
   */
  async findHolder(
    organizationId: string,
    { emailKey, addressHash }: { emailKey: string | null; addressHash: string },
  ): Promise<{ holder: KeyedState | null; address: FormerAddress | null }> {
    // The subscriber before the address, in the order of a rename's locks.
    const known = emailKey === null ? null : await this.#holderByKey(organizationId, emailKey);
    const address = await this.#former.lockAddress(organizationId, addressHash);
    return { holder: known ?? (await this.#holderOf(organizationId, address)), address };
  }

  async #holderByKey(organizationId: string, emailKey: string): Promise<KeyedState | null> {
    return (await this.#subscribers.lockByKeys(organizationId, [emailKey])).get(emailKey) ?? null;
  }

  async #holderOf(organizationId: string, address: FormerAddress | null): Promise<KeyedState | null> {
    return address?.holderId ? await this.#subscribers.lockById(organizationId, address.holderId) : null;
  }
}
