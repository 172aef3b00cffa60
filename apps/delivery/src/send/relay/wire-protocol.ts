import type { AttemptReport, SmtpStage } from '../../message/attempt-report.js';
import type { SmtpMessage } from '../../message/message.js';
import type { JournalEntry } from '../journal/journal-lines.js';
import { levelOf, pipeliningOf } from './pipelining.js';
import type { Pipelining } from './pipelining.js';
import type { RelayAddress } from './relay-address.js';

/** Timeouts of the parts of a conversation, in milliseconds (RFC 5321 4.5.3.2). */
export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  /** Until the relay requests the data. */
  commandMs: number;
  /** From the first octet of the data to the reply after the final dot. */
  dataMs: number;
}

export interface OpenOrder {
  connection: number;
  address: RelayAddress;
  timeouts: SmtpTimeouts;
  /** Whether to request notifications of deliveries, and not of bounces alone (RFC 3461). */
  receipts: boolean;
  pipelining: Pipelining;
}

/** Attempts in progress in one thread; each has an index, which is used again after it. */
export const attemptsMax = 2_048;

/**
 * Numbers of one attempt in `attempts`: connection, index, number of the message, whether signed, deadline; and those of
 * its journal entry, the first of which is -1 without one.
 */
export const attemptStride = 8;

/**
 * The message is begun before this time of `monotonicMs`; Infinity for no limit. All threads of a process have the same
 * clock, unlike `performance.now()`.
 */
export const monotonicMs = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
};

/** An attempt of a message whose text the thread does not have. */
export interface TextAttempt {
  connection: number;
  index: number;
  message: SmtpMessage;
  before: number;
  journal: JournalEntry | null;
}

/** When and under which conditions a message is attempted. */
export interface AttemptTerms {
  /** No data is begun after it, by `monotonicMs`; Infinity for no limit. The report is then that it was withheld. */
  before: number;
  /** Where dot and reply are noted; null for no note. */
  journal: JournalEntry | null;
}

/** What a thread reports of one attempt beside the outcome. */
export interface WireSigns {
  /** Whether the connection can take another message. */
  usable: boolean;
  /** The message did not reach the relay, and may be attempted on another connection. */
  again: boolean;
  /** The relay refused the connection, not the message. */
  unwelcome: boolean;
  /** The relay lost or misread commands that shared a write. */
  misread: boolean;
  used: Pipelining;
  /** Milliseconds from the commands to the last reply. */
  wireMs: number;
}

const stages = ['MAIL', 'RCPT', 'DATA', 'END_OF_DATA'] as const satisfies readonly SmtpStage[];
const kinds = ['replied', 'lost', 'withheld'] as const satisfies readonly AttemptReport['kind'][];
const bits = { dotWritten: 1, usable: 2, again: 4, unwelcome: 8, misread: 16 };

/** Numbers of one report: index, kind, code, stage, bits, pipelining, milliseconds. */
export const reportStride = 7;

/** Reports of one turn of a thread's event loop, without an object for each. */
export interface ReportBatch {
  numbers: number[];
  texts: string[];
}

export function writeReport(batch: ReportBatch, index: number, report: AttemptReport, signs: WireSigns): void {
  const { usable, again, unwelcome, misread, used, wireMs } = signs;
  const isReply = report.kind === 'replied';
  const set =
    (report.kind === 'lost' && report.dotWritten ? bits.dotWritten : 0) |
    (usable ? bits.usable : 0) |
    (again ? bits.again : 0) |
    (unwelcome ? bits.unwelcome : 0) |
    (misread ? bits.misread : 0);
  const kind = kinds.indexOf(report.kind as (typeof kinds)[number]);
  const stage = isReply && report.stage ? stages.indexOf(report.stage) : -1;
  batch.numbers.push(index, kind, isReply ? report.code : 0, stage, set, levelOf(used), wireMs);
  batch.texts.push(isReply ? report.response : report.kind === 'simulated' ? '' : report.reason);
}

/** Calls `take` with each report of a batch, in order. */
export function readReports(
  { numbers, texts }: ReportBatch,
  take: (index: number, report: AttemptReport, signs: WireSigns) => void,
): void {
  for (let at = 0; at < numbers.length; at += reportStride) {
    const [index, kind, code, stage, set, level, wireMs] = numbers.slice(at, at + reportStride) as [
      ...[number, number, number, number, number, number, number],
    ];
    const text = texts[at / reportStride]!;
    take(index, reportOf(kinds[kind]!, { code, stage, text, dotWritten: (set & bits.dotWritten) !== 0 }), {
      usable: (set & bits.usable) !== 0,
      again: (set & bits.again) !== 0,
      unwelcome: (set & bits.unwelcome) !== 0,
      misread: (set & bits.misread) !== 0,
      used: pipeliningOf(level),
      wireMs,
    });
  }
}

function reportOf(
  kind: (typeof kinds)[number],
  { code, stage, text, dotWritten }: { code: number; stage: number; text: string; dotWritten: boolean },
): AttemptReport {
  if (kind === 'lost') return { kind, dotWritten, reason: text };
  if (kind === 'withheld') return { kind, reason: text };
  return stage < 0 ? { kind, code, response: text } : { kind, code, response: text, stage: stages[stage]! };
}
