import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { AuditExport, AuditFilter } from './audit.js';

interface Row {
  export_id: string;
  format: AuditExport['format'];
  filter: AuditFilter;
}

const exportOf = (row: Row): AuditExport => ({
  id: wireId('aex', row.export_id),
  format: row.format,
  filter: row.filter,
  createdAt: createdAtOf(row.export_id),
});

/** Files of the audit log that were requested; their content is read when they are downloaded. */
export class AuditExportRepository {
  constructor(private readonly sql: Sql) {}

  async insert(organizationId: string, format: AuditExport['format'], filter: AuditFilter): Promise<AuditExport> {
    const id = newUuid();
    const rows: Row[] = await this.sql.query(
      `insert into audit_export (organization_id, export_id, format, filter, created_at) values ($1, $2, $3, $4, $5)
       returning export_id, format, filter`,
      [uuidOf('org', organizationId), id, format, JSON.stringify(filter), createdAtOf(id)],
    );
    return exportOf(rows[0]!);
  }

  async find(organizationId: string, exportId: string): Promise<AuditExport | null> {
    const rows: Row[] = await this.sql.query(
      `select export_id, format, filter from audit_export where organization_id = $1 and export_id = $2`,
      [uuidOf('org', organizationId), uuidOf('aex', exportId)],
    );
    return rows[0] ? exportOf(rows[0]) : null;
  }

  async deleteOld(): Promise<number> {
    const [, gone] = await this.sql.query<[unknown[], number]>(
      `delete from audit_export where export_id in (
         select export_id from audit_export where created_at < clock_timestamp() - interval '1 day' limit 1000)`,
    );
    return gone;
  }
}
