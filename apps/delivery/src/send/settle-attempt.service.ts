import { newId, wireId } from '#database';
import type { Send } from './send.js';
import { isRelayUnavailable } from '../message/attempt-report.js';
import type { HandOverReport } from '../message/attempt-report.js';
import { judgeHandOver } from '../message/classify-attempt.js';
import type { HandOverFacts } from '../message/classify-attempt.js';
import { factsOf } from '../message/message-events.js';
import type { HandOverResult } from '../message/message.js';

/** The message that was handed over; ids are uuids. */
export interface HandedOver {
  messageId: string;
  subscriberId: string | null;
  email: string;
  subject: string;
  /** Hand-overs so far, this one included. */
  attempts: number;
  /** Seconds since it was made. */
  age: number;
}

/** A result as it is recorded, with the facts that follow from it. */
export interface SettledHandOver extends HandOverResult {
  at: string;
  events: string;
}

/** What a message belongs to; a single one to no campaign. */
export type Belonging = Pick<Send, 'organizationId'> & { campaignId: string | null; campaignName: string | null };

/**
 * @param accepted what the relay's 250 means
 * @param mustArrive whether it goes out again when nobody knows whether it did
 */
export function settleHandOver(
  report: HandOverReport,
  message: HandedOver,
  { send, accepted, mustArrive }: { send: Belonging } & Pick<HandOverFacts, 'accepted' | 'mustArrive'>,
): SettledHandOver {
  const at = new Date(Date.now()).toISOString();
  const { messageId, subscriberId, email, subject, attempts, age } = message;
  const result = judgeHandOver(report, { attempts, age, accepted, mustArrive });
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
