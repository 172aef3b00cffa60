import { ftruncateSync, writeSync } from 'node:fs';
import type { AttemptReport } from '../../message/attempt-report.js';

/** Where an attempt is noted: the open file of its chunk's lease, and what its lines name. */
export interface JournalEntry {
  file: number;
  position: number;
  relayId: number;
}

/** What a relay answered, and when, in milliseconds since the epoch. */
export interface NotedReply {
  at: number;
  report: AttemptReport & { kind: 'replied' };
}

/** What is known of an attempt whose dot may have been written. */
export interface NotedAttempt {
  relayId: number;
  /** Null: the relay may have the message. */
  reply: NotedReply | null;
}

/** A subject, and what fills its places. */
export interface NotedSubject {
  subject: string;
  values: readonly string[];
}

/** The journal of one lease of a chunk; the keys are positions. A marked position without an attempt was never begun. */
export interface LeaseJournal {
  boot: string;
  owner: string;
  attempts: ReadonlyMap<number, NotedAttempt>;
  subjects: ReadonlyMap<number, NotedSubject>;
}

const headerOf = (boot: string, owner: string): string => `tidings attempts 1 ${boot} ${owner}\n`;

/** Begins the journal of a lease. @param boot names the start of the machine: its page cache holds the lines */
export const noteLease = (file: number, boot: string, owner: string): void => write(file, headerOf(boot, owner));

/** Notes that the dot of a message is about to be written. */
export const noteDot = ({ file, position, relayId }: JournalEntry): void => write(file, `dot ${position} ${relayId}\n`);

/** Notes the relay's reply to a message. Other reports need no line: without one, the dot decides. */
export function noteReport({ file, position, relayId }: JournalEntry, report: AttemptReport): void {
  if (report.kind !== 'replied') return;
  write(file, `reply ${position} ${relayId} ${JSON.stringify({ at: Date.now(), report } satisfies NotedReply)}\n`);
}

/** Notes the subjects of messages that are about to be attempted. */
export function noteSubjects(file: number, subjects: ReadonlyMap<number, NotedSubject>): void {
  if (subjects.size === 0) return;
  write(file, [...subjects].map(([position, one]) => `subject ${position} ${JSON.stringify(one)}\n`).join(''));
}

/** A line that cannot be written makes the journal say less than happened, so that it must say nothing. */
function write(file: number, lines: string): void {
  try {
    if (writeSync(file, lines) === Buffer.byteLength(lines)) return;
  } catch {
    // As below.
  }
  ftruncateSync(file, 0);
}
