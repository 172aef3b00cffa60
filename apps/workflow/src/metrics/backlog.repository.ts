import type { Sql } from '#database';

export interface Backlog {
  /** Due runs not yet claimed; at most 200 of each of the 64 shards are counted. */
  runsDue: number;
  /** Seconds for which the oldest of these runs has been due. */
  latenessSeconds: number;
  /** Enrolment requests not yet decided, counted to 10000. */
  starts: number;
  enrolments: number;
  enrolmentsFailed: number;
  /** Workflows that the system paused, because workflows start each other. */
  pausedBySystem: number;
}

/** Measures backlogs for monitoring; each measure reads a bounded range of one index. */
export class BacklogRepository {
  constructor(private readonly sql: Sql) {}

  async get(): Promise<Backlog> {
    const rows: Backlog[] = await this.sql.query(
      `select coalesce(sum(d.n), 0)::int as "runsDue", coalesce(max(d.late), 0)::float8 as "latenessSeconds",
         (select count(*)::int from (select from start_request limit 10000) s) as starts,
         (select count(*)::int from enrolment_job where finished_at is null) as enrolments,
         (select count(*)::int from enrolment_job where failure is not null
           and finished_at > statement_timestamp() - interval '1 day') as "enrolmentsFailed",
         (select count(*)::int from workflow where status = 'PAUSED' and paused_reason is not null) as "pausedBySystem"
       from generate_series(0, 63) s cross join lateral (
         select count(*) as n, extract(epoch from statement_timestamp() - min(next_action_at)) as late from (
           select next_action_at from run where shard = s and state in ('ACTIVE', 'WAITING')
             and next_action_at <= statement_timestamp() order by next_action_at limit 200) r) d`,
    );
    return rows[0]!;
  }
}
