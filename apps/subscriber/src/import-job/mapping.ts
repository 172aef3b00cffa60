import { isReservedFieldName } from '#contracts';
import type { ImportColumn, Issue } from '#contracts';
import { nameKey } from '#tool-call';

export interface MappedColumn extends ImportColumn {
  at: number;
}

export interface Suggestion {
  column: string;
  message: string;
}

/** Spellings of the standard columns, without case, spaces, dashes and underscores. */
const spellings: Record<string, Exclude<ImportColumn['to'], 'field'> | 'namePart'> = {
  email: 'email',
  emailaddress: 'email',
  mail: 'email',
  mailaddress: 'email',
  subscriberemail: 'email',
  name: 'name',
  fullname: 'name',
  displayname: 'name',
  firstname: 'namePart',
  givenname: 'namePart',
  lastname: 'namePart',
  surname: 'namePart',
  familyname: 'namePart',
  phone: 'phone',
  phonenumber: 'phone',
  telephone: 'phone',
  mobile: 'phone',
  country: 'country',
  countrycode: 'country',
  ipaddress: 'ipAddress',
  ip: 'ipAddress',
  tag: 'tags',
  tags: 'tags',
  status: 'status',
};
const spellingOf = (heading: string) => spellings[heading.toLowerCase().replace(/[\s_-]/g, '')];

const repeatable: readonly ImportColumn['to'][] = ['name', 'tags', 'field'];

/**
 * Infers the meaning of the columns from their headings, and of the addresses from the first rows.
 * @returns the columns, and a note on each that is left out
 */
export function inferMapping(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): { columns: MappedColumn[]; suggestions: Suggestion[] } {
  const suggestions: Suggestion[] = [];
  const hasName = headings.some((heading) => spellingOf(heading) === 'name');
  const hasEmail = headings.some((heading) => spellingOf(heading) === 'email');
  const emailAt = hasEmail ? -1 : addressColumn(headings, rows);
  const seen = new Set<string>();
  const columns = headings.flatMap((heading, at): MappedColumn[] => {
    const leave = (message: string) => {
      suggestions.push({ column: heading, message });
      return [];
    };
    if (heading === '') return leave(`Column ${at + 1} has no heading and is not imported.`);
    const spelling = at === emailAt ? 'email' : spellingOf(heading);
    const to = spelling === 'namePart' ? (hasName ? undefined : 'name') : spelling;
    const key = to ?? `field ${nameKey(heading)}`;
    if (seen.has(key) && (to === undefined || !repeatable.includes(to))) {
      return leave('Another column has this meaning. Map one of them.');
    }
    seen.add(key);
    if (to) return [{ at, column: heading, to }];
    if (isReservedFieldName(heading))
      return leave('The heading is a reserved name. Map it to a field of another name.');
    if (heading.length > 255) return leave('The heading is longer than 255 characters. Map it to a field.');
    return [{ at, column: heading, to: 'field', field: heading }];
  });
  return { columns, suggestions };
}

/** The column whose first values hold an address more often than those of any other; -1 for none. */
function addressColumn(headings: readonly string[], rows: readonly (readonly string[])[]): number {
  const counts = headings.map((_, at) => rows.filter((cells) => /^\S+@\S+\.\S+$/.test(cells[at]?.trim() ?? '')).length);
  const most = Math.max(0, ...counts);
  return most > 0 ? counts.indexOf(most) : -1;
}

/**
 * Finds the columns of a mapping in a file.
 * @returns the columns, and what is wrong with the mapping
 */
export function readMapping(
  mapping: readonly ImportColumn[],
  headings: readonly string[],
): { columns: MappedColumn[]; issues: Issue[] } {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  const columns = mapping.map((column, place): MappedColumn => {
    const issue = (key: string, message: string) => issues.push({ path: ['mapping', place, key], message });
    const name = column.column.trim();
    const at = headings.indexOf(name);
    if (at === -1) issue('column', `is no heading of the file; its headings are ${shortList(headings)}`);
    else if (headings.indexOf(name, at + 1) !== -1) issue('column', 'is the heading of several columns');
    const field = column.to === 'field' ? (column.field ?? name) : undefined;
    if (column.to !== 'field') {
      for (const key of ['field', 'type', 'format'] as const)
        if (column[key] !== undefined) issue(key, 'is allowed for a column to: field only');
    } else if (isReservedFieldName(field!)) issue('field', 'is a reserved name and cannot be a custom field');
    else if (field === '' || field!.length > 255) issue('field', 'must have 1 to 255 characters');
    if (column.format !== undefined && column.type !== 'DATE') issue('format', 'is allowed for the type DATE only');
    const target = field === undefined ? column.to : `field ${nameKey(field)}`;
    if (seen.has(target) && (field !== undefined || !repeatable.includes(column.to)))
      issue('to', 'is the target of another column, too');
    seen.add(target);
    return { ...column, column: name, at, ...(field !== undefined && { field }) };
  });
  if (!seen.has('email')) issues.push({ path: ['mapping'], message: 'has no column to: email' });
  return { columns, issues };
}

const shortList = (headings: readonly string[]): string =>
  headings
    .slice(0, 12)
    .map((heading) => `"${heading.slice(0, 40)}"`)
    .join(', ') + (headings.length > 12 ? ' …' : '');
