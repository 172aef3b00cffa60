import type { RetainedRows } from '#database';

/** What workflow deletes when it is old: one line for each table. Runs that have not ended stay with their history. */
export const retainedRows: readonly RetainedRows[] = [
  {
    data: 'runs',
    table: 'run_history',
    key: 'at, organization_id, run_id, visit',
    expired: `organization_id = $1 and at < $2 and not exists (select from run r where r.organization_id = $1
      and r.run_id = run_history.run_id and coalesce(r.state, '') in ('ACTIVE', 'WAITING'))`,
    dropped: true,
  },
  {
    data: 'runs',
    table: 'run',
    key: 'organization_id, run_id',
    // Ids are in the order of time, so that only old runs are read.
    expired: 'organization_id = $1 and run_id < uuid_floor($2) and finished_at < $2',
  },
];
