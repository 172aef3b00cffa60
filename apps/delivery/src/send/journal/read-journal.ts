import { z } from 'zod';
import type { LeaseJournal, NotedAttempt, NotedSubject } from './journal-lines.js';

const header = /^tidings attempts 1 (\S+) (\S+)$/;
const line = /^(dot|reply|subject) (\d{1,3})(?: ([12]))?(?: (\{.*\}))?$/;
const stage = z.enum(['MAIL', 'RCPT', 'DATA', 'END_OF_DATA']).optional();
const replied = z.object({ kind: z.literal('replied'), code: z.number().int(), response: z.string(), stage });
const notedReply = z.object({ at: z.number(), report: replied });
const notedSubject = z.object({ subject: z.string(), values: z.array(z.string()) });

/**
 * Reads a journal. A last line without an end was being written when the process died, and what it says had not begun.
 * @returns null for what is no journal, or one that is damaged
 */
export function readJournal(text: string): LeaseJournal | null {
  const lines = text.split('\n');
  lines.pop();
  const [, boot, owner] = header.exec(lines.shift() ?? '') ?? [];
  if (boot === undefined || owner === undefined) return null;
  const attempts = new Map<number, NotedAttempt>();
  const subjects = new Map<number, NotedSubject>();
  try {
    for (const one of lines) {
      const [, word, digits, relay, json] = line.exec(one) ?? [];
      const position = Number(digits);
      if (word === 'dot') attempts.set(position, { relayId: Number(relay), reply: null });
      else if (word === 'reply') {
        const reply = notedReply.parse(JSON.parse(json ?? ''));
        attempts.set(position, { relayId: Number(relay), reply });
      } else if (word === 'subject') subjects.set(position, notedSubject.parse(JSON.parse(json ?? '')));
      else return null;
    }
  } catch {
    return null;
  }
  return { boot, owner, attempts, subjects };
}
