import { calendarText } from '../messages/en/calendar.js';
import { campaignText } from '../messages/en/campaigns.js';
import { timeOfDay } from '../messages/format-calendar.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icon.js';
import { instantOf } from './calendar-month.js';
import type { CampaignStatus } from './campaign-status.js';
import type { CalendarCampaign } from './month-campaigns.js';

const looks: Record<CampaignStatus, { icon: IconName; className: string }> = {
  DRAFT: { icon: 'mail', className: 'text-soft' },
  SCHEDULED: { icon: 'clock', className: 'text-info' },
  SENDING: { icon: 'play', className: 'text-warn' },
  SENT: { icon: 'check', className: 'text-good' },
  FAILED: { icon: 'warning', className: 'text-bad' },
  ARCHIVED: { icon: 'field', className: 'text-soft' },
};

export function StatusIcon({ status }: { status: CampaignStatus }) {
  const { icon, className } = looks[status];
  return <Icon name={icon} size={14} className={`shrink-0 ${className}`} />;
}

/** A campaign in the calendar: its name leads to it; hour, status and recipients stand below. */
export function CalendarEntry({
  campaign,
  timeZone,
  withRecipients = false,
  tabIndex,
}: {
  campaign: CalendarCampaign;
  timeZone: string;
  withRecipients?: boolean;
  tabIndex?: number;
}) {
  const { id, name, status, recipientCount } = campaign;
  const time = timeOfDay(instantOf(campaign)!, timeZone);
  return (
    <ScreenLink
      screen="campaign"
      params={{ campaignId: id }}
      tabIndex={tabIndex}
      className="block min-w-0 rounded-sm px-1 py-0.5 hover:bg-sunk focus-visible:-outline-offset-2"
    >
      <span className="block truncate text-sm font-medium">{name}</span>
      <span className="flex min-w-0 items-center gap-1 text-xs text-soft tabular">
        <StatusIcon status={status} />
        <span className="truncate">
          {calendarText('entry', { time, status: campaignText(`status.${status}`) })}
          {withRecipients && recipientCount !== null && ` · ${calendarText('recipients', { count: recipientCount })}`}
        </span>
      </span>
    </ScreenLink>
  );
}
