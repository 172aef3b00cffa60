import { useQuery } from '@tanstack/react-query';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { deliverabilityText } from '../messages/en/deliverability.js';
import { date, number, percent } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Section } from '../ui/section.js';
import { Sparkline } from '../ui/sparkline.js';
import { Skeleton } from '../ui/states.js';

type Point = ToolData<'get_engagement_series'>['points'][number];

const dayMs = 86_400_000;
const startOf = (days: number, now: number): string => new Date((Math.floor(now / dayMs) - days) * dayMs).toISOString();

const cell = 'py-2 ps-2 text-end max-sm:text-sm sm:ps-4 tabular first:ps-0 first:text-start';

/** The mail of each day with its rates, newest first, below the course of what was sent. */
export function DayTable({ days }: { days: number }) {
  const input = { interval: 'DAY' as const, from: startOf(days, Date.now()) };
  const { data, error, refetch } = useQuery(queries.get_engagement_series(input));
  const points = data?.points ?? [];
  const sent = points.map((point) => point.sent);
  const withMail = points.filter((point) => point.sent + point.bounced + point.complained > 0).toReversed();
  return (
    <Section
      title={deliverabilityText('byDay')}
      {...(data && { lead: deliverabilityText('byDayLead', { zone: data.timezone.replaceAll('_', ' ') }) })}
    >
      {error && <ErrorNotice error={error} isStale={data !== undefined} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-32" />}
      {data && withMail.length === 0 && <p className="text-soft">{deliverabilityText('noMail')}</p>}
      {withMail.length > 0 && (
        <div className="rounded-lg border border-line">
          <div className="pt-3">
            <Sparkline
              values={sent}
              label={deliverabilityText('course', {
                min: number(Math.min(...sent)),
                max: number(Math.max(...sent)),
              })}
            />
          </div>
          <div
            tabIndex={0}
            role="group"
            aria-label={deliverabilityText('byDay')}
            className="max-h-96 overflow-auto border-t border-line px-4"
          >
            <Rows points={withMail} zone={data!.timezone} />
          </div>
        </div>
      )}
    </Section>
  );
}

function Rows({ points, zone }: { points: readonly Point[]; zone: string }) {
  return (
    <table className="w-full">
      <thead className="sticky top-0 bg-paper">
        <tr>
          {(['day', 'sent', 'delivered', 'bounced', 'complained'] as const).map((key) => (
            <th key={key} scope="col" className={`${cell} text-sm font-normal text-soft`}>
              {deliverabilityText(key)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.map(({ at, sent, delivered, bounced, complained }) => (
          <tr key={at} className="border-t border-line">
            <th scope="row" className={`${cell} font-normal whitespace-nowrap`}>
              {date(at, zone)}
            </th>
            <td className={cell}>{number(sent)}</td>
            <td className={cell}>{number(delivered)}</td>
            <Rate part={bounced} whole={delivered + bounced} />
            <Rate part={complained} whole={delivered} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Rate({ part, whole }: { part: number; whole: number }) {
  return (
    <td className={cell}>
      {number(part)}
      {part > 0 && whole > 0 && <span className="block text-sm text-soft">{percent(part / whole)}</span>}
    </td>
  );
}
