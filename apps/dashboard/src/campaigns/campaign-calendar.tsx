import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../data/tools.calls.js';
import { calendarText } from '../messages/en/calendar.js';
import { campaignText } from '../messages/en/campaigns.js';
import { dayName, monthName } from '../messages/format-calendar.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button, IconButton } from '../ui/button.js';
import { Callout, Skeleton } from '../ui/states.js';
import { useNarrow } from '../ui/use-narrow.js';
import { CalendarEntry, StatusIcon } from './calendar-entry.js';
import { CalendarGrid } from './calendar-grid.js';
import { addMonths, byDay, monthOf, rangeOf } from './calendar-month.js';
import { campaignStatuses } from './campaign-status.js';
import type { CampaignStatus } from './campaign-status.js';
import { monthCampaigns } from './month-campaigns.js';
import type { CalendarCampaign } from './month-campaigns.js';
import { dayIn } from './schedule-instant.js';

interface CalendarProps {
  /** YYYY-MM; the present month without it. */
  month: string | undefined;
  query: string | undefined;
  status: CampaignStatus | undefined;
  onMonth: (month: string) => void;
}

/** Campaigns by the day on which they start, in the time zone of the organization: a grid, or on a phone an agenda. */
export function CampaignCalendar(props: CalendarProps) {
  const { data, error, refetch } = useQuery({ ...queries.get_organization({}), staleTime: 300_000 });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-96" />;
  return <ZonedCalendar {...props} timeZone={data.organization.timezone} />;
}

function ZonedCalendar({ month: given, query, status, onMonth, timeZone }: CalendarProps & { timeZone: string }) {
  const today = dayIn(timeZone, new Date());
  const month = given ?? monthOf(today);
  const [picked, setPicked] = useState<string | null>(null);
  const isNarrow = useNarrow();
  const { data, error, refetch } = useQuery(monthCampaigns(rangeOf(month, timeZone), query));
  const campaigns = (data?.campaigns ?? []).filter((campaign) => status === undefined || campaign.status === status);
  const days = byDay(campaigns, timeZone);
  const ofMonth = new Map([...days].filter(([day]) => monthOf(day) === month));
  const chosen =
    picked !== null && monthOf(picked) === month ? picked : monthOf(today) === month ? today : `${month}-01`;
  const choose = (day: string) => {
    setPicked(day);
    if (monthOf(day) !== month) onMonth(monthOf(day));
  };
  return (
    <div className="-mx-1 flex min-h-0 flex-1 flex-col gap-3 overflow-auto px-1 pb-10">
      <MonthBar month={month} onGo={(months) => choose(addMonths(chosen, months))} onToday={() => choose(today)} />
      <Summary days={ofMonth} month={month} timeZone={timeZone} isThere={data !== undefined} />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.isWhole === false && <Callout tone="warn">{calendarText('notWhole')}</Callout>}
      {!data && !error && <Skeleton className="h-96" />}
      {data && isNarrow && <Agenda days={ofMonth} timeZone={timeZone} />}
      {data && !isNarrow && (
        <>
          <CalendarGrid month={month} days={days} chosen={chosen} today={today} timeZone={timeZone} onChoose={choose} />
          <DayList day={chosen} campaigns={days.get(chosen) ?? []} timeZone={timeZone} />
        </>
      )}
    </div>
  );
}

function MonthBar({ month, onGo, onToday }: { month: string; onGo: (months: number) => void; onToday: () => void }) {
  return (
    <div className="flex items-center gap-1">
      <h2 className="me-auto text-base font-semibold" aria-live="polite">
        {monthName(month)}
      </h2>
      <Button onClick={onToday}>{calendarText('today')}</Button>
      <IconButton label={calendarText('previous')} icon="chevronLeft" onClick={() => onGo(-1)} />
      <IconButton label={calendarText('next')} icon="chevronRight" onClick={() => onGo(1)} />
    </div>
  );
}

/** How many campaigns of each status start in the month, and whose days these are. */
function Summary({
  days,
  month,
  timeZone,
  isThere,
}: {
  days: ReadonlyMap<string, readonly CalendarCampaign[]>;
  month: string;
  timeZone: string;
  isThere: boolean;
}) {
  const all = [...days.values()].flat();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
      {isThere && all.length === 0 && <p>{calendarText('none', { month: monthName(month) })}</p>}
      {campaignStatuses.map((status) => {
        const count = all.filter((campaign) => campaign.status === status).length;
        return (
          count > 0 && (
            <span key={status} className="flex items-center gap-1.5 tabular">
              <StatusIcon status={status} />
              {calendarText('count', { count, status: campaignText(`status.${status}`) })}
            </span>
          )
        );
      })}
      <p className="text-soft sm:ms-auto">
        {calendarText('zone', { zone: timeZone })}
        {own !== timeZone && ` (${calendarText('zone.differs', { zone: own })})`}
      </p>
    </div>
  );
}

function DayList({
  day,
  campaigns,
  timeZone,
}: {
  day: string;
  campaigns: readonly CalendarCampaign[];
  timeZone: string;
}) {
  return (
    <section aria-label={dayName(day)}>
      <h3 className="mb-1 font-medium" aria-live="polite">
        {dayName(day)}
      </h3>
      {campaigns.length === 0 && <p className="text-soft">{calendarText('noneOfDay')}</p>}
      <ul className="divide-y divide-line">
        {campaigns.map((campaign) => (
          <li key={campaign.id} className="py-1">
            <CalendarEntry campaign={campaign} timeZone={timeZone} withRecipients />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The days of the month on which campaigns start, one below the other. */
function Agenda({ days, timeZone }: { days: ReadonlyMap<string, readonly CalendarCampaign[]>; timeZone: string }) {
  return (
    <div className="flex flex-col gap-4">
      {[...days].map(([day, campaigns]) => (
        <DayList key={day} day={day} campaigns={campaigns} timeZone={timeZone} />
      ))}
    </div>
  );
}
