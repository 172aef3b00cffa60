import type { EventData } from '#contracts';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import { HistoryRepository } from '../history/history.repository.js';
import { SubscriberTagRepository } from '../tag/subscriber-tag.repository.js';
import { SubscriberChangeService } from './subscriber-change.service.js';
import type { RecorderOptions } from './subscriber-change.service.js';
import { FormerSubscriberRepository } from './former-subscriber.repository.js';
import { canResubscribe, confirmationOutcome, owesConfirmation, suppressionOf } from './subscriber.js';
import type { SubscriberState } from './subscriber.js';
import { SubscriberRepository } from './subscriber.repository.js';
import { SuccessorService } from './successor.service.js';

type StatusOptions = Omit<RecorderOptions, 'sql' | 'outbox'>;
type UnsubscribedBy = Pick<EventData<'subscriber.unsubscribed'>, 'reason' | 'source' | 'campaignId' | 'messageId'>;

type Consented = Pick<SubscriberState, 'optedInAt'>;

/** The effect of a choice on a subscriber; `person` is the state afterwards. */
interface StatusChange {
  person: SubscriberState;
  changed: boolean;
  /** Whether it is the successor of the named subscriber. */
  isSuccessor: boolean;
}

/** Unsubscribes, resubscribes and confirms single subscribers, in the caller's transaction. */
export class StatusService {
  readonly #people: SubscriberRepository;

  constructor(
    private readonly sql: Sql,
    private readonly outbox: Outbox,
  ) {
    this.#people = new SubscriberRepository(sql);
  }

  /**
   * Unsubscribes from every status; suppression entries stay. A choice that answers mail of a deleted subscriber
   * applies to the successor; without one it marks the address.
   */
  async unsubscribe(subscriberId: string, by: UnsubscribedBy, options: StatusOptions): Promise<StatusChange | null> {
    return await this.#apply(subscriberId, by, options, () => false);
  }

  /**
   * Unsubscribes at the instant `options.now`, which has passed: a later consent is kept. Immediate calls use
   * `unsubscribe`, so that differing clocks cannot undo them.
   */
  async unsubscribeAsOf(subscriberId: string, by: UnsubscribedBy, options: StatusOptions): Promise<void> {
    const isOverruled = ({ optedInAt }: Consented) => optedInAt !== null && options.now < optedInAt;
    await this.#apply(subscriberId, by, options, isOverruled);
  }

  async #apply(
    subscriberId: string,
    by: UnsubscribedBy,
    options: StatusOptions,
    isOverruled: (subscriber: Consented) => boolean,
  ): Promise<StatusChange | null> {
    const { organizationId, now } = options;
    const concerned = await new SuccessorService(this.sql).find(organizationId, subscriberId, isOverruled);
    if (!concerned) return null;
    if ('addressHashes' in concerned) {
      const mark = { organizationId, at: now.toISOString() };
      const marks = concerned.addressHashes.map((addressHash) => ({ ...mark, addressHash }));
      await new FormerSubscriberRepository(this.sql).upsertMarks('unsubscribed', marks);
      return null;
    }
    const { subscriber: before, isSuccessor } = concerned;
    if (before.status === 'UNSUBSCRIBED' || isOverruled(before)) return { person: before, changed: false, isSuccessor };
    const person = await this.#unsubscribe(before, isSuccessor ? { ...by, source: 'former' } : by, options);
    return { person, changed: true, isSuccessor };
  }

  async #unsubscribe(before: SubscriberState, by: UnsubscribedBy, options: StatusOptions): Promise<SubscriberState> {
    const { id: subscriberId } = before;
    const marks = { ...before.marks, hardBounced: before.marks.hardBounced || before.status === 'BOUNCED' };
    const person = { ...before, status: 'UNSUBSCRIBED' as const, marks };
    await this.#people.updateUnsubscribed(options.organizationId, subscriberId, {
      reason: by.reason,
      now: options.now,
    });
    const { campaignId } = by;
    const again =
      campaignId !== null &&
      (await new HistoryRepository(this.sql).hasLeftBy(options.organizationId, subscriberId, campaignId));
    const recorder = this.#recorder(options);
    recorder.status(before.status, person.status);
    recorder.unsubscribed(person, { ...by, ...(again && { again }) });
    await recorder.save();
    return person;
  }

  /**
   * Resubscribes an UNSUBSCRIBED subscriber without a suppression entry; others stay as they are. The link of a deleted
   * subscriber applies to the successor.
   */
  async resubscribe(subscriberId: string, source: string, options: StatusOptions): Promise<StatusChange | null> {
    const { organizationId, now } = options;
    const concerned = await new SuccessorService(this.sql).find(organizationId, subscriberId, () => false);
    if (!concerned || 'addressHashes' in concerned) return null;
    const { subscriber: before, isSuccessor } = concerned;
    await this.#people.updateOptedIn(organizationId, [before.id], now);
    if (!canResubscribe(before)) return { person: before, changed: false, isSuccessor };
    const person = { ...before, status: 'SUBSCRIBED' as const };
    const update = { ...person, statusChanged: true, confirmationDue: false };
    await this.#people.update(organizationId, [update], now);
    const recorder = this.#recorder(options);
    recorder.status(before.status, person.status);
    recorder.subscribed(person, source);
    await recorder.save();
    return { person, changed: true, isSuccessor };
  }

  /**
   * Confirms a pending subscription: SUBSCRIBED comes first, then the triggers of the tags that waited.
   * @returns CONFIRMED also for a subscriber who is SUBSCRIBED already
   */
  async confirm(
    subscriberId: string,
    { linkMadeAt, ...evidence }: { linkMadeAt: Date; ip: string | null; userAgent: string | null },
    options: StatusOptions,
  ): Promise<{ outcome: 'CONFIRMED' | 'EXPIRED' | 'NOT_PENDING'; email: string | null }> {
    const { organizationId, now } = options;
    const before = await this.#people.lockById(organizationId, subscriberId);
    const outcome = confirmationOutcome(before, linkMadeAt, now);
    if (outcome !== 'CONFIRM') return { outcome, email: before?.email ?? null };
    const person = { ...before!, status: 'SUBSCRIBED' as const };
    await this.#people.updateConfirmed(organizationId, subscriberId, { ...evidence, now });
    const recorder = this.#recorder(options);
    recorder.status(before!.status, person.status);
    recorder.subscribed(person, 'confirmation');
    const held = await new SubscriberTagRepository(this.sql).listOf(organizationId, [subscriberId]);
    for (const { tagId, tagName } of held) {
      if (before!.withheldTags.includes(tagId)) recorder.withheldTagReleased(person, { id: tagId, name: tagName });
    }
    await recorder.save();
    return { outcome: 'CONFIRMED', email: person.email };
  }

  /** Requests another confirmation message, at most one an hour. @returns whether one is due */
  async resendConfirmation(subscriberId: string, { organizationId, now }: StatusOptions): Promise<boolean> {
    const person = await this.#people.lockById(organizationId, subscriberId);
    if (person?.status !== 'PENDING_CONFIRMATION' || suppressionOf(person)) return false;
    if (person.confirmationDue) return true;
    if (!owesConfirmation(person, now)) return false;
    await this.#people.updateConfirmationDue(organizationId, subscriberId, now);
    return true;
  }

  #recorder(options: StatusOptions): SubscriberChangeService {
    return new SubscriberChangeService({ ...options, sql: this.sql, outbox: this.outbox });
  }
}
