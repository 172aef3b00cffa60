import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why an enrolment of many failed, how often in a row it was tried, and whether its audience was released. */
export class EndEnrolments1700000000511 implements MigrationInterface {
  name = 'EndEnrolments1700000000511';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table enrolment_job
      add column failure text,
      add column attempts integer not null default 0,
      add column released_at timestamptz(3)`);
    // Those that are over are released once more: some never were.
    await runner.query(`create index enrolment_job_held on enrolment_job (until) where released_at is null`);
    await runner.query(`create index enrolment_job_failed on enrolment_job (finished_at) where failure is not null`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
