import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ImageElsewhere1700000000303 implements MigrationInterface {
  name = 'ImageElsewhere1700000000303';

  async up(runner: QueryRunner): Promise<void> {
    // Without bytes here, an image lies in the object storage under its id.
    await runner.query(`alter table image_data alter column content drop not null`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
