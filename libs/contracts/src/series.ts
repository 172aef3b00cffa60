import { z } from 'zod';
import { timestamp } from './common.js';

/** Opens and clicks of scanners are left out. */
export const seriesCounters = [
  'sent',
  'delivered',
  'bounced',
  'complained',
  'unsubscribed',
  'opens',
  'uniqueOpens',
  'clicks',
  'uniqueClicks',
] as const;
export type SeriesCounter = (typeof seriesCounters)[number];
export type SeriesCounts = Record<SeriesCounter, number>;

export const seriesPointsMax = 1_000;
export const seriesInterval = z.enum(['HOUR', 'DAY']);
export type SeriesInterval = z.infer<typeof seriesInterval>;

/** An instant that a caller names, with any offset and precision; handlers get it in UTC with milliseconds. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be an instant of ISO 8601 with offset, such as 2026-05-01T09:30:00Z' })
  .overwrite((text) => {
    const at = new Date(text);
    // Text that is no instant passes too, with the problem that was found before.
    return Number.isNaN(at.getTime()) ? text : at.toISOString();
  });

/** The range of a series; it is widened to whole hours or days. */
export const seriesRange = {
  interval: seriesInterval,
  from: instant.optional(),
  to: instant.optional(),
};

/** The points of a series, oldest first; `at` is the instant at which the hour or day begins. */
export const series = z.object({
  points: z.array(
    z.object({
      at: timestamp,
      sent: z.int(),
      delivered: z.int(),
      bounced: z.int(),
      complained: z.int(),
      unsubscribed: z.int(),
      opens: z.int(),
      uniqueOpens: z.int(),
      clicks: z.int(),
      uniqueClicks: z.int(),
    }),
  ),
  timezone: z.string(),
});
