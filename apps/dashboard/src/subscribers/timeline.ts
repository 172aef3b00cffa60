import type { ToolData } from '#client';
import { lineText } from '../messages/en/subscriber.js';
import type { IconName } from '../ui/icon.js';

export type HistoryEvent = ToolData<'search_subscriber_events'>['events'][number];
export type SentMail = ToolData<'get_subscriber_emails'>['emails'][number];
export type Run = ToolData<'get_subscriber_workflow_runs'>['runs'][number];

export const timelineTabs = ['all', 'mail', 'workflows', 'profile'] as const;
export type TimelineTab = (typeof timelineTabs)[number];

/** The types of events that a tab reads; none means all. */
export const eventTypesOf: Record<TimelineTab, string[]> = {
  all: [],
  mail: [
    'EMAIL_SENT',
    'EMAIL_RECEIVED',
    'EMAIL_DELIVERY_DELAYED',
    'EMAIL_OPENED',
    'EMAIL_CLICKED',
    'EMAIL_BOUNCED',
    'EMAIL_COMPLAINED',
  ],
  workflows: ['WORKFLOW_STARTED', 'WORKFLOW_COMPLETED', 'WORKFLOW_CANCELED', 'WEBHOOK_EXECUTED'],
  profile: ['SUBSCRIBED', 'UNSUBSCRIBED', 'TAG_ADDED', 'TAG_REMOVED', 'FIELD_UPDATED'],
};

/** One line of the timeline: an event, a mail or a run. */
export type TimelineLine = { key: string; at: string | null } & (
  | { kind: 'event'; event: HistoryEvent }
  | { kind: 'mail'; mail: SentMail }
  | { kind: 'run'; run: Run }
);

/**
 * Joins history, mails and runs, newest first. A mail stands in the place of its events "sent" and "received", a run in
 * the place of "started". A mail that is not sent yet comes first.
 * @param isWhole whether `events` reaches back to the first one; if not, older mails and runs wait for their page
 */
export function timelineOf({
  events,
  mails,
  runs,
  isWhole,
}: {
  events: readonly HistoryEvent[];
  mails: readonly SentMail[];
  runs: readonly Run[];
  isWhole: boolean;
}): TimelineLine[] {
  const oldest = isWhole ? '' : (events.at(-1)?.createdAt ?? '');
  const mailIds = new Set(mails.map(({ id }) => id));
  const runIds = new Set(runs.map(({ workflowSubscriberId }) => workflowSubscriberId));
  const isShownOtherwise = ({ type, data }: HistoryEvent): boolean =>
    (['EMAIL_SENT', 'EMAIL_RECEIVED'].includes(type) && mailIds.has(String(data.emailId))) ||
    (type === 'WORKFLOW_STARTED' && runIds.has(String(data.runId)));
  const lines: TimelineLine[] = [
    ...mails.map((mail) => ({ kind: 'mail' as const, key: `mail/${mail.id}`, at: mail.sentAt, mail })),
    ...runs.map((run) => ({
      kind: 'run' as const,
      key: `run/${run.workflowSubscriberId}`,
      at: run.startedAt,
      run,
    })),
    ...events
      .filter((event) => !isShownOtherwise(event))
      .map((event) => ({ kind: 'event' as const, key: `event/${event.id}`, at: event.createdAt, event })),
  ];
  return lines
    .filter(({ at }) => at === null || at >= oldest)
    .sort((one, other) => (other.at ?? '9').localeCompare(one.at ?? '9'));
}

const icons: Record<string, IconName> = {
  SUBSCRIBED: 'check',
  UNSUBSCRIBED: 'signOut',
  TAG_ADDED: 'tag',
  TAG_REMOVED: 'tag',
  FIELD_UPDATED: 'field',
  WORKFLOW_COMPLETED: 'workflow',
  WORKFLOW_STARTED: 'workflow',
  WORKFLOW_CANCELED: 'workflow',
  WEBHOOK_EXECUTED: 'globe',
  EMAIL_BOUNCED: 'warning',
  EMAIL_COMPLAINED: 'warning',
  EMAIL_DELIVERY_DELAYED: 'clock',
  EMAIL_CLICKED: 'external',
};

export const iconOf = ({ type }: HistoryEvent): IconName =>
  icons[type] ?? (type.startsWith('EMAIL_') ? 'mail' : 'pulse');

const known = [
  'SUBSCRIBED',
  'UNSUBSCRIBED',
  'TAG_ADDED',
  'TAG_REMOVED',
  'EMAIL_OPENED',
  'EMAIL_CLICKED',
  'EMAIL_SENT',
  'EMAIL_DELIVERY_DELAYED',
  'WORKFLOW_STARTED',
  'WORKFLOW_COMPLETED',
  'WORKFLOW_CANCELED',
  'EMAIL_BOUNCED',
  'EMAIL_COMPLAINED',
  'EMAIL_RECEIVED',
  'WEBHOOK_EXECUTED',
  'SUBSCRIBER_PAYMENT',
  'SUBSCRIBER_REFUND',
] as const;

/** An event as a sentence; an event of the customer's own keeps its name. */
export function sentenceOf({ type, data }: HistoryEvent): string {
  const values = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, textOf(value)]));
  if (type === 'FIELD_UPDATED') {
    if (values.from && values.to) return lineText('FIELD_UPDATED_TO', values);
    if (values.to) return lineText('FIELD_SET', values);
    return lineText(values.from ? 'FIELD_CLEARED' : 'FIELD_UPDATED', values);
  }
  const name = known.find((one) => one === type);
  return name ? lineText(name, values) : type;
}

/** What an event says beyond its sentence, as text. */
export function detailOf({ type, data }: HistoryEvent): string {
  if (type in icons || type.startsWith('EMAIL_')) {
    const { url, reason, source, machine, bounceCategory } = data;
    return [url, bounceCategory, reason, source, machine === true && lineText('machine')]
      .filter(Boolean)
      .map(textOf)
      .join(' · ');
  }
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(' · ');
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
