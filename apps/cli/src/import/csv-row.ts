import type { Column } from './csv-header.js';

/** A row as import_subscribers takes it. */
export interface ImportRow {
  email: string;
  name?: string | undefined;
  phone?: string | undefined;
  country?: string | undefined;
  ipAddress?: string | undefined;
  tags?: string[] | undefined;
  fields?: Record<string, string> | undefined;
}

/** The longest value of a custom field, which is the longest of any field. */
const cellLettersMax = 10_000;

/**
 * Statuses of other systems that allow mail, without spaces, dashes and underscores. A list of the statuses that forbid
 * it ("cleaned", "opted out", "blocklisted") would never be complete, and a missing one would make a row SUBSCRIBED.
 */
const mailable = new Set(['subscribed', 'active', 'confirmed', 'enabled', 'optedin', 'optin']);

/**
 * Converts the cells of a row to a subscriber. Empty cells are omitted, so that they clear nothing; missing cells at
 * the end count as empty.
 * @param tags for all rows
 * @returns the row, or why it is refused; the service validates the address
 */
export function rowOf(
  columns: readonly Column[],
  cells: readonly string[],
  tags: readonly string[],
): { row: ImportRow } | { email: string | null; problem: string } {
  const values = cells.map((cell) => cell.trim());
  const textOf = (kind: Column['kind']) => values[columns.findIndex((column) => column.kind === kind)] || undefined;
  const email = textOf('email') ?? null;
  const problem = problemOf(columns, values, textOf('status'));
  if (problem) return { email: email?.slice(0, 320) ?? null, problem };
  if (email === null) return { email, problem: 'The row has no address.' };

  const fields = columns.flatMap((column, at) =>
    column.kind === 'field' && values[at] ? [[column.name, values[at]] as const] : [],
  );
  const allTags = [...new Set([...tags, ...(textOf('tags')?.split(/[;,]/) ?? []).map(tagOf)])].filter(Boolean);
  const row: ImportRow = {
    email,
    name: textOf('name') ?? ([textOf('firstName'), textOf('lastName')].filter(Boolean).join(' ') || undefined),
    phone: textOf('phone'),
    country: textOf('country'),
    ipAddress: textOf('ipAddress'),
    tags: allTags.length > 0 ? allTags : undefined,
    fields: fields.length > 0 ? Object.fromEntries(fields) : undefined,
  };
  return { row };
}

/** Some systems put each tag of a cell in quotes of its own: `"vip","old"`. */
const tagOf = (text: string): string => {
  const tag = text.trim();
  return (/^"([^"]*)"$/.exec(tag)?.[1] ?? tag).trim();
};

function problemOf(columns: readonly Column[], values: readonly string[], status: string | undefined): string | null {
  if (values.slice(columns.length).some(Boolean)) {
    return `The row has ${values.length} cells, the header ${columns.length}: is a cell with the delimiter in it not quoted?`;
  }
  const long = values.find((value) => value.length > cellLettersMax);
  if (long)
    return `A cell has ${long.length.toLocaleString('en')} characters; at most ${cellLettersMax.toLocaleString('en')} are kept.`;
  if (status === undefined || mailable.has(status.toLowerCase().replace(/[\s_-]/g, ''))) return null;
  return `The file says ${status.slice(0, 60)}: importing would subscribe this person again. If the column means something else, give it another heading.`;
}
