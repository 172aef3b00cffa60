import { newId, wireId } from '#database';
import { settledData } from '#events';
import type { LedgerMark, Outcome, ChunkRecipient } from './ledger-chunk.js';
import { isRelayUnavailable } from '../../message/attempt-report.js';
import type { AttemptReport } from '../../message/attempt-report.js';
import { classifyAttempt } from '../../message/classify-attempt.js';
import { factsOf } from '../../message/message-events.js';
import { mailboxProvider } from '../../metrics/mailbox-provider.js';
import type { Send } from '../send.js';
import type { SkipReason } from '../skip-reason.js';
import type { Backoff } from '../relay/destination-throttle.js';

export interface OutcomeContext {
  send: Pick<Send, 'organizationId' | 'sendId' | 'campaignId' | 'campaignName'>;
  /** The state after the relay's 250. */
  accepted: 'SENT' | 'DELIVERED';
}

/** An attempted message of a chunk. */
export interface AttemptedMark {
  mark: LedgerMark;
  subject: string;
  relayId: number;
  /** When the relay answered. */
  at: Date;
}

/** Returns the outcome of a first attempt; its group event says whether it was sent. */
export function outcomeOfAttempt(
  report: AttemptReport,
  { mark: { recipient, subjectValues }, subject, relayId, at: answeredAt }: AttemptedMark,
  { send, accepted }: OutcomeContext,
): Outcome {
  const at = answeredAt.toISOString();
  const result = classifyAttempt(report, { attempts: 1, age: 0, accepted, mustArrive: false });
  const { state, code, response, wait } = result;
  const isSent = state === 'SENT' || state === 'DELIVERED';
  const events = isSent
    ? ''
    : factsOf(result, send.organizationId, {
        about: {
          messageId: wireId('msg', recipient.messageId),
          subscriberId: wireId('sub', recipient.subscriberId),
          campaignId: send.campaignId,
          campaignName: send.campaignName,
          subject,
          email: recipient.email,
          at,
          simulated: report.kind === 'simulated',
        },
        attempts: 1,
        relayUnavailable: isRelayUnavailable(report),
        newEventId: () => newId('evt'),
      });
  return { recipient, state, relayId, at, code, response, wait, skipReason: null, subjectValues, events };
}

const notAttempted = { relayId: null, at: null, code: null, subjectValues: null, events: '' };

export const outcomeOfSkip = (recipient: ChunkRecipient, skipReason: SkipReason, detail: string | null): Outcome => ({
  ...notAttempted,
  recipient,
  state: 'SKIPPED',
  skipReason,
  response: detail ?? '',
  wait: null,
});

/** Returns the outcome of a message whose destination takes none at the moment. */
export const outcomeOfBackoff = ({ recipient, subjectValues }: LedgerMark, { wait, reason }: Backoff): Outcome => ({
  ...notAttempted,
  recipient,
  subjectValues,
  state: 'DEFERRED',
  skipReason: null,
  response: reason,
  wait,
});

/** Returns the group event of outcomes of one chunk, and the events of single messages: JSON objects separated by commas. */
export function eventsOf(outcomes: readonly Outcome[], { send }: OutcomeContext, chunk: number): string | null {
  if (outcomes.length === 0) return null;
  const { organizationId, sendId, campaignId } = send;
  // All of them or none: a message that was not rendered has no values.
  const hasVariables = outcomes.some(({ subjectValues }) => subjectValues !== null);
  const messages = outcomes.map(({ recipient, state, subjectValues }) => ({
    position: recipient.position,
    subscriberId: wireId('sub', recipient.subscriberId),
    outcome: state,
    variant: null,
    destination: mailboxProvider(recipient.email.slice(recipient.email.lastIndexOf('@') + 1)),
    simulated: recipient.simulated,
    subjectValues: subjectValues ?? (hasVariables ? [] : null),
  }));
  const at = new Date(Date.now()).toISOString();
  const data = settledData({ sendId, campaignId, chunk, at }, messages);
  const group = JSON.stringify({ id: newId('evt'), organizationId, name: 'messages.settled', data });
  return [group, ...outcomes.flatMap(({ events }) => (events === '' ? [] : [events]))].join(',');
}
