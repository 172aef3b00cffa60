import type { Filter } from '#contracts';
import { createdAtOf, uuidOf, wireId } from '#database';
import type { Sql } from '#database';

/** What has become of an enrolment of many, as tools show it. */
export interface ShownJob {
  jobId: string;
  status: 'RUNNING' | 'DONE';
  matched: number;
  enrolled: number;
  skipped: { reason: string; count: number }[];
  createdAt: string;
  finishedAt: string | null;
}

/** Counts by outcome: ENROLLED, or why somebody was skipped. */
export type JobCounts = Record<string, number>;

/** How counts are told: who was enrolled, and who was skipped for which reason. */
export const toldCounts = ({ ENROLLED = 0, ...skipped }: JobCounts) => ({
  enrolled: ENROLLED,
  skipped: Object.entries(skipped)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, count]) => ({ reason, count })),
});

/** An enrolment of many, in the hands of one worker. */
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
}

/** How far a job is; `matched` where more are found than were counted before. */
export interface JobState {
  page: number;
  pages: number;
  counts: JobCounts;
  finished: boolean;
  matched?: number;
}

/** Enrolments of filtered sets, worked on in the background. */
export class JobRepository {
  constructor(private readonly sql: Sql) {}

  /** The newest ten of a workflow. */
  async listOfWorkflow(organizationId: string, workflowId: string): Promise<ShownJob[]> {
    const rows: { job_id: string; matched: number; counts: JobCounts; finished_at: Date | null }[] =
      await this.sql.query(
        `select job_id, matched, counts, finished_at from enrolment_job
       where organization_id = $1 and workflow_id = $2 order by job_id desc limit 10`,
        [uuidOf('org', organizationId), uuidOf('wf', workflowId)],
      );
    return rows.map(({ job_id, matched, counts, finished_at }) => ({
      jobId: wireId('job', job_id),
      status: finished_at ? 'DONE' : 'RUNNING',
      matched,
      ...toldCounts(counts),
      createdAt: createdAtOf(job_id).toISOString(),
      finishedAt: finished_at?.toISOString() ?? null,
    }));
  }

  /** Writes a job; the audience is frozen by whoever takes it. */
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

  /** Takes the job that has waited longest since a part of it was done. @returns null when there is none */
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
      }[],
    ] = await this.sql.query(
      `update enrolment_job j set until = clock_timestamp() + make_interval(secs => $1)
       where (j.organization_id, j.job_id) in (
         select organization_id, job_id from enrolment_job where finished_at is null and until < statement_timestamp()
         order by until limit 1 for update skip locked)
       returning j.organization_id, j.job_id, j.workflow_id, j.step_id, j.audience_id, j.filters, j.matched, j.page_no, j.pages, j.counts, j.until`,
      [leaseSeconds],
    );
    const row = rows[0];
    return row
      ? {
          ...{ organizationId: wireId('org', row.organization_id), jobId: wireId('job', row.job_id) },
          ...{
            workflowId: wireId('wf', row.workflow_id),
            stepId: row.step_id,
            audienceId: wireId('aud', row.audience_id),
          },
          ...{ filters: row.filters, matched: row.matched, page: row.page_no, counts: row.counts, until: row.until },
          pages: row.pages < 0 ? null : row.pages,
        }
      : null;
  }

  /** Notes how far a job is, and gives it back. @returns false when somebody else has taken it */
  async update(
    { organizationId, jobId, until }: Job,
    { page, pages, counts, finished, matched = 0 }: JobState,
  ): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update enrolment_job set page_no = $4, pages = $5, counts = $6, until = date_trunc('milliseconds', statement_timestamp()),
         finished_at = case when $7 then clock_timestamp() end, matched = greatest(matched, $8)
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
}
