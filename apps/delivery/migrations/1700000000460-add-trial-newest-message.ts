import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddTrialNewestMessage1700000000460 implements MigrationInterface {
  name = 'AddTrialNewestMessage1700000000460';

  async up(runner: QueryRunner): Promise<void> {
    // The newest message of the results by which a campaign is judged: what comes back later of older ones counts too.
    await runner.query(`alter table send_trial add column newest_message uuid`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
