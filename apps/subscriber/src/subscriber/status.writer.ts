import type { EventData } from '#contracts';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import { HistoryRepository } from '../history/history.repository.js';
import { SubscriberTagRepository } from '../tag/subscriber-tag.repository.js';
import { ChangeRecorder } from './change.recorder.js';
import type { RecorderOptions } from './change.recorder.js';
import { FormerSubscriberRepository } from './former-subscriber.repository.js';
import { canResubscribe, confirmationOutcome, isSubscribed, owesConfirmation, suppressionOf } from './subscriber.js';
import type { SubscriberState } from './subscriber.js';
import { SubscriberRepository } from './subscriber.repository.js';

type StatusOptions = Omit<RecorderOptions, 'sql' | 'outbox'>;
type UnsubscribedBy = Pick<EventData<'subscriber.unsubscribed'>, 'reason' | 'source' | 'campaignId' | 'messageId'>;

/** Takes people out and in again, one at a time, in the caller's transaction. */
export class StatusWriter {
  readonly #people: SubscriberRepository;

  constructor(
    private readonly sql: Sql,
    private readonly outbox: Outbox,
  ) {
    this.#people = new SubscriberRepository(sql);
  }

  /**
   * Works from every state; marks stay. Who was deleted meanwhile has left too: their address is marked.
   * @returns the person afterwards and whether anything changed; null for nobody
   */
  async unsubscribe(
    subscriberId: string,
    by: UnsubscribedBy,
    options: StatusOptions,
  ): Promise<{ person: SubscriberState; changed: boolean } | null> {
    const before = await this.#people.lockById(options.organizationId, subscriberId);
    if (!before) {
      const farewell = { organizationId: options.organizationId, subscriberId, at: options.now.toISOString() };
      await new FormerSubscriberRepository(this.sql).mark('unsubscribed', [farewell]);
      return null;
    }
    if (before.status === 'UNSUBSCRIBED') return { person: before, changed: false };
    const person = { ...before, status: 'UNSUBSCRIBED' as const };
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
    return { person, changed: true };
  }

  /**
   * Unsubscribes at the instant `options.now`, which has passed: a later consent of the subscriber is kept. A call of
   * this moment uses `unsubscribe`, so that clocks which differ cannot undo it.
   */
  async unsubscribeAsOf(subscriberId: string, by: UnsubscribedBy, options: StatusOptions): Promise<void> {
    const { organizationId, now } = options;
    if (await this.#people.lockOptedInAfter(organizationId, subscriberId, now)) return;
    await this.unsubscribe(subscriberId, by, options);
  }

  /** Only an UNSUBSCRIBED person without a mark comes back; others stay as they are. @returns null for nobody */
  async resubscribe(
    subscriberId: string,
    source: string,
    options: StatusOptions,
  ): Promise<{ person: SubscriberState; changed: boolean } | null> {
    const before = await this.#people.lockById(options.organizationId, subscriberId);
    if (!before) return null;
    if (!canResubscribe(before)) {
      // An older unsubscription may still wait, and must not undo what the subscriber asks for now.
      if (isSubscribed(before)) await this.#people.updateOptedIn(options.organizationId, subscriberId, options.now);
      return { person: before, changed: false };
    }
    const person = { ...before, status: 'SUBSCRIBED' as const };
    const update = { ...person, statusChanged: true, confirmationDue: false };
    await this.#people.update(options.organizationId, [update], options.now);
    const recorder = this.#recorder(options);
    recorder.status(before.status, person.status);
    recorder.subscribed(person, source);
    await recorder.save();
    return { person, changed: true };
  }

  /**
   * Confirms a pending subscription: SUBSCRIBED comes first, then the triggers of the tags that waited.
   * @returns CONFIRMED also for somebody who is subscribed already
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

  /** Asks for another confirmation message, at most one an hour. @returns whether one is on its way */
  async resendConfirmation(subscriberId: string, { organizationId, now }: StatusOptions): Promise<boolean> {
    const person = await this.#people.lockById(organizationId, subscriberId);
    if (person?.status !== 'PENDING_CONFIRMATION' || suppressionOf(person)) return false;
    if (person.confirmationDue) return true;
    if (!owesConfirmation(person, now)) return false;
    await this.#people.updateConfirmationDue(organizationId, subscriberId, now);
    return true;
  }

  #recorder(options: StatusOptions): ChangeRecorder {
    return new ChangeRecorder({ ...options, sql: this.sql, outbox: this.outbox });
  }
}
