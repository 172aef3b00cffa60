import type { ToolData } from '#client';
import { messageText } from '../messages/en/messages.js';
import { Badge } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

export type Message = ToolData<'list_messages'>['messages'][number];

export const messageStatuses = [
  'PENDING',
  'SENT',
  'DELIVERED',
  'BOUNCED',
  'COMPLAINED',
  'FAILED',
  'SKIPPED',
  'IN_DOUBT',
] as const satisfies readonly Message['status'][];

const tones: Record<Message['status'], Tone> = {
  PENDING: 'plain',
  SENT: 'info',
  DELIVERED: 'good',
  BOUNCED: 'bad',
  COMPLAINED: 'warn',
  FAILED: 'bad',
  SKIPPED: 'plain',
  IN_DOUBT: 'warn',
};

export function MessageBadge({ status }: { status: Message['status'] }) {
  return <Badge tone={tones[status]}>{messageText(`status.${status}`)}</Badge>;
}
