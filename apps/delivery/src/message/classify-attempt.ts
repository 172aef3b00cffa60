import { enhancedCodeOf, isFinalRefusal, withStage } from './attempt-report.js';
import type { AttemptReport } from './attempt-report.js';
import type { AttemptResult } from './message.js';
import { retryWait } from './retry-schedule.js';

const responseLengthMax = 500;

export interface AttemptFacts {
  /** Hand-overs of this message so far, this one included. */
  attempts: number;
  /** Seconds since the message was created. */
  age: number;
  /** The state after the relay's 250: DELIVERED where no later report is expected. */
  accepted: 'SENT' | 'DELIVERED';
  /** Whether it must arrive, even at the risk of arriving twice. */
  mustArrive: boolean;
}

/**
 * If the final dot was written and no reply came, the outcome is unknown; a message that must arrive is tried again all
 * the same. Before the dot, every attempt can be repeated safely until the schedule ends.
 */
export function classifyAttempt(report: AttemptReport, facts: AttemptFacts): AttemptResult {
  const nothing = { code: null, enhancedCode: null, wait: null };
  switch (report.kind) {
    case 'simulated':
      return { ...nothing, state: 'DELIVERED', response: 'simulated: a test address' };
    case 'withheld':
      return { ...nothing, state: 'DEFERRED', response: report.reason, wait: 0 };
    case 'lost':
      return later({ ...nothing, response: report.reason }, facts, report.dotWritten);
    case 'replied': {
      const { code, stage } = report;
      const response = withStage(cut(report.response), stage);
      const reply = { code, enhancedCode: enhancedCodeOf(report.response), response, wait: null };
      if (code >= 200 && code < 300) return { ...reply, state: facts.accepted };
      return isFinalRefusal(report) ? { ...reply, state: 'FAILED' } : later(reply, facts);
    }
  }
}

function later(
  known: Omit<AttemptResult, 'state'>,
  { attempts, age, mustArrive }: AttemptFacts,
  maybeTaken = false,
): AttemptResult {
  const wait = maybeTaken && !mustArrive ? null : retryWait(attempts, age);
  if (wait !== null) return { ...known, state: 'DEFERRED', wait };
  return { ...known, state: maybeTaken ? 'IN_DOUBT' : 'FAILED' };
}

const cut = (text: string): string =>
  text
    .replace(/[\p{Cc}]+/gu, ' ')
    .slice(0, responseLengthMax)
    // jsonb accepts no half surrogate pair: the events of a whole batch would never be recorded.
    .replace(/[\ud800-\udbff]$/u, '');
