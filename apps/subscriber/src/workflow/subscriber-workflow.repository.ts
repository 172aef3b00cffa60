import { uuidOf } from '#database';
import type { Sql } from '#database';

export interface RunChange {
  subscriberId: string;
  workflowId: string;
  at: string;
  active: 1 | -1;
  completed: 0 | 1;
}

export class SubscriberWorkflowRepository {
  constructor(private readonly sql: Sql) {}

  /** Adds up runs, in one statement; those of subscribers who are gone are left out. */
  async addRuns(organizationId: string, changes: readonly RunChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.sql.query(
      `insert into subscriber_workflow as w (organization_id, workflow_id, subscriber_id, active_runs, completed_runs, entered_at)
       select $1, u.workflow, u.person, sum(u.active), sum(u.completed), min(u.at) filter (where u.active > 0)
       from unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::timestamptz[]) u(workflow, person, active, completed, at)
       join subscriber s on s.organization_id = $1 and s.subscriber_id = u.person
       group by u.workflow, u.person order by u.workflow, u.person
       on conflict (organization_id, workflow_id, subscriber_id) do update set
         active_runs = w.active_runs + excluded.active_runs, completed_runs = w.completed_runs + excluded.completed_runs,
         entered_at = coalesce(w.entered_at, excluded.entered_at)`,
      [
        uuidOf('org', organizationId),
        changes.map(({ workflowId }) => uuidOf('wf', workflowId)),
        changes.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        changes.map(({ active }) => active),
        changes.map(({ completed }) => completed),
        changes.map(({ at }) => at),
      ],
    );
  }
}
