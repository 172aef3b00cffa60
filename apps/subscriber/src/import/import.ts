import { importRow } from '#contracts';
import type { importRowCodes } from '#contracts';
import { parseInput, ToolError } from '#tool-call';
import { personOf } from '../subscriber/person.js';
import type { PersonInput } from '../subscriber/person.js';

/** Why a row was not imported, with its place in the call. */
export interface RowError {
  row: number;
  email: string | null;
  code: (typeof importRowCodes)[number];
  message: string;
}

/**
 * Reads the rows of an import; a bad one fails alone. Of rows with the same mailbox the last one wins.
 * @returns the people to save, how many rows they came from, and what was wrong with the others
 */
export function readRows(rows: readonly unknown[]): { people: PersonInput[]; accepted: number; errors: RowError[] } {
  const people = new Map<string, PersonInput>();
  const errors: RowError[] = [];
  let accepted = 0;
  for (const [row, body] of rows.entries()) {
    const read = readRow(body);
    if ('person' in read) {
      accepted++;
      people.set(read.person.emailKey, read.person);
    } else {
      errors.push({ row, email: emailOf(body), ...read });
    }
  }
  return { people: [...people.values()], accepted, errors };
}

function readRow(body: unknown): { person: PersonInput } | Pick<RowError, 'code' | 'message'> {
  try {
    const read = personOf(parseInput(importRow, body));
    if (read.ok) return { person: read.person };
    const { refusal } = read;
    if (refusal.problem === 'EMAIL_INVALID') return { code: 'EMAIL_INVALID', message: refusal.issue.message };
    return { code: 'FIELD_RESERVED', message: new ToolError('FIELD_RESERVED', { name: refusal.name }).message };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { code: 'ROW_INVALID', message: error.message };
  }
}

function emailOf(body: unknown): string | null {
  const email = body !== null && typeof body === 'object' ? (body as { email?: unknown }).email : null;
  return typeof email === 'string' ? email.slice(0, 320) : null;
}
