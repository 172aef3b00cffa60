import { isReservedFieldName } from '#contracts';

/** The meaning of a column's cells; columns marked `left` are ignored. */
export type Column =
  | {
      kind:
        'email' | 'name' | 'firstName' | 'lastName' | 'phone' | 'country' | 'ipAddress' | 'tags' | 'status' | 'left';
    }
  | { kind: 'field'; name: string };

/** Spellings of the standard columns, without case, spaces, dashes and underscores. */
const spellings: Record<string, Exclude<Column['kind'], 'field' | 'left'>> = {
  email: 'email',
  emailaddress: 'email',
  mail: 'email',
  name: 'name',
  fullname: 'name',
  firstname: 'firstName',
  givenname: 'firstName',
  lastname: 'lastName',
  surname: 'lastName',
  familyname: 'lastName',
  phone: 'phone',
  phonenumber: 'phone',
  country: 'country',
  ipaddress: 'ipAddress',
  tag: 'tags',
  tags: 'tags',
  status: 'status',
};

/**
 * Determines each column's meaning from its heading.
 * @returns the columns, and a notice for each that is not imported
 * @throws HeaderError when no column holds addresses, or two columns mean the same
 */
export function readHeader(cells: readonly string[]): { columns: Column[]; notices: string[] } {
  const notices: string[] = [];
  const seen = new Set<string>();
  const columns = cells.map((cell, at): Column => {
    const name = cell.trim();
    const kind = spellings[name.toLowerCase().replace(/[\s_-]/g, '')];
    const key = kind ?? name.toLowerCase();
    if (key !== '' && seen.has(key))
      throw new HeaderError(`Two columns are both "${name}" (or another spelling of it).`);
    seen.add(key);
    if (kind) return { kind };
    if (name !== '' && !isReservedFieldName(name) && name.length <= 255) return { kind: 'field', name };
    notices.push(
      name === ''
        ? `Column ${at + 1} has no heading and is not imported.`
        : `Column "${name.slice(0, 60)}" is not imported: ${name.length > 255 ? 'its heading is too long' : 'the name is reserved'}.`,
    );
    return { kind: 'left' };
  });
  if (!seen.has('email')) throw new HeaderError(addressMissing(cells));
  return { columns, notices };
}

/** A file that cannot be imported at all; the message is for a person. */
export class HeaderError extends Error {}

function addressMissing(cells: readonly string[]): string {
  const first = cells.slice(0, 12).join(', ').slice(0, 300);
  return cells.some((cell) => cell.includes('@'))
    ? `The first line must name the columns (email, name, …); it is: ${first}`
    : `No column is called email (or e-mail, mail). The first line is: ${first}`;
}
