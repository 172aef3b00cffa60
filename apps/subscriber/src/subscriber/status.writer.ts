import type { EventData } from '#contracts';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import { ChangeRecorder } from './change.recorder.js';
import type { RecorderOptions } from './change.recorder.js';
import { nextStatus } from './subscriber.js';
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

  /** Works from every state; marks stay. @returns the person afterwards and whether anything changed; null for nobody */
  async unsubscribe(
    subscriberId: string,
    by: UnsubscribedBy,
    options: StatusOptions,
  ): Promise<{ person: SubscriberState; changed: boolean } | null> {
    const before = await this.#people.lockById(options.organizationId, subscriberId);
    if (!before || before.status === 'UNSUBSCRIBED') return before && { person: before, changed: false };
    const person = { ...before, status: 'UNSUBSCRIBED' as const };
    await this.#people.updateUnsubscribed(options.organizationId, subscriberId, {
      reason: by.reason,
      now: options.now,
    });
    const recorder = this.#recorder(options);
    recorder.status(before.status, person.status);
    recorder.unsubscribed(person, by);
    await recorder.save();
    return { person, changed: true };
  }

  /** Only an UNSUBSCRIBED person without a mark comes back; others stay as they are. @returns null for nobody */
  async resubscribe(
    subscriberId: string,
    source: string,
    options: StatusOptions,
  ): Promise<{ person: SubscriberState; changed: boolean } | null> {
    const before = await this.#people.lockById(options.organizationId, subscriberId);
    if (!before) return null;
    const status = nextStatus(before, { resubscribe: true, skipDoubleOptIn: false, doubleOptIn: true });
    if (before.status !== 'UNSUBSCRIBED' || status === before.status) return { person: before, changed: false };
    const person = { ...before, status };
    const update = { ...person, statusChanged: true, confirmationDue: false };
    await this.#people.update(options.organizationId, [update], options.now);
    const recorder = this.#recorder(options);
    recorder.status(before.status, status);
    recorder.subscribed(person, source);
    await recorder.save();
    return { person, changed: true };
  }

  #recorder(options: StatusOptions): ChangeRecorder {
    return new ChangeRecorder({ ...options, sql: this.sql, outbox: this.outbox });
  }
}
