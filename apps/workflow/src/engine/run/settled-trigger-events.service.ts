import { isSent } from '#contracts';
import type { DomainEvent } from '#contracts';
import { wireId } from '#database';
import { messageEntryId, settledMessages, settledMessageUuid } from '#events';
import type { TriggerEvent } from '../../rules/trigger-event.js';

export type SettledEvent = DomainEvent<'messages.settled'>;

/** The trigger events that a group of settled messages stands for: as their single events would have been. */
export const settledTypes = ['EMAIL_SENT', 'EMAIL_RECEIVED'] as const;

/** The subscribers to whom messages of a group were sent. */
export const recipientsOf = ({ data }: SettledEvent): string[] =>
  settledMessages(data).flatMap(({ outcome, subscriberUuid }) =>
    isSent(outcome) ? [wireId('sub', subscriberUuid)] : [],
  );

/** @param concerns whether a subscriber's events matter */
export function settledTriggerEvents(
  { organizationId, data }: SettledEvent,
  concerns: (subscriberId: string) => boolean,
): TriggerEvent[] {
  const { campaignId, at } = data;
  return settledMessages(data).flatMap(({ outcome, position, subscriberUuid }) => {
    const subscriberId = wireId('sub', subscriberUuid);
    if (!isSent(outcome) || !concerns(subscriberId)) return [];
    const messageUuid = settledMessageUuid(data, position);
    const types = outcome === 'DELIVERED' ? settledTypes : settledTypes.slice(0, 1);
    return types.map((eventType) => ({
      id: messageEntryId(messageUuid, eventType),
      organizationId,
      subscriberId,
      kind: null,
      eventType,
      campaignId,
      starts: true,
      byOthers: true,
      by: null,
      at: new Date(at),
    }));
  });
}
