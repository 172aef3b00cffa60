import type { EventData, EventName } from '#contracts';
import { classifyRefusal } from './bounce-class.js';
import type { HandOverResult } from './message.js';

/** What every fact about a message says. */
export type AboutMessage = EventData<'message.sent'>;

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

/**
 * The facts that follow from a hand-over, as JSON objects separated by commas: the database keeps those whose result it
 * recorded. A delay is told when the relay asked for it; a connection that broke concerns nobody else.
 * @param newEventId makes the id of each
 */
export function factsOf(
  result: HandOverResult,
  organizationId: string,
  { about, attempts, newEventId }: { about: AboutMessage; attempts: number; newEventId: () => string },
): string {
  const head = (name: EventName) =>
    `{"id":"${newEventId()}","organizationId":"${organizationId}","name":"${name}","data":`;
  switch (result.state) {
    case 'SENT':
      return `${head('message.sent')}${JSON.stringify(about)}}`;
    case 'DELIVERED': {
      const data = JSON.stringify(about);
      return `${head('message.sent')}${data}},${head('message.delivered')}${data}}`;
    }
    case 'FAILED': {
      const bounced: EventData<'message.bounced'> = {
        ...about,
        ...classifyRefusal(result.code, result.enhancedCode, result.response),
        reason: result.response,
        provider: domainOf(about.email),
        status: result.enhancedCode,
      };
      return `${head('message.bounced')}${JSON.stringify(bounced)}}`;
    }
    case 'DEFERRED': {
      if (result.code === null) return '';
      const delayed: EventData<'message.delayed'> = { ...about, reason: result.response, attempts };
      return `${head('message.delayed')}${JSON.stringify(delayed)}}`;
    }
    case 'IN_DOUBT':
      return '';
  }
}
