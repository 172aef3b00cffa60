import type { accessTools, Args, Data } from '#contracts';

type Tools = (typeof accessTools)['calls'];
export type ListedEntry = Data<Tools['list_audit_entries']>['entries'][number];
export type AuditFilter = Omit<Args<Tools['list_audit_entries']>, 'limit' | 'cursor'>;
/** Its content is read when it is downloaded. */
export interface AuditExport {
  id: string;
  format: 'CSV' | 'JSON';
  filter: AuditFilter;
  createdAt: Date;
}
