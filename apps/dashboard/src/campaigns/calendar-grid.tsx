import { useEffect, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { calendarText } from '../messages/en/calendar.js';
import { number } from '../messages/format.js';
import { dayName, monthName, weekday } from '../messages/format-calendar.js';
import { classNames } from '../ui/class-names.js';
import { CalendarEntry } from './calendar-entry.js';
import { dayAfterKey, monthOf, weeksOf } from './calendar-month.js';
import type { CalendarCampaign } from './month-campaigns.js';

const shownMax = 2;

/**
 * A month as a grid of days (WAI-ARIA: grid). Arrows, Home, End, PageUp and PageDown move; only the chosen day and its
 * campaigns are in the order of the Tab key.
 */
export function CalendarGrid({
  month,
  days,
  chosen,
  today,
  timeZone,
  onChoose,
}: {
  month: string;
  days: ReadonlyMap<string, readonly CalendarCampaign[]>;
  chosen: string;
  today: string;
  timeZone: string;
  onChoose: (day: string) => void;
}) {
  const ref = useRef<HTMLDivElement>(null);
  /** The day that keys lead to: of another month, it is drawn once the address has changed. */
  const goal = useRef<string | null>(null);
  useEffect(() => {
    if (goal.current !== chosen) return;
    goal.current = null;
    ref.current?.querySelector<HTMLElement>(`[data-day="${chosen}"]`)?.focus();
  }, [chosen]);
  const press = (event: KeyboardEvent) => {
    const next = event.ctrlKey || event.metaKey || event.altKey ? null : dayAfterKey(chosen, event.key);
    if (next === null) return;
    event.preventDefault();
    goal.current = next;
    onChoose(next);
  };
  const weeks = weeksOf(month);
  return (
    <div
      ref={ref}
      role="grid"
      tabIndex={-1}
      aria-label={calendarText('grid', { month: monthName(month) })}
      className="shrink-0 overflow-hidden rounded-lg border border-line"
      onKeyDown={press}
    >
      <div role="row" className="grid grid-cols-7 border-b border-line bg-ground">
        {weeks[0]!.map((day) => (
          <div key={day} role="columnheader" className="px-2 py-1.5 text-sm text-soft">
            {weekday(day)}
          </div>
        ))}
      </div>
      {weeks.map((week) => (
        <div key={week[0]} role="row" className="grid grid-cols-7 border-b border-line last:border-b-0">
          {week.map((day) => (
            <Day
              key={day}
              day={day}
              campaigns={days.get(day) ?? []}
              isOutside={monthOf(day) !== month}
              isChosen={day === chosen}
              isToday={day === today}
              timeZone={timeZone}
              onChoose={() => onChoose(day)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function Day({
  day,
  campaigns,
  isOutside,
  isChosen,
  isToday,
  timeZone,
  onChoose,
}: {
  day: string;
  campaigns: readonly CalendarCampaign[];
  isOutside: boolean;
  isChosen: boolean;
  isToday: boolean;
  timeZone: string;
  onChoose: () => void;
}) {
  const more = campaigns.length - shownMax;
  return (
    <div
      role="gridcell"
      data-day={day}
      tabIndex={isChosen ? 0 : -1}
      aria-selected={isChosen}
      aria-current={isToday ? 'date' : undefined}
      onClick={onChoose}
      className={classNames(
        'min-h-24 min-w-0 border-e border-line p-1 last:border-e-0 focus-visible:-outline-offset-2',
        isOutside && 'bg-ground',
        isChosen && 'bg-accent-soft',
      )}
    >
      <span className="sr-only">{calendarText('day', { day: dayName(day), count: campaigns.length })}</span>
      <span
        aria-hidden="true"
        className={classNames(
          'mb-0.5 inline-grid h-6 min-w-6 place-items-center rounded-full px-1 text-sm tabular',
          isToday ? 'bg-accent font-semibold text-accent-ink' : isOutside && 'text-soft',
        )}
      >
        {number(Number(day.slice(8)))}
      </span>
      {campaigns.slice(0, shownMax).map((campaign) => (
        <CalendarEntry key={campaign.id} campaign={campaign} timeZone={timeZone} tabIndex={isChosen ? 0 : -1} />
      ))}
      {more > 0 && <p className="px-1 text-xs text-soft">{calendarText('more', { count: more })}</p>}
    </div>
  );
}
