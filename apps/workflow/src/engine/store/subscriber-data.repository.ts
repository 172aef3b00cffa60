import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

interface Row {
  run_id: string;
  workflow_id: string;
  record: Record<string, unknown>;
}

export class SubscriberDataRepository {
  constructor(private readonly sql: Sql) {}

  async list(
    organizationId: string,
    subscriberId: string,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ id: string; [field: string]: unknown }[]> {
    const rows: Row[] = await this.sql.query(
      `select r.run_id, r.workflow_id, jsonb_build_object('workflowName', w.name, 'version', r.version, 'status', r.state,
         'stepId', r.step_id, 'startedAt', r.started_at, 'finishedAt', r.finished_at, 'reason', r.reason, 'history', coalesce((
           select jsonb_agg(jsonb_build_object('stepId', l.step_id, 'at', l.at, 'outcome', l.outcome, 'data', l.data) order by l.visit)
           from run_history l where l.organization_id = r.organization_id and l.run_id = r.run_id), '[]')) as record
       from run r join workflow w on w.organization_id = r.organization_id and w.workflow_id = r.workflow_id
       where r.organization_id = $1 and r.subscriber_id = $2 and ($3::uuid is null or r.run_id > $3)
       order by r.run_id limit $4`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), after && uuidOf('run', after), limit],
    );
    return rows.map(({ run_id, workflow_id, record }) => ({
      id: wireId('run', run_id),
      workflowId: wireId('wf', workflow_id),
      ...record,
    }));
  }
}
