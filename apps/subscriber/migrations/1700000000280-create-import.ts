import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateImport1700000000280 implements MigrationInterface {
  name = 'CreateImport1700000000280';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  // read_bytes and read_lines are the place in the file after the last row whose effect is committed.
  `create table subscriber_import (
    organization_id uuid not null,
    import_id uuid not null,
    name text,
    state text not null check (state in
      ('NEW', 'UPLOADING', 'UPLOADED', 'CHECKING', 'CHECKED', 'RUNNING', 'DONE', 'FAILED', 'CANCELED')),
    source text check (source in ('FILE', 'ROWS')),
    delimiter text,
    encoding text,
    format jsonb,
    columns text[],
    received_bytes bigint not null default 0,
    mapping jsonb,
    options jsonb,
    checked jsonb,
    started_by jsonb,
    rows_total int,
    rows_added int not null default 0,
    read_bytes bigint not null default 0,
    read_lines int not null default 0,
    rows_done int not null default 0,
    imported int not null default 0,
    updated int not null default 0,
    unchanged int not null default 0,
    failed int not null default 0,
    failure text,
    error_chunks int not null default 0,
    error_bytes bigint not null default 0,
    owner uuid,
    fence bigint not null default 0,
    tries int not null default 0,
    until timestamptz(3),
    claimed_at timestamptz,
    created_at timestamptz(3) not null,
    changed_at timestamptz(3) not null,
    started_at timestamptz(3),
    advanced_at timestamptz(3),
    finished_at timestamptz(3),
    primary key (organization_id, import_id)
  )`,
  `create index subscriber_import_queue on subscriber_import (created_at) where state in ('CHECKING', 'RUNNING')`,
  `create index subscriber_import_age on subscriber_import (changed_at)`,
  // Each piece but the last holds 1 MiB of the file, so that a place in the file names its piece.
  `create table subscriber_import_piece (
    organization_id uuid not null,
    import_id uuid not null,
    piece_no int not null,
    content bytea not null,
    primary key (organization_id, import_id, piece_no)
  )`,
  `alter table subscriber_import_piece alter column content set storage external`,
  `create table subscriber_import_error_chunk (
    organization_id uuid not null,
    import_id uuid not null,
    chunk_no int not null,
    content bytea not null,
    primary key (organization_id, import_id, chunk_no)
  )`,
  `alter table subscriber_import_error_chunk alter column content set storage external`,
  // What a check has decided about addresses that occur again; without it a second row would count as new.
  `create unlogged table subscriber_import_trial (
    organization_id uuid not null,
    import_id uuid not null,
    email_key text not null,
    state jsonb not null,
    primary key (organization_id, import_id, email_key)
  )`,
];
