import { settledCounts } from '#contracts';
import type { DomainEvent, SeriesCounts } from '#contracts';
import { hourOf, seriesAddition } from '#time-series';

export type CountedEvent = DomainEvent<
  | 'messages.settled'
  | 'message.sent'
  | 'message.delivered'
  | 'message.bounced'
  | 'message.opened'
  | 'message.clicked'
  | 'message.complained'
  | 'subscriber.unsubscribed'
>;

export const counters = [
  'sent',
  'delivered',
  'opens',
  'unique_opens',
  'machine_opens',
  'clicks',
  'unique_clicks',
  'unsubscribed',
  'hard',
  'soft',
  'complained',
] as const;
export type Counter = (typeof counters)[number];

export interface Addition {
  organizationId: string;
  campaignId: string;
  counts: Partial<Record<Counter, number>>;
  /** What the event adds to the numbers of its hour; null for nothing. */
  hour: { at: string; counts: Partial<SeriesCounts> } | null;
  /** For clicks of people: the link, and whether this message's first click on it. */
  link: { url: string; first: boolean } | null;
}

/**
 * Opens by machines (scanners) have their own counter, clicks by machines have none. `first` was decided by the
 * message's service, so additions may be applied in any order.
 */
export function additionOf(event: CountedEvent): Addition | null {
  const { organizationId, name, data } = event;
  if (data.campaignId === null) return null;
  const added = seriesAddition(event);
  const hour = added && { at: hourOf(added.at), counts: added.counts };
  const addition: Addition = { organizationId, campaignId: data.campaignId, counts: {}, hour, link: null };
  switch (name) {
    case 'messages.settled':
      return { ...addition, counts: settledCounts(data) };
    case 'message.sent':
      return { ...addition, counts: { sent: 1 } };
    case 'message.delivered':
      return { ...addition, counts: { delivered: 1 } };
    case 'message.bounced':
      return {
        ...addition,
        counts: {
          ...(data.bounceType === 'HARD' ? { hard: 1 } : { soft: 1 }),
          ...(data.countedAs === 'DELIVERED' && { delivered: -1 }),
        },
      };
    case 'message.complained':
      return { ...addition, counts: { complained: 1 } };
    case 'subscriber.unsubscribed':
      return data.again ? null : { ...addition, counts: { unsubscribed: 1 } };
    case 'message.opened':
      if (data.machine) return { ...addition, counts: { machine_opens: 1 } };
      return { ...addition, counts: { opens: 1, unique_opens: Number(data.first) } };
    case 'message.clicked':
      if (data.machine) return null;
      return {
        ...addition,
        counts: { clicks: 1, unique_clicks: Number(data.first) },
        link: { url: data.url, first: data.firstOfLink },
      };
  }
}

/** Subtracts the soft bounces of a retried send: those messages are pending again. */
export const withdrawnBounces = ({ organizationId, data }: DomainEvent<'send.retried'>): Addition => ({
  organizationId,
  campaignId: data.campaignId,
  hour: { at: hourOf(data.at), counts: { bounced: -data.softBounces } },
  link: null,
  counts: { soft: -data.softBounces },
});

/** Current numbers of a campaign: counters, links (most clicked first) and hours (oldest first). */
export interface CampaignNumbers {
  counts: Record<Counter, number>;
  links: { url: string; unique: number; total: number }[];
  timeline: { hour: string; opens: number; clicks: number }[];
}

/** Rates are fractions of the delivered messages. */
export function analyticsAnswer({ counts, links, timeline }: CampaignNumbers) {
  const rate = (n: number) => (counts.delivered === 0 ? 0 : Math.round((n / counts.delivered) * 10_000) / 10_000);
  return {
    sent: counts.sent,
    delivered: counts.delivered,
    opens: {
      unique: counts.unique_opens,
      total: counts.opens,
      rate: rate(counts.unique_opens),
      machine: counts.machine_opens,
    },
    clicks: { unique: counts.unique_clicks, total: counts.clicks, rate: rate(counts.unique_clicks) },
    unsubscribed: counts.unsubscribed,
    // The event of a retry may arrive before those of the bounces it subtracts.
    bounced: { hard: counts.hard, soft: Math.max(0, counts.soft) },
    complained: counts.complained,
    links,
    timeline,
  };
}
