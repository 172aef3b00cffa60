import type { DomainEvent } from '#contracts';
import type { Sql } from '#database';
import type { HashAddress } from '#link-token';
import { FormerSubscriberRepository } from '../subscriber/former-subscriber.repository.js';
import type { SuppressionEntry } from '../subscriber/former-subscriber.repository.js';
import { addressOf } from '../subscriber/profile.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import { SuccessorService } from '../subscriber/successor.service.js';

type Complaint = DomainEvent<'message.complained'>;
type Bounced = DomainEvent<'message.bounced'>;
type Event = Complaint | Bounced;

/** The key of the mailbox that an event names; null for a text that is no valid address. */
export function keyOf(email: string): string | null {
  const read = addressOf(email);
  return read.ok ? read.address.emailKey : null;
}

/**
 * Applies answers to old mail: complaints to the successor of a deleted subscriber, hard bounces to the subscriber that
 * has the address now. If no subscriber has it, the address gets a suppression entry.
 */
export class PastMailService {
  readonly #former: FormerSubscriberRepository;
  readonly #subscribers: SubscriberRepository;
  readonly #successors: SuccessorService;

  constructor(
    sql: Sql,
    private readonly hashAddress: HashAddress,
  ) {
    this.#former = new FormerSubscriberRepository(sql);
    this.#subscribers = new SubscriberRepository(sql);
    this.#successors = new SuccessorService(sql);
  }

  /** @returns the complaints about mail of deleted subscribers, readdressed to their successors, who are locked */
  async redirectComplaints(events: readonly Complaint[]): Promise<Complaint[]> {
    const marks: SuppressionEntry[] = [];
    const redirected: Complaint[] = [];
    for (const event of inOrder(events)) {
      const { organizationId, data } = event;
      const at = new Date(data.at);
      const concerned = await this.#successors.find(
        organizationId,
        data.subscriberId!,
        ({ reactivatedAt }) => reactivatedAt !== null && at < reactivatedAt,
      );
      if (!concerned) continue;
      if ('addressHashes' in concerned) {
        marks.push(...concerned.addressHashes.map((addressHash) => ({ organizationId, addressHash, at: data.at })));
      } else if (concerned.isSuccessor) redirected.push(addressedTo(event, concerned.subscriber.id));
    }
    await this.#former.upsertMarks('complained', marks);
    return redirected;
  }

  /**
   * @returns hard bounces of addresses that the recipients no longer have, readdressed to the subscribers that have
   * them now, who are locked
   */
  async redirectHardBounces(events: readonly Bounced[]): Promise<Bounced[]> {
    const marks: SuppressionEntry[] = [];
    const redirected: Bounced[] = [];
    const isOwn = await this.#ownAddresses(events);
    for (const event of inOrder(events)) {
      if (isOwn(event)) continue;
      const { organizationId, data } = event;
      const emailKey = keyOf(data.email);
      const addressHash = emailKey === null ? data.addressHash : this.hashAddress(organizationId, emailKey);
      if (addressHash === undefined) continue;
      const { holder, address } = await this.#successors.findHolder(organizationId, { emailKey, addressHash });
      const isOutdated = address?.reactivatedAt && new Date(data.at) < address.reactivatedAt;
      if (isOutdated) continue;
      if (holder) redirected.push(addressedTo(event, holder.id, holder.email));
      else marks.push({ organizationId, addressHash, at: data.at });
    }
    await this.#former.upsertMarks('hard_bounced', marks);
    return redirected;
  }

  async #ownAddresses(events: readonly Bounced[]): Promise<(event: Bounced) => boolean> {
    const addresses = events.flatMap(({ organizationId, data: { subscriberId, email } }) => {
      const emailKey = keyOf(email);
      return emailKey === null ? [] : [{ organizationId, subscriberId: subscriberId!, emailKey }];
    });
    const held = await this.#subscribers.lockHolders(addresses);
    return ({ data: { subscriberId, email } }) => held.get(subscriberId!) === keyOf(email);
  }
}

/** Sorts by subscriber id, the order of every lock of several subscribers. */
const inOrder = <E extends Event>(events: readonly E[]): E[] =>
  [...events].sort((a, b) => (a.data.subscriberId! < b.data.subscriberId! ? -1 : 1));

const addressedTo = <E extends Event>(event: E, subscriberId: string, email = event.data.email): E => ({
  ...event,
  data: { ...event.data, subscriberId, email, campaignId: null },
});
