import type { ToolData } from '#client';

export type Flow = ToolData<'get_workflow_flow'>;

/** The place of a day among the buckets; the last bucket for a day that none holds. */
export function bucketOf({ buckets }: Pick<Flow, 'buckets'>, day: string | undefined): number {
  const place = day === undefined ? -1 : buckets.findLastIndex((first) => first <= day);
  return place < 0 ? buckets.length - 1 : place;
}

/** How many waited at a step at the end of a bucket, and entered it during the bucket. */
export function countsAt({ steps }: Pick<Flow, 'steps'>, stepId: string, place: number) {
  const step = steps.find((one) => one.stepId === stepId);
  return { waiting: step?.waiting[place] ?? 0, entered: step?.entered[place] ?? 0 };
}

/** How many waited anywhere at the end of a bucket. */
export const waitingAt = ({ steps }: Pick<Flow, 'steps'>, place: number): number =>
  steps.reduce((sum, { waiting }) => sum + (waiting[place] ?? 0), 0);

/** The first day of a period that ends today (UTC). @param now milliseconds */
export const firstDay = (days: number, now: number): string =>
  new Date(now - (days - 1) * 86_400_000).toISOString().slice(0, 10);
