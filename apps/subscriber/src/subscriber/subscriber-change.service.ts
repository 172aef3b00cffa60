import type { EventData, SubscriberStatus } from '#contracts';
import { TallyRepository, uuidOf } from '#database';
import type { Sql, TallyChange } from '#database';
import type { Outbox } from '#events';
import type { HistoryEntry } from '../history/history.js';
import { HistoryRepository } from '../history/history.repository.js';
import { taggedMetric } from '../tag/tag.repository.js';

type Cause = EventData<'tag.added'>['cause'];

export interface RecorderOptions {
  organizationId: string;
  sql: Sql;
  outbox: Outbox;
  now: Date;
  cause: Cause;
  /** False: other services get the events, but no workflow starts by them. */
  triggerWorkflows: boolean;
  /** The transaction has inserted or locked all subscribers. */
  locked?: boolean;
}

/** The person an event is about, with the status it has after the whole change. */
interface About {
  id: string;
  status: SubscriberStatus;
  /**
   * Created by this change: no run can wait for its events yet, so only events that may start workflows are published.
   */
  created?: boolean;
}
interface Named {
  id: string;
  name: string;
}

export const statusMetric = 'status';
/** How many were subscribed, or unsubscribed, in each quarter of an hour (UTC): days of any time zone are sums of these. */
export const subscribedMetric = 'subscribed';
export const unsubscribedMetric = 'unsubscribed';

export class SubscriberChangeService {
  readonly #history: HistoryEntry[] = [];
  readonly #tallies: TallyChange[] = [];

  readonly #day: string;
  readonly #quarter: string;
  readonly #occurredAt: string;

  constructor(private readonly options: RecorderOptions) {
    const at = new Date(options.now);
    this.#occurredAt = at.toISOString();
    this.#day = this.#occurredAt.slice(0, 10);
    at.setUTCMinutes(Math.floor(at.getUTCMinutes() / 15) * 15);
    this.#quarter = at.toISOString().slice(11, 16);
  }

  /** `from` is null for a new subscriber. */
  status(from: SubscriberStatus | null, to: SubscriberStatus): void {
    if (from) this.#count(statusMetric, from, -1);
    this.#count(statusMetric, to, 1);
  }

  subscribed(about: About, source: string): void {
    this.#line(about, 'SUBSCRIBED', { source });
    this.#count(subscribedMetric, this.#quarter, 1);
    if (this.#unheard(about)) return;
    this.options.outbox.add(
      this.options.organizationId,
      'subscriber.subscribed',
      { ...this.#common(about), source },
      about.id,
    );
  }

  unsubscribed(
    about: About,
    by: Pick<EventData<'subscriber.unsubscribed'>, 'reason' | 'source' | 'campaignId' | 'messageId' | 'again'>,
  ): void {
    const { reason, source, campaignId } = by;
    this.#line(about, 'UNSUBSCRIBED', { reason, source, ...(campaignId && { campaignId }) }, campaignId);
    this.options.outbox.add(
      this.options.organizationId,
      'subscriber.unsubscribed',
      { ...this.#common(about), ...by },
      about.id,
    );
    this.#count(unsubscribedMetric, this.#quarter, 1);
  }

  /** @param withheld the trigger waits for the confirmation; goals and exit rules see the tag now */
  tagAdded(about: About, tag: Named, withheld = false): void {
    this.#line(about, 'TAG_ADDED', { tagId: tag.id, tagName: tag.name });
    this.#tag('tag.added', about, tag, withheld);
    this.#count(taggedMetric, uuidOf('tag', tag.id)!, 1);
  }

  withheldTagReleased(about: About, tag: Named): void {
    this.#tag('tag.added', about, tag, false);
  }

  tagRemoved(about: About, tag: Named): void {
    this.#line(about, 'TAG_REMOVED', { tagId: tag.id, tagName: tag.name });
    this.#tag('tag.removed', about, tag, false);
    this.#count(taggedMetric, uuidOf('tag', tag.id)!, -1);
  }

  fieldUpdated(
    about: About,
    { fieldId, ...change }: { fieldId: string; field: string; from: string | null; to: string | null },
  ): void {
    this.#line(about, 'FIELD_UPDATED', change);
    if (this.#unheard(about)) return;
    this.options.outbox.add(
      this.options.organizationId,
      'field.updated',
      { ...this.#common(about), fieldId, ...change },
      about.id,
    );
  }

  /** Writes history and counts; the events are written with the transaction's outbox. */
  async save(): Promise<void> {
    const { sql, organizationId, locked } = this.options;
    await new HistoryRepository(sql).insert(organizationId, this.#history, { locked });
    await new TallyRepository(sql).insert(organizationId, this.#tallies);
  }

  #tag(name: 'tag.added' | 'tag.removed', about: About, tag: Named, withheld: boolean): void {
    if (this.#unheard(about)) return;
    const common = this.#common(about);
    const triggerWorkflows = common.triggerWorkflows && !withheld;
    const data = { ...common, triggerWorkflows, tagId: tag.id, tagName: tag.name };
    this.options.outbox.add(this.options.organizationId, name, data, about.id);
  }

  /** Large imports of new subscribers would otherwise publish events that no service can use. */
  #unheard({ created }: About): boolean {
    return Boolean(created) && !this.options.triggerWorkflows;
  }

  #common({ id, status }: About) {
    const { triggerWorkflows, cause } = this.options;
    return { subscriberId: id, subscriberStatus: status, triggerWorkflows, cause, occurredAt: this.#occurredAt };
  }

  #line(about: About, type: HistoryEntry['type'], data: HistoryEntry['data'], campaignId?: string | null): void {
    this.#history.push({ subscriberId: about.id, type, data, at: this.#occurredAt, campaignId });
  }

  #count(metric: string, key: string, n: number): void {
    this.#tallies.push({ metric, key, day: this.#day, n });
  }
}
