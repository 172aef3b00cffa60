import { enhancedCodeOf, isFinalRefusal } from './hand-over-report.js';
import type { HandOverReport } from './hand-over-report.js';
import type { HandOverResult } from './message.js';
import { retryWait } from './retry-schedule.js';

const responseLengthMax = 500;

/** What the verdict depends on beside the report. */
export interface HandOverFacts {
  /** Hand-overs of this message so far, this one included. */
  attempts: number;
  /** Seconds since the message was made. */
  age: number;
  /** What the relay's 250 means: DELIVERED where nobody will tell more. */
  accepted: 'SENT' | 'DELIVERED';
}

/**
 * Decides what became of a message. Once the final dot was written and no reply came, nobody can know; everything
 * before the dot is safe to try again, until the schedule gives up.
 */
export function judgeHandOver(report: HandOverReport, facts: HandOverFacts): HandOverResult {
  const nothing = { code: null, enhancedCode: null, wait: null };
  switch (report.kind) {
    case 'simulated':
      return { ...nothing, state: 'DELIVERED', response: 'simulated: a test address' };
    case 'withheld':
      return { ...nothing, state: 'DEFERRED', response: report.reason, wait: 0 };
    case 'lost':
      if (report.dotWritten) return { ...nothing, state: 'IN_DOUBT', response: report.reason };
      return later({ ...nothing, response: report.reason }, facts);
    case 'replied': {
      const { code } = report;
      const reply = { code, enhancedCode: enhancedCodeOf(report.response), response: cut(report.response), wait: null };
      if (code >= 200 && code < 300) return { ...reply, state: facts.accepted };
      return isFinalRefusal(code) ? { ...reply, state: 'FAILED' } : later(reply, facts);
    }
  }
}

function later(known: Omit<HandOverResult, 'state'>, { attempts, age }: HandOverFacts): HandOverResult {
  const wait = retryWait(attempts, age);
  return wait === null ? { ...known, state: 'FAILED' } : { ...known, state: 'DEFERRED', wait };
}

const cut = (text: string): string => text.replace(/[\p{Cc}]+/gu, ' ').slice(0, responseLengthMax);
