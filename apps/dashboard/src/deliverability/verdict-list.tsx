import type { ToolData } from '#client';
import { deliverabilityText } from '../messages/en/deliverability.js';
import { duration } from '../messages/format-duration.js';
import { percent } from '../messages/format.js';
import { Badge } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

type Verdict = NonNullable<ToolData<'get_deliverability_health'>['verdicts']>[number];

const tones: Record<Verdict['verdict'], Tone> = { OK: 'good', WARN: 'warn', CRITICAL: 'bad' };
const order: readonly Verdict['verdict'][] = ['CRITICAL', 'WARN', 'OK'];

/** What is judged: the value, the line that it is held against, and what to do; the worst first. */
export function VerdictList({ verdicts }: { verdicts: readonly Verdict[] }) {
  const sorted = verdicts.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {sorted.map((one) => (
        <li key={one.metric} className="flex flex-col gap-1 px-4 py-3">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">{deliverabilityText(`metric.${one.metric}`)}</span>
            <Badge tone={tones[one.verdict]}>{deliverabilityText(`verdict.${one.verdict}`)}</Badge>
            <span className="text-soft tabular sm:ms-auto">{measures(one).join(' · ')}</span>
          </p>
          <p className="max-w-prose text-soft wrap-anywhere">{one.advice}</p>
        </li>
      ))}
    </ul>
  );
}

/** The value and, for what has one that says something, its line. */
function measures({ metric, value, threshold }: Verdict): string[] {
  const line = (text: string) => deliverabilityText('line', { value: text });
  switch (metric) {
    case 'complaintRate':
    case 'bounceRate':
      return [percent(value), line(percent(threshold))];
    case 'unsubscribeLatency':
      return [duration(value), line(duration(threshold))];
    case 'content':
      return [deliverabilityText('campaigns', { count: value })];
    default:
      return [deliverabilityText('domains', { count: value })];
  }
}
