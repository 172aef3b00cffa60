import type { ToolData, ToolInput } from '#client';

export type Import = ToolData<'get_subscriber_import'>['import'];
export type ImportCheck = NonNullable<Import['check']>;
export type ImportHead = NonNullable<Import['head']>;
export type ImportColumn = ImportHead['mapping'][number];
export type ImportOptions = NonNullable<ToolInput<'check_subscriber_import'>['options']>;

/** What a column can become besides a custom field. */
export const standardTargets = ['email', 'name', 'phone', 'country', 'ipAddress', 'tags', 'status'] as const;
/** How the values of a field are read; TEXT and NUMBER have no format. */
export const fieldTypes = [
  'TEXT',
  'NUMBER',
  'DATE',
  'DATE iso',
  'DATE dmy',
  'DATE mdy',
  'DATE ymd',
  'DATE unix',
] as const;
export type FieldType = (typeof fieldTypes)[number];

/** The choice for one column of the file: '' leaves it out, `field <name>` is a custom field. */
export interface ColumnChoice {
  target: string;
  type: FieldType;
}

export const fieldTarget = (name: string): string => `field ${name}`;
/** @returns the name of the custom field; null for any other target */
export const fieldOf = (target: string): string | null =>
  target.startsWith('field ') ? target.slice('field '.length) : null;

/** The choices of a mapping, one for each column of the file. */
export function choicesOf(columns: readonly string[], mapping: readonly ImportColumn[]): ColumnChoice[] {
  return columns.map((heading) => {
    const column = mapping.find((one) => one.column === heading);
    if (!column) return { target: '', type: 'TEXT' };
    const { to, field, type = 'TEXT', format } = column;
    return {
      target: to === 'field' ? fieldTarget(field ?? heading) : to,
      type: (format === undefined ? type : `${type} ${format}`) as FieldType,
    };
  });
}

/** The mapping that choices make. */
export function mappingOf(columns: readonly string[], choices: readonly ColumnChoice[]): ImportColumn[] {
  return columns.flatMap((column, place): ImportColumn[] => {
    const { target, type } = choices[place]!;
    if (target === '') return [];
    const field = fieldOf(target);
    if (field === null) return [{ column, to: target as (typeof standardTargets)[number] }];
    const [kind, format] = type.split(' ') as ['TEXT' | 'NUMBER' | 'DATE', NonNullable<ImportColumn['format']>?];
    return [{ column, to: 'field', field, ...(kind !== 'TEXT' && { type: kind }), ...(format && { format }) }];
  });
}

/** Whether two mappings mean the same, so that the formats of dates may still be inferred. */
export const isSameMapping = (a: readonly ImportColumn[], b: readonly ImportColumn[]): boolean =>
  JSON.stringify(a.map(parts)) === JSON.stringify(b.map(parts));

const parts = ({ column, to, field, type = 'TEXT', format }: ImportColumn) => [column, to, field, type, format];

/** The first different values of a column. */
export function examplesOf({ rows }: ImportHead, place: number): string[] {
  return [...new Set(rows.map((cells) => cells[place]?.trim() ?? '').filter(Boolean))].slice(0, 3);
}

/** Rows that a check refused, of all codes. */
export const refusedRows = ({ refused }: ImportCheck): number =>
  Object.values(refused).reduce((sum, count) => sum + count, 0);
