import type { Filter } from '#contracts';
import { createdAtOf, uuidOf, wireId } from '#database';
import type { Sql } from '#database';

export interface ShownJob {
  jobId: string;
  status: 'RUNNING' | 'DONE' | 'FAILED';
  matched: number;
  enrolled: number;
  skipped: { reason: string; count: number }[];
  createdAt: string;
  finishedAt: string | null;
  /** Reason and sentence; absent unless the job failed. */
  failure?: string;
}

/** Counts by outcome: ENROLLED or a skip reason. */
export type JobCounts = Record<string, number>;

export const publicCounts = ({ ENROLLED = 0, ...skipped }: JobCounts) => ({
  enrolled: ENROLLED,
  skipped: Object.entries(skipped)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, count]) => ({ reason, count })),
});

export interface Job {
  organizationId: string;
  jobId: string;
  workflowId: string;
  stepId: string | null;
  audienceId: string;
  filters: Filter[];
  matched: number;
  page: number;
  /** Null until the audience is frozen. */
  pages: number | null;
  counts: JobCounts;
  until: Date;
  createdAt: Date;
  /** Whether only its audience is still to be released. */
  finished: boolean;
}

/** Progress of a job; `matched` is set when freezing finds more matches than the first count. */
export interface JobState {
  page: number;
  pages: number;
  counts: JobCounts;
  finished: boolean;
  matched?: number;
}

export class EnrolmentJobRepository {
  constructor(private readonly sql: Sql) {}

  async listOfWorkflow(organizationId: string, workflowId: string): Promise<ShownJob[]> {
    const rows: {
      job_id: string;
      matched: number;
      counts: JobCounts;
      finished_at: Date | null;
      failure: string | null;
    }[] = await this.sql.query(
      `select job_id, matched, counts, finished_at, failure from enrolment_job
       where organization_id = $1 and workflow_id = $2 order by job_id desc limit 10`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId)],
    );
    return rows.map(({ job_id, matched, counts, finished_at, failure }) => ({
      jobId: wireId('job', job_id),
      status: failure !== null ? 'FAILED' : finished_at ? 'DONE' : 'RUNNING',
      matched,
      ...publicCounts(counts),
      createdAt: createdAtOf(job_id).toISOString(),
      finishedAt: finished_at?.toISOString() ?? null,
      ...(failure !== null && { failure }),
    }));
  }

  async insert(
    organizationId: string,
    job: Pick<Job, 'jobId' | 'workflowId' | 'stepId' | 'audienceId' | 'filters' | 'matched'>,
    now: Date,
  ): Promise<void> {
    await this.sql.query(
      `insert into enrolment_job (organization_id, job_id, workflow_id, step_id, audience_id, filters, matched, pages, counts, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, -1, '{}', $8)`,
      [
        ...[uuidOf('org', organizationId), uuidOf('job', job.jobId), uuidOf('wf', job.workflowId), job.stepId],
        ...[uuidOf('aud', job.audienceId), JSON.stringify(job.filters), job.matched, now],
      ],
    );
  }

  /** Claims the job with the longest wait since its last part, or a finished one whose audience is not released. */
  async claim(leaseSeconds: number): Promise<Job | null> {
    const [rows]: [
      {
        organization_id: string;
        job_id: string;
        workflow_id: string;
        step_id: string | null;
        audience_id: string;
        filters: Filter[];
        matched: number;
        page_no: number;
        pages: number;
        counts: JobCounts;
        until: Date;
        created_at: Date;
        finished: boolean;
      }[],
    ] = await this.sql.query(
      `update enrolment_job j set until = clock_timestamp() + make_interval(secs => $1)
       where (j.organization_id, j.job_id) = (
         select organization_id, job_id from enrolment_job where released_at is null and until < statement_timestamp()
         order by until limit 1 for update skip locked)
       returning j.organization_id, j.job_id, j.workflow_id, j.step_id, j.audience_id, j.filters, j.matched, j.page_no, j.pages, j.counts, j.until, j.created_at,
         j.finished_at is not null as finished`,
      [leaseSeconds],
    );
    const row = rows[0];
    return row
      ? {
          organizationId: wireId('org', row.organization_id),
          jobId: wireId('job', row.job_id),
          workflowId: wireId('wf', row.workflow_id),
          stepId: row.step_id,
          audienceId: wireId('aud', row.audience_id),
          filters: row.filters,
          matched: row.matched,
          page: row.page_no,
          counts: row.counts,
          until: row.until,
          pages: row.pages < 0 ? null : row.pages,
          createdAt: row.created_at,
          finished: row.finished,
        }
      : null;
  }

  /** Saves a job's progress and releases its lease. @returns false when another process has claimed it */
  async update(
    { organizationId, jobId, until }: Job,
    { page, pages, counts, finished, matched = 0 }: JobState,
  ): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update enrolment_job set page_no = $4, pages = $5, counts = $6, until = date_trunc('milliseconds', statement_timestamp()),
         finished_at = case when $7 then clock_timestamp() end, matched = greatest(matched, $8), attempts = 0,
         filters = case when $7 then '[]' else filters end
       where organization_id = $1 and job_id = $2 and until = $3 returning 1`,
      [
        uuidOf('org', organizationId),
        uuidOf('job', jobId),
        until,
        page,
        pages,
        JSON.stringify(counts),
        finished,
        matched,
      ],
    );
    return rows.length > 0;
  }

  /**
   * Records a failed part and delays the job: 2 seconds, doubled up to five minutes. @returns the number of failures in
   * a row
   */
  async updateAttempts({ organizationId, jobId, until }: Job): Promise<number> {
    const [rows]: [{ attempts: number }[]] = await this.sql.query(
      `update enrolment_job set attempts = attempts + 1,
         until = clock_timestamp() + make_interval(secs => least(300, 2 ^ least(attempts + 1, 9)))
       where organization_id = $1 and job_id = $2 and until = $3 returning attempts`,
      [uuidOf('org', organizationId), uuidOf('job', jobId), until],
    );
    return rows[0]?.attempts ?? 0;
  }

  /** `failure`: reason and sentence */
  async updateFailed({ organizationId, jobId }: Pick<Job, 'organizationId' | 'jobId'>, failure: string): Promise<void> {
    await this.sql.query(`${failSql} and job_id = $3`, [uuidOf('org', organizationId), failure, uuidOf('job', jobId)]);
  }

  /** @param failure reason and sentence */
  async updateFailedOfWorkflow(organizationId: string, workflowId: string, failure: string): Promise<void> {
    await this.sql.query(`${failSql} and workflow_id = $3`, [
      ...[uuidOf('org', organizationId), failure, uuidOf('wf', workflowId)],
    ]);
  }

  async updateReleased({ organizationId, jobId }: Job): Promise<void> {
    await this.sql.query(
      `update enrolment_job set released_at = clock_timestamp() where organization_id = $1 and job_id = $2`,
      [uuidOf('org', organizationId), uuidOf('job', jobId)],
    );
  }
}

/** Voids the lease by a new `until`, so that a process that works on a part rolls it back. */
const failSql = `update enrolment_job set finished_at = clock_timestamp(), failure = left($2, 500), filters = '[]', until = '-infinity'
  where organization_id = $1 and finished_at is null`;
