import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ToolInput } from '#client';
import { approvalOf, isDeclined } from '../data/refusal.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { campaignText } from '../messages/en/campaigns.js';
import { dateTime } from '../messages/format.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { useGo } from '../parts/screen-link.js';
import { Button } from '../ui/button.js';
import { Choice, Field, TextInput } from '../ui/field.js';
import type { Campaign } from './campaign-status.js';
import { dayIn, scheduleInstant } from './schedule-instant.js';

interface Plan {
  isLater: boolean;
  day: string;
  time: string;
  timezone: string;
}

const timesOf = ({ day, time }: Plan) => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return { day, hours, minutes };
};

/** Sends now or later. Who may not send asks for it. */
export function ScheduleForm({
  campaign,
  recipientCount,
  isUnfinished,
}: {
  campaign: Campaign;
  recipientCount: number | undefined;
  /** A filter of the audience lacks a value: it must not go to more subscribers than meant. */
  isUnfinished: boolean;
}) {
  const { data } = useQuery({ ...queries.get_organization({}), staleTime: 300_000 });
  const schedule = useAction(actions.schedule_campaign());
  const go = useGo();
  const [chosen, setChosen] = useState<Partial<Plan>>({});
  const timezone = chosen.timezone ?? data?.organization.timezone ?? 'UTC';
  const plan: Plan = {
    isLater: false,
    day: dayIn(timezone, new Date(Date.now() + 86_400_000)),
    time: '09:00',
    ...chosen,
    timezone,
  };
  const isAsking = !mayAct('approver');
  const count = recipientCount ?? 0;
  const start = async () => {
    const { day, hours, minutes } = timesOf(plan);
    const input: ToolInput<'schedule_campaign'> = {
      campaignId: campaign.id,
      timezone,
      ...(plan.isLater && { date: day, hours, minutes }),
    };
    const button = campaignText(plan.isLater ? 'review.confirmSchedule' : 'review.confirmSend', { count });
    await schedule.run(input, { button });
    go({ screen: 'campaignReport', params: { campaignId: campaign.id } });
  };
  const shownError = schedule.error && !isDeclined(schedule.error) && !approvalOf(schedule.error);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        // The refusal stands in `schedule.error`.
        start().catch(() => undefined);
      }}
    >
      <h2 className="text-lg font-semibold">{campaignText('review.when')}</h2>
      <fieldset className="flex gap-5">
        <legend className="sr-only">{campaignText('review.when')}</legend>
        {[false, true].map((isLater) => (
          <label key={String(isLater)} className="flex items-center gap-2 py-1">
            <input
              type="radio"
              name="when"
              className="size-4 accent-accent"
              checked={plan.isLater === isLater}
              onChange={() => setChosen({ ...chosen, isLater })}
            />
            {campaignText(isLater ? 'review.later' : 'review.now')}
          </label>
        ))}
      </fieldset>
      {plan.isLater && <PlanFields plan={plan} onChange={(part) => setChosen({ ...chosen, ...part })} />}
      {isUnfinished && <p className="text-sm text-warn">{campaignText('review.unfinishedHint')}</p>}
      {isAsking && <p className="text-sm text-soft">{campaignText('review.askHint')}</p>}
      {shownError && <ErrorNotice error={schedule.error} />}
      <div>
        <Button
          type="submit"
          look="primary"
          data-send=""
          busy={schedule.isPending}
          disabled={recipientCount === undefined || isUnfinished}
        >
          {campaignText(isAsking ? 'review.ask' : plan.isLater ? 'review.schedule' : 'review.send')}
        </Button>
      </div>
    </form>
  );
}

const zones = Intl.supportedValuesOf('timeZone');

function PlanFields({ plan, onChange }: { plan: Plan; onChange: (part: Partial<Plan>) => void }) {
  const { day, time, timezone } = plan;
  const instant = day && time ? scheduleInstant(timesOf(plan), timezone) : null;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isPast = instant !== null && instant.at.getTime() < Date.now();
  return (
    <div className="flex flex-col gap-2">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Field label={campaignText('review.day')}>
          {(control) => (
            <TextInput
              {...control}
              type="date"
              required
              value={day}
              onChange={({ target }) => onChange({ day: target.value })}
            />
          )}
        </Field>
        <Field label={campaignText('review.time')}>
          {(control) => (
            <TextInput
              {...control}
              type="time"
              required
              value={time}
              onChange={({ target }) => onChange({ time: target.value })}
            />
          )}
        </Field>
        <div className="max-sm:col-span-2">
          <Field label={campaignText('review.zone')}>
            {(control) => (
              <Choice
                {...control}
                value={timezone}
                options={(zones.includes(timezone) ? zones : [timezone, ...zones]).map((value) => ({
                  value,
                  label: value,
                }))}
                onChange={({ target }) => onChange({ timezone: target.value })}
              />
            )}
          </Field>
        </div>
      </div>
      {isPast && <p className="text-sm text-bad">{campaignText('review.past')}</p>}
      {instant?.isSkipped && (
        <p className="text-sm text-warn">{campaignText('review.skipped', { time: dateTime(instant.at, timezone) })}</p>
      )}
      {instant && !isPast && own !== timezone && (
        <p className="text-sm text-soft">{campaignText('review.yours', { time: dateTime(instant.at, own) })}</p>
      )}
    </div>
  );
}
