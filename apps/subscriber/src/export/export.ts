import { exportFields } from '#contracts';
import type { Filter, SubscriberStatus } from '#contracts';
import { csvRecord, guarded, guardedPhone } from './csv.js';

type ExportField = (typeof exportFields)[number];

/** What an export was asked for, as it is kept. */
export interface ExportRequest {
  /** Normalised: they name records by id. */
  filters: Filter[];
  query: string | null;
  status: SubscriberStatus | null;
  tagId: string | null;
  /** Null for all. */
  fields: ExportField[] | null;
}

/** A person as a file shows one. */
export interface ExportRow {
  id: string;
  email: string;
  name: string | null;
  phone: string | null;
  status: SubscriberStatus;
  /** Their names. */
  tags: readonly string[];
  /** Values by field name. */
  customFields: Readonly<Record<string, string>>;
  createdAt: string;
}

/** One column of a file: of the subscriber, or of one custom field. */
export type Column = { of: Exclude<ExportField, 'customFields'> } | { field: string };

/** The columns of a file, in the order of the API text. */
export function columnsOf(fields: readonly ExportField[] | null, customFields: readonly string[]): Column[] {
  const chosen = exportFields.filter((field) => !fields || fields.includes(field));
  const sorted = [...customFields].sort((a, b) => (a < b ? -1 : 1));
  return chosen.flatMap((of): Column[] => (of === 'customFields' ? sorted.map((field) => ({ field })) : [{ of }]));
}

/** The first record of a file. */
export const headerOf = (columns: readonly Column[]): string =>
  csvRecord(columns.map((column) => ('of' in column ? column.of : guarded(column.field))));

/** The records of people. */
export const recordsOf = (people: readonly ExportRow[], columns: readonly Column[]): string =>
  people.map((person) => csvRecord(columns.map((column) => cellOf(person, column)))).join('');

function cellOf(person: ExportRow, column: Column): string {
  const { customFields } = person;
  // A field may be called like something that every object has: constructor.
  if ('field' in column) return Object.hasOwn(customFields, column.field) ? guarded(customFields[column.field]!) : '';
  switch (column.of) {
    case 'phone':
      return guardedPhone(person.phone ?? '');
    case 'tags':
      return guarded(person.tags.join(', '));
    default:
      return guarded(person[column.of] ?? '');
  }
}
