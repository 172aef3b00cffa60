import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Only some soft bounces count towards suppression, and lifting a suppression needs the status before it. The counted
 * bounces begin empty: the old column counted bounces of every cause.
 */
export class JudgeSoftBounces1700000000220 implements MigrationInterface {
  name = 'JudgeSoftBounces1700000000220';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table subscriber add column status_before_suppression text`);
    await runner.query(
      `alter table subscriber_activity add column counted_bounced_at timestamp(3) with time zone[] not null default '{}'`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
