import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateImage1700000000301 implements MigrationInterface {
  name = 'CreateImage1700000000301';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward; restore a backup to go back.'));
  }
}

const statements = [
  `create table image (
    organization_id uuid not null,
    image_id uuid not null,
    name text not null,
    description text,
    content_type text not null,
    width int not null,
    height int not null,
    bytes int not null,
    primary key (organization_id, image_id)
  )`,
  `create index image_search on image using gin (organization_id, lower(name || ' ' || coalesce(description, '')) gin_trgm_ops)`,
  // Readers of mail bring the id alone; an image is already compressed, so that PostgreSQL need not try.
  `create table image_data (
    image_id uuid primary key,
    organization_id uuid not null,
    content_type text not null,
    content bytea not null
  )`,
  `alter table image_data alter column content set storage external`,
];
