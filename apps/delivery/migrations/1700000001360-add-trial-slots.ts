import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddTrialSlots1700000001360 implements MigrationInterface {
  name = 'AddTrialSlots1700000001360';

  async up(runner: QueryRunner): Promise<void> {
    // The lowest 32 bits of the ids of the early results, where ids are by position: these do not ascend with time.
    await runner.query(`alter table send_trial add column slots int4multirange`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
