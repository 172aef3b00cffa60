import type { SubscriberStatus } from '#contracts';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import type { HashAddress } from '#link-token';
import { ChangeRecorder } from '../subscriber/change.recorder.js';
import type { RecorderOptions } from '../subscriber/change.recorder.js';
import type { Address } from '../subscriber/person.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import { needsReactivation } from './suppression.js';
import { SuppressionRepository } from './suppression.repository.js';

type ChangeOptions = Omit<RecorderOptions, 'sql' | 'outbox' | 'triggerWorkflows'>;

/** Lifts marks and sets bans, one person at a time, in the caller's transaction. */
export class SuppressionWriter {
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

  /** Bans an address, or lifts the ban. @returns the status of its subscriber now; null when it is nobody's */
  async setBan(address: Address, banned: boolean, options: ChangeOptions): Promise<SubscriberStatus | null> {
    const { organizationId, now } = options;
    const hash = this.hashAddress(organizationId, address.emailKey);
    const found = await this.#people.lockByKeys(organizationId, [address.emailKey]);
    const before = found.get(address.emailKey);
    if (!before || !banned) await this.#suppressions.upsertAddressBan(organizationId, hash, banned ? now : null);
    if (!before) return null;
    const status = banned
      ? await this.#suppressions.updateBanned(organizationId, before.id, now)
      : await this.#suppressions.updateUnbanned(organizationId, before.id, now);
    const recorder = this.#recorder(options);
    if (status !== before.status) recorder.status(before.status, status);
    await recorder.save();
    return status;
  }

  #recorder(options: ChangeOptions): ChangeRecorder {
    return new ChangeRecorder({ ...options, triggerWorkflows: false, sql: this.sql, outbox: this.outbox });
  }
}
