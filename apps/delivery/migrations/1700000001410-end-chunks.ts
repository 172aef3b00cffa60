import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withShortLocks } from '#database';

/** Chunks of ended sends go after 30 days; their counters remain, added up. */
export class EndChunks1700000001410 implements MigrationInterface {
  name = 'EndChunks1700000001410';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // Whether the send has rows of chunks or attempt marks that go 30 days after its end.
  withShortLocks(`alter table send add column chunks_kept boolean not null default true;
    create index send_chunks_kept on send (finished_at) where chunks_kept and finished_at is not null;`),
];
