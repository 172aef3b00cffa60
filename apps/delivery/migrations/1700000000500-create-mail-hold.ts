import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMailHold1700000000500 implements MigrationInterface {
  name = 'CreateMailHold1700000000500';

  async up(runner: QueryRunner): Promise<void> {
    // While the row exists, no message is handed to the relay. At most one row. `pauses_sends`: sends that start meanwhile
    // start PAUSED, since they may have gone out after the backup that was restored.
    await runner.query(`create table mail_hold (
      only_row boolean primary key default true check (only_row),
      held_at timestamp(3) with time zone not null default clock_timestamp(),
      reason text not null,
      held_by text not null,
      pauses_sends boolean not null default false
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
