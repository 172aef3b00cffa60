import { csvRecord, guarded } from '#csv';
import type { AuditExport, ListedEntry } from './audit.js';

const columns: readonly [string, (entry: ListedEntry) => string | null][] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['actorKind', ({ actor }) => actor.kind],
  ['actorId', ({ actor }) => actor.id],
  ['actorName', ({ actor }) => actor.name],
  ['tool', ({ tool }) => tool],
  ['target', ({ target }) => target],
  ['source', ({ source }) => source],
  ['outcome', ({ outcome }) => outcome],
  ['requestId', ({ requestId }) => requestId],
  ['sessionId', ({ sessionId }) => sessionId],
  ['ip', ({ ip }) => ip],
  ['approvedById', ({ approvedBy }) => approvedBy?.id ?? null],
  ['approvedByName', ({ approvedBy }) => approvedBy?.name ?? null],
];

export const auditFileName = ({ format, createdAt }: AuditExport): string =>
  `audit-log-${createdAt.toISOString().slice(0, 10)}.${format.toLowerCase()}`;

/** One part of a file: its rows, with what stands before the first and after the last one. */
export function auditText(
  { format }: Pick<AuditExport, 'format'>,
  entries: readonly ListedEntry[],
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): string {
  if (format === 'CSV') {
    const rows = entries.map((entry) => csvRecord(columns.map(([, of]) => guarded(of(entry) ?? ''))));
    return [...(isFirst ? [csvRecord(columns.map(([name]) => name))] : []), ...rows].join('');
  }
  const rows = entries.map((entry) => JSON.stringify(entry)).join(',\n');
  return `${isFirst ? '[\n' : entries.length > 0 ? ',\n' : ''}${rows}${isLast ? '\n]\n' : ''}`;
}
