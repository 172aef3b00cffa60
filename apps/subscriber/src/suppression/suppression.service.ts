import type { SubscriberStatus } from '#contracts';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import type { HashAddress } from '#link-token';
import { HistoryRepository } from '../history/history.repository.js';
import { SubscriberChangeService } from '../subscriber/subscriber-change.service.js';
import type { RecorderOptions } from '../subscriber/subscriber-change.service.js';
import type { Address } from '../subscriber/profile.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import { needsReactivation } from './suppression.js';
import { reviewSuppression } from './suppression-review.js';
import type { ReviewPage } from './suppression-review.js';
import { SuppressionRepository } from './suppression.repository.js';

type ChangeOptions = Omit<RecorderOptions, 'sql' | 'outbox' | 'triggerWorkflows'>;

export class SuppressionService {
  readonly #people: SubscriberRepository;
  readonly #suppressions: SuppressionRepository;

  constructor(
    private readonly sql: Sql,
    private readonly outbox: Outbox,
    private readonly hashAddress: HashAddress,
  ) {
    this.#people = new SubscriberRepository(sql);
    this.#suppressions = new SuppressionRepository(sql);
  }

  /**
   * Decision: a reactivation starts no workflow; the person signed up long ago.
   * @returns false when there is no such subscriber
   * @throws ToolError SUBSCRIBER_BANNED, SUBSCRIBER_NOT_SUPPRESSED, SUBSCRIBER_HARD_BOUNCED
   */
  async reactivate(subscriberId: string, force: boolean, options: ChangeOptions): Promise<boolean> {
    const { organizationId, now } = options;
    const before = await this.#people.lockById(organizationId, subscriberId);
    if (!before) return false;
    const bounce = await this.#suppressions.getLastBounce(organizationId, subscriberId);
    if (!needsReactivation(before, bounce, force)) return true;
    const addressHash = this.hashAddress(organizationId, before.emailKey);
    await this.#suppressions.updateReactivated(organizationId, subscriberId, { addressHash, now });
    const recorder = this.#recorder(options);
    recorder.status(before.status, 'SUBSCRIBED');
    recorder.subscribed({ ...before, status: 'SUBSCRIBED' }, 'reactivation');
    await recorder.save();
    return true;
  }

  /**
   * Reviews a page of the subscribers that soft bounces suppressed. It starts no workflow and counts as no
   * subscription.
   * @param apply without it nothing changes
   */
  async review(
    { after, limit, apply }: { after: string | null; limit: number; apply: boolean },
    options: ChangeOptions,
  ): Promise<ReviewPage> {
    const { organizationId, now } = options;
    const page = await this.#suppressions.listSoftSuppressed(organizationId, { after, limit, lock: apply });
    const kept: Record<string, number> = {};
    const restored = page.flatMap(({ id: subscriberId, email, ...subscriber }) => {
      const review = reviewSuppression(subscriber);
      if (review.kept === null) return [{ subscriberId, email, status: review.status, causes: review.causes }];
      kept[review.kept] = (kept[review.kept] ?? 0) + 1;
      return [];
    });
    if (apply && restored.length > 0) {
      await this.#suppressions.updateRestored(organizationId, restored, now);
      const recorder = this.#recorder(options);
      for (const { status } of restored) recorder.status('BOUNCED', status);
      await recorder.save();
      const lines = restored
        .filter(({ status }) => status === 'SUBSCRIBED')
        .map(({ subscriberId }) => ({
          subscriberId,
          type: 'SUBSCRIBED',
          data: { source: 'review' },
          at: now.toISOString(),
        }));
      await new HistoryRepository(this.sql).insert(organizationId, lines);
    }
    return { restored, kept, next: page.length === limit ? page.at(-1)!.id : null };
  }

  /**
   * The reason is kept with the subscriber. @returns the status of its subscriber now; null when no subscriber has it
   */
  async setBan(
    address: Address,
    banned: boolean,
    { reason = null, ...options }: ChangeOptions & { reason?: string | null },
  ): Promise<SubscriberStatus | null> {
    const { organizationId, now } = options;
    const hash = this.hashAddress(organizationId, address.emailKey);
    const found = await this.#people.lockByKeys(organizationId, [address.emailKey]);
    const before = found.get(address.emailKey);
    if (!before || !banned) await this.#suppressions.upsertAddressBan(organizationId, hash, banned ? now : null);
    if (!before) return null;
    const status = banned
      ? await this.#suppressions.updateBanned(organizationId, before.id, { now, reason })
      : await this.#suppressions.updateUnbanned(organizationId, before.id, now);
    const recorder = this.#recorder(options);
    if (status !== before.status) recorder.status(before.status, status);
    await recorder.save();
    return status;
  }

  #recorder(options: ChangeOptions): SubscriberChangeService {
    return new SubscriberChangeService({ ...options, triggerWorkflows: false, sql: this.sql, outbox: this.outbox });
  }
}
