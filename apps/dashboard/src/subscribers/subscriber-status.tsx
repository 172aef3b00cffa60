import type { ToolData } from '#client';
import { subscriberText } from '../messages/en/subscribers.js';
import { Badge } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

export type SubscriberStatus = ToolData<'search_subscribers'>['subscribers'][number]['status'];

export const subscriberStatuses = [
  'SUBSCRIBED',
  'PENDING_CONFIRMATION',
  'UNSUBSCRIBED',
  'BOUNCED',
  'COMPLAINED',
  'BANNED',
  'TRANSACTIONAL',
] as const satisfies readonly SubscriberStatus[];

const tones: Record<SubscriberStatus, Tone> = {
  SUBSCRIBED: 'good',
  PENDING_CONFIRMATION: 'info',
  UNSUBSCRIBED: 'plain',
  BOUNCED: 'bad',
  COMPLAINED: 'bad',
  BANNED: 'bad',
  TRANSACTIONAL: 'plain',
};

export function StatusBadge({ status }: { status: SubscriberStatus }) {
  return <Badge tone={tones[status]}>{subscriberText(`status.${status}`)}</Badge>;
}
