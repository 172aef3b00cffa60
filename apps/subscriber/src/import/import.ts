import { importRow } from '#contracts';
import type { importRowCodes } from '#contracts';
import { parseInput, ToolError } from '#tool-call';
import { parseProfile, refusalOf } from '../subscriber/profile.js';
import type { ProfileInput } from '../subscriber/profile.js';
import { nameKey } from '../text/text.js';

export interface RowError {
  row: number;
  email: string | null;
  code: (typeof importRowCodes)[number];
  message: string;
}

/**
 * Reads the rows of an import; an invalid row fails alone, and rows with the same mailbox are merged, as if saved by
 * separate calls.
 * @returns the subscribers to save, the rows of each, and the errors of the other rows
 */
export function readRows(rows: readonly unknown[]): {
  people: ProfileInput[];
  rowsOf: Map<string, number[]>;
  errors: RowError[];
} {
  const people = new Map<string, ProfileInput[]>();
  const rowsOf = new Map<string, number[]>();
  const errors: RowError[] = [];
  for (const [row, body] of rows.entries()) {
    const read = readRow(body);
    if ('person' in read) {
      const key = read.person.emailKey;
      rowsOf.set(key, [...(rowsOf.get(key) ?? []), row]);
      const same = people.get(read.person.emailKey);
      if (same) same.push(read.person);
      else people.set(read.person.emailKey, [read.person]);
    } else {
      errors.push({ row, email: emailOf(body), ...read });
    }
  }
  return { people: [...people.values()].map(joinRows), rowsOf, errors };
}

/** Merges several rows of one subscriber: the last name, number and value of each field, and the tags of all. */
export function joinRows(rows: readonly ProfileInput[]): ProfileInput {
  const last = rows.at(-1)!;
  if (rows.length === 1) return last;
  const latest = <K extends 'name' | 'phone' | 'country' | 'ip'>(key: K) =>
    rows.findLast((row) => row[key] !== undefined)?.[key];
  const fields = new Map<string, [name: string, value: string | null]>();
  for (const [name, value] of rows.flatMap((row) => [...row.fields])) {
    const key = nameKey(name);
    fields.set(key, [fields.get(key)?.[0] ?? name, value]);
  }
  return {
    ...last,
    name: latest('name'),
    phone: latest('phone'),
    country: latest('country'),
    ip: latest('ip'),
    fields: new Map(fields.values()),
    tags: rows.flatMap(({ tags }) => tags),
  };
}

export const refusedRows = (
  rows: readonly unknown[],
  rowsOf: ReadonlyMap<string, number[]>,
  refused: ReadonlyMap<string, ToolError>,
): RowError[] =>
  [...refused].flatMap(([key, { message }]) =>
    rowsOf.get(key)!.map((row) => ({ row, email: emailOf(rows[row]), code: 'LIMIT_REACHED' as const, message })),
  );

/** Addresses that a warning names; a list of subscribers by status has all of them. */
const namedMax = 10;

/** Each warning once, with the addresses that it is about. */
export function warningsOf(people: readonly { email: string; warning: string | null }[]): string[] {
  const emails = new Map<string, string[]>();
  for (const { email, warning } of people) {
    if (warning !== null) emails.set(warning, [...(emails.get(warning) ?? []), email]);
  }
  return [...emails].map(([warning, about]) => {
    const more = about.length > namedMax ? ` and ${about.length - namedMax} more` : '';
    return `${about.slice(0, namedMax).join(', ')}${more}: ${warning}`;
  });
}

function readRow(body: unknown): { person: ProfileInput } | Pick<RowError, 'code' | 'message'> {
  try {
    const read = parseProfile(parseInput(importRow, body));
    if (read.ok) return { person: read.person };
    const { refusal } = read;
    if (refusal.problem === 'EMAIL_INVALID') return { code: 'EMAIL_INVALID', message: refusal.issue.message };
    return { code: refusal.problem, message: refusalOf(refusal).message };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { code: 'ROW_INVALID', message: error.message };
  }
}

function emailOf(body: unknown): string | null {
  const email = body !== null && typeof body === 'object' ? (body as { email?: unknown }).email : null;
  return typeof email === 'string' ? email.slice(0, 320) : null;
}
