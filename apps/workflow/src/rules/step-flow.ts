/** How many runs entered or left a step on a day (UTC, YYYY-MM-DD). */
export interface FlowCount {
  stepId: string;
  way: 'in' | 'out';
  day: string;
  n: number;
}

/** The passage of runs through one step, by bucket; `waiting` at the end of each bucket. */
export interface StepFlow {
  stepId: string;
  entered: number[];
  left: number[];
  waiting: number[];
}

const dayMs = 86_400_000;
const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs;
const dayOf = (number: number): string => new Date(number * dayMs).toISOString().slice(0, 10);

/** Divides the days `from` … `to` into at most `bucketsMax` buckets of equally many days; the last may be shorter. */
export function bucketsOf(from: string, to: string, bucketsMax: number): { buckets: string[]; bucketDays: number } {
  const days = numberOf(to) - numberOf(from) + 1;
  const bucketDays = Math.ceil(days / bucketsMax);
  const buckets = Array.from({ length: Math.ceil(days / bucketDays) }, (_, n) =>
    dayOf(numberOf(from) + n * bucketDays),
  );
  return { buckets, bucketDays };
}

/**
 * Sums passages by step and bucket; counts of days before the first bucket only add to the runs that wait.
 * @param stepIds the steps to show first, in this order; others follow if runs passed them
 */
export function flowOf(
  counts: readonly FlowCount[],
  { buckets, bucketDays }: { buckets: readonly string[]; bucketDays: number },
  stepIds: readonly string[],
): StepFlow[] {
  const first = numberOf(buckets[0]!);
  const flows = new Map<string, { before: number; entered: number[]; left: number[] }>();
  const flowFor = (stepId: string) => {
    const flow = flows.get(stepId) ?? { before: 0, entered: buckets.map(() => 0), left: buckets.map(() => 0) };
    flows.set(stepId, flow);
    return flow;
  };
  stepIds.forEach(flowFor);
  for (const { stepId, way, day, n } of counts) {
    const flow = flowFor(stepId);
    const bucket = Math.floor((numberOf(day) - first) / bucketDays);
    if (bucket < 0) flow.before += way === 'in' ? n : -n;
    else flow[way === 'in' ? 'entered' : 'left'][bucket]! += n;
  }
  return [...flows].map(([stepId, { before, entered, left }]) => {
    let waiting = before;
    const after = entered.map((n, bucket) => (waiting += n - left[bucket]!));
    return { stepId, entered, left, waiting: after.map((n) => Math.max(0, n)) };
  });
}
