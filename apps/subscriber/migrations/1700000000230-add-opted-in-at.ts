import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An unsubscription that waited while the service was away must not undo a later consent: each is compared by its instant. */
export class AddOptedInAt1700000000230 implements MigrationInterface {
  name = 'AddOptedInAt1700000000230';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table subscriber add column opted_in_at timestamptz`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
