import { csvRecord, guarded, guardedPhone } from '#csv';
import { exportFields } from '#contracts';
import type { Filter, SubscriberStatus } from '#contracts';
import type { Field } from '../field/field.js';

type ExportField = (typeof exportFields)[number];

/**
 * A request for a file of all data of one subscriber. The null `filters` stop a process of a version that knows lists
 * only: it leaves the export to another process instead of writing a list.
 */
export interface DataRequest {
  subscriberId: string;
  filters: null;
  tagId: null;
}

export interface ExportRequest {
  /** Normalised: they name records by id. */
  filters: Filter[];
  query: string | null;
  status: SubscriberStatus | null;
  tagId: string | null;
  /** Null for all. */
  fields: ExportField[] | null;
}

export interface ExportRow {
  id: string;
  email: string;
  name: string | null;
  phone: string | null;
  status: SubscriberStatus;
  /** Names. */
  tags: readonly string[];
  /** Values by field name. */
  customFields: Readonly<Record<string, string>>;
  createdAt: string;
}

/** One column of a file: of the subscriber, or of one custom field, by its name and the key it is stored under. */
export type Column = { of: Exclude<ExportField, 'customFields'> } | { field: string; key: string };

export function columnsOf(fields: readonly ExportField[] | null, customFields: readonly Field[]): Column[] {
  const chosen = exportFields.filter((field) => !fields || fields.includes(field));
  const custom = customFields
    .map(({ name, key }) => ({ field: name, key }))
    .sort((a, b) => (a.field < b.field ? -1 : 1));
  return chosen.flatMap((of): Column[] => (of === 'customFields' ? custom : [{ of }]));
}

export function columnsNow(columns: readonly Column[], customFields: readonly Field[]): Column[] {
  const names = new Map(customFields.map(({ key, name }) => [key, name]));
  return columns.map((column) =>
    'of' in column ? column : { ...column, field: names.get(column.key) ?? column.field },
  );
}

export const headerOf = (columns: readonly Column[]): string =>
  csvRecord(columns.map((column) => ('of' in column ? column.of : guarded(column.field))));

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
