import { newId, wireId } from '#database';
import type { Send } from './send.js';
import { isRelayUnavailable } from '../message/attempt-report.js';
import type { AttemptReport } from '../message/attempt-report.js';
import { classifyAttempt } from '../message/classify-attempt.js';
import type { AttemptFacts } from '../message/classify-attempt.js';
import { factsOf } from '../message/message-events.js';
import type { AttemptResult } from '../message/message.js';

/** The attempted message; ids are uuids. */
export interface Attempted {
  messageId: string;
  subscriberId: string | null;
  email: string;
  subject: string;
  attempts: number;
  /** Seconds since it was created. */
  age: number;
}

export interface SettledAttempt extends AttemptResult {
  at: string;
  events: string;
}

/** What a message belongs to; a single one to no campaign. */
export type MessageContext = Pick<Send, 'organizationId'> & { campaignId: string | null; campaignName: string | null };

/**
 * @param accepted the state after the relay's 250
 * @param mustArrive whether it is sent again when the outcome is unknown
 */
export function settleAttempt(
  report: AttemptReport,
  message: Attempted,
  { send, accepted, mustArrive }: { send: MessageContext } & Pick<AttemptFacts, 'accepted' | 'mustArrive'>,
): SettledAttempt {
  const at = new Date(Date.now()).toISOString();
  const { messageId, subscriberId, email, subject, attempts, age } = message;
  const result = classifyAttempt(report, { attempts, age, accepted, mustArrive });
  const about = {
    messageId: wireId('msg', messageId),
    subscriberId: subscriberId && wireId('sub', subscriberId),
    campaignId: send.campaignId,
    campaignName: send.campaignName,
    subject,
    email,
    at,
    simulated: report.kind === 'simulated',
  };
  const events = factsOf(result, send.organizationId, {
    about,
    attempts,
    relayUnavailable: isRelayUnavailable(report),
    newEventId: () => newId('evt'),
  });
  return { ...result, at, events };
}
