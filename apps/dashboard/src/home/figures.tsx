import { useQuery } from '@tanstack/react-query';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { number, percent } from '../messages/format.js';
import { homeText } from '../messages/en/home.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Sparkline } from '../ui/sparkline.js';
import { Skeleton } from '../ui/states.js';
import { HomeSection } from './section.js';

/** Numbers of the last 30 days with their course. */
export function Figures({ stats }: { stats?: ToolData<'get_org_stats'> }) {
  const growth = useQuery(queries.get_subscriber_growth({ days: 30 }));
  const series = useQuery(queries.get_engagement_series({ interval: 'DAY' }));
  const error = growth.error ?? series.error;
  const missing = error ? null : undefined;
  const points = series.data?.points.slice(-30) ?? [];
  const sum = (key: 'delivered' | 'uniqueOpens' | 'uniqueClicks') => points.reduce((all, one) => all + one[key], 0);
  const delivered = sum('delivered');
  const share = (part: number) =>
    delivered === 0 ? '' : homeText('ofDelivered', { share: percent(part / delivered) });
  return (
    <HomeSection title={homeText('month')}>
      {error && (
        <div className="mb-2">
          <ErrorNotice error={error} onRetry={() => void Promise.all([growth.refetch(), series.refetch()])} />
        </div>
      )}
      <div className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4">
        <Figure
          label={homeText('subscribers')}
          value={stats?.subscribers.total ?? missing}
          note={growth.data && homeText('change', { change: signed(growth.data.totals.net) })}
          course={totals(growth.data?.days ?? [], stats?.subscribers.total ?? 0)}
        />
        <Figure
          label={homeText('delivered')}
          value={series.data ? delivered : missing}
          note=""
          course={points.map((one) => one.delivered)}
        />
        <Figure
          label={homeText('opened')}
          value={series.data ? sum('uniqueOpens') : missing}
          note={share(sum('uniqueOpens'))}
          course={points.map((one) => one.uniqueOpens)}
        />
        <Figure
          label={homeText('clicked')}
          value={series.data ? sum('uniqueClicks') : missing}
          note={share(sum('uniqueClicks'))}
          course={points.map((one) => one.uniqueClicks)}
        />
      </div>
    </HomeSection>
  );
}

function Figure({
  label,
  value,
  note,
  course,
}: {
  label: string;
  /** Undefined while it is read; null when it cannot be. */
  value: number | null | undefined;
  note: string | undefined;
  course: readonly number[];
}) {
  const [min, max] = [Math.min(...course), Math.max(...course)];
  return (
    <div className="flex flex-col bg-paper pt-3">
      <p className="px-4 text-sm text-soft">{label}</p>
      <p className="mb-0.5 px-4 text-xl font-semibold tracking-tight tabular">
        {value === undefined ? <Skeleton className="h-7 w-20" /> : value === null ? '–' : number(value)}
      </p>
      <p className="mb-3 min-h-5 px-4 text-sm text-soft tabular">{note}</p>
      <div className="mt-auto">
        {course.length > 1 && (
          <Sparkline values={course} label={homeText('line', { label, min: number(min), max: number(max) })} />
        )}
      </div>
    </div>
  );
}

const signed = (value: number): string => (value > 0 ? `+${number(value)}` : number(value));

/** The totals at the end of each day, from the changes and the total of today. */
function totals(days: readonly { net: number }[], today: number): number[] {
  let total = today;
  return [...days]
    .reverse()
    .map(({ net }) => {
      const atEnd = total;
      total -= net;
      return atEnd;
    })
    .reverse();
}
