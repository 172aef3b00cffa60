import { decideBounce } from '#contracts';
import type { DomainEvent, EventData, EventName } from '#contracts';
import { classifyRefusal } from './bounce-class.js';
import { saysMailboxDisabled } from './bounce-phrases-en.js';
import type { AttemptResult } from './message.js';

export type AboutMessage = EventData<'message.sent'>;

export type DeliverabilityEvent = DomainEvent<
  'messages.settled' | 'message.sent' | 'message.delivered' | 'message.bounced' | 'message.complained'
>;

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

/**
 * Builds the message events of a delivery attempt as JSON objects separated by commas. A delay is reported when the
 * relay asked for it, but not after a broken connection, which is internal to us.
 * @param relayUnavailable whether the relay took no mail when it answered
 * @param newEventId makes the id of each
 */
export function factsOf(
  result: AttemptResult,
  organizationId: string,
  {
    about,
    attempts,
    relayUnavailable,
    newEventId,
  }: { about: AboutMessage; attempts: number; relayUnavailable: boolean; newEventId: () => string },
): string {
  const fact = <N extends EventName>(name: N, data: EventData<N>, ...others: EventName[]) => {
    const id = newEventId();
    const also = others.map((other) => ({ id: newEventId(), name: other }));
    return JSON.stringify({ id, organizationId, name, data, also: also.length > 0 ? also : undefined });
  };
  switch (result.state) {
    case 'SENT':
      return fact('message.sent', about);
    case 'DELIVERED':
      return fact('message.sent', about, 'message.delivered');
    case 'FAILED': {
      const bounce = {
        ...classifyRefusal(result.code, result.enhancedCode, result.response),
        reason: result.response,
        status: result.enhancedCode,
      };
      const suppression = decideBounce({
        ...bounce,
        mailboxDisabled: saysMailboxDisabled(bounce.reason),
        relayUnavailable,
        // Only a permanent refusal ends before the schedule.
        retriesExhausted: result.code === null || result.code < 500,
      });
      return fact('message.bounced', { ...about, ...bounce, provider: domainOf(about.email), suppression });
    }
    case 'DEFERRED': {
      if (result.code === null) return '';
      const delayed: EventData<'message.delayed'> = { ...about, reason: result.response, attempts };
      return fact('message.delayed', delayed);
    }
    case 'IN_DOUBT':
      return '';
  }
}
