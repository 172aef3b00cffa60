import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the secrets of webhooks that are not sealed without reading every graph; a job of the service seals them. */
export class FindPlainSecrets1700000000510 implements MigrationInterface {
  name = 'FindPlainSecrets1700000000510';

  async up(runner: QueryRunner): Promise<void> {
    const isPlain = (column: string) =>
      `jsonb_path_exists(${column}, '$.steps[*].config ? (@.kind == "WEBHOOK" && (@.secret.type() == "string" || exists(@.headers.*)))')`;
    await runner.query(
      `create index workflow_plain_secret on workflow (organization_id, workflow_id) where ${isPlain('draft')}`,
    );
    await runner.query(
      `create index workflow_version_plain_secret on workflow_version (organization_id, workflow_id, version) where ${isPlain('graph')}`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}
