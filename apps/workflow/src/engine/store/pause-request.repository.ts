import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

export class PauseRequestRepository {
  constructor(private readonly sql: Sql) {}

  /** Adds a request for each workflow that has none, with one of its subscribers; locks no row of a workflow. */
  async insert(organizationId: string, starts: readonly { workflowId: string; subscriberId: string }[]): Promise<void> {
    if (starts.length === 0) return;
    await this.sql.query(
      `insert into pause_request (organization_id, workflow_id, subscriber_id)
       select distinct on (u.workflow) $1::uuid, u.workflow, u.subscriber from unnest($2::uuid[], $3::uuid[]) u(workflow, subscriber)
       where not exists (select from pause_request q where q.organization_id = $1 and q.workflow_id = u.workflow)
       order by u.workflow`,
      [
        uuidOf('org', organizationId),
        starts.map(({ workflowId }) => uuidOf('wf', workflowId)),
        starts.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
      ],
    );
  }

  /** Workflows with a request, the oldest request first; at most 50. */
  async listWorkflows(): Promise<{ organizationId: string; workflowId: string }[]> {
    const rows: { organization_id: string; workflow_id: string }[] = await this.sql.query(
      `select organization_id, workflow_id from pause_request group by organization_id, workflow_id order by min(seq) limit 50`,
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      workflowId: wireId('wf', row.workflow_id),
    }));
  }

  /**
   * Deletes the requests of a workflow, whose row the caller has locked. @returns their subscribers, the oldest first
   */
  async deleteOfWorkflow(organizationId: string, workflowId: string): Promise<string[]> {
    const [rows]: [{ seq: string; subscriber_id: string }[]] = await this.sql.query(
      `delete from pause_request where organization_id = $1 and workflow_id = $2 returning seq, subscriber_id`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId)],
    );
    return rows.sort((a, b) => Number(a.seq) - Number(b.seq)).map((row) => wireId('sub', row.subscriber_id));
  }
}
