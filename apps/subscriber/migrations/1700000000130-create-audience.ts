import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAudience1700000000130 implements MigrationInterface {
  name = 'CreateAudience1700000000130';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table audience (
    organization_id uuid not null,
    audience_id uuid not null,
    purpose text not null check (purpose in ('SEND', 'EXPORT', 'ENROLMENT')),
    filters jsonb not null,
    total int not null,
    excluded jsonb not null,
    pages int not null,
    created_at timestamptz(3) not null,
    released_at timestamptz(3),
    primary key (organization_id, audience_id)
  )`,
  // The addresses are kept with the ids: a rename during a send does not change where its mail goes.
  `create table audience_page (
    organization_id uuid not null,
    audience_id uuid not null,
    page_no int not null,
    subscriber_ids uuid[] not null,
    emails text[] not null,
    primary key (organization_id, audience_id, page_no)
  )`,
  // The job that writes a file holds a lease on it and resumes after the pages that are done.
  `create table export (
    organization_id uuid not null,
    export_id uuid not null,
    audience_id uuid,
    request jsonb not null,
    state text not null check (state in ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
    rows_total int,
    rows_done int not null default 0,
    pages_done int not null default 0,
    failure text,
    owner uuid,
    fence bigint not null default 0,
    until timestamptz(3),
    created_at timestamptz(3) not null,
    finished_at timestamptz(3),
    primary key (organization_id, export_id)
  )`,
  `create index export_queue on export (created_at) where state in ('QUEUED', 'RUNNING')`,
  `create table export_chunk (
    organization_id uuid not null,
    export_id uuid not null,
    chunk_no int not null,
    content bytea not null,
    primary key (organization_id, export_id, chunk_no)
  )`,
];
