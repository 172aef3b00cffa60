import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

export class DateTriggerRepository {
  constructor(private readonly sql: Sql) {}

  async listWorkflows(): Promise<{ organizationId: string; workflowId: string; version: number }[]> {
    const rows: { organization_id: string; workflow_id: string; published_version: number }[] = await this.sql.query(
      `select distinct w.organization_id, w.workflow_id, w.published_version from trigger_index t
       join workflow w on w.organization_id = t.organization_id and w.workflow_id = t.workflow_id and w.status = 'ACTIVE'
       where t.kind = 'DATE_FIELD'`,
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      workflowId: wireId('wf', row.workflow_id),
      version: row.published_version,
    }));
  }

  /** Claims a day of a trigger. @returns false when it has already run */
  async insertDay(
    organizationId: string,
    { workflowId, stepId, day }: { workflowId: string; stepId: string; day: string },
  ): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `insert into date_trigger_day (organization_id, workflow_id, step_id, day) values ($1, $2, $3, $4)
       on conflict do nothing returning 1`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId), stepId, day],
    );
    return rows.length > 0;
  }
}
