import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Renamed addresses and fields, bans that can be lifted, removals in the background, files that are resumed. */
export class ExtendLife1700000000150 implements MigrationInterface {
  name = 'ExtendLife1700000000150';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // address_at: since when the person has this address (null: always), so that older links do not confirm it.
  `alter table subscriber add column address_at timestamptz(3), add column status_before_ban text`,

  // Content that was written for the old name goes on working.
  `alter table custom_field add column former_names text[] not null default '{}', add column cleared_to uuid`,

  // The queues of the job that removes what deleted tags and fields leave with people.
  `create index tag_deleted on tag (deleted_at) where deleted_at is not null`,
  `create index custom_field_deleted on custom_field (deleted_at) where deleted_at is not null`,

  // A file is written page by page: it goes on after the last person of the last page.
  `alter table export drop column audience_id, drop column pages_done, add column columns jsonb,
     add column last_subscriber_id uuid, add column chunks int not null default 0, add column bytes bigint not null default 0`,
  `create index export_done on export (finished_at) where finished_at is not null`,
];
