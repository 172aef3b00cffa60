import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Roles belong to the whole cluster; all test databases share these. */
export const testRolePrefix = 'tidings_test';

const templateLock = 7_411_903;

/**
 * Clones a migrated template database; the first one to need it builds it. A change of any migration, or of
 * a list of them, makes a new one.
 * @param prepare migrates an empty database, given its owner's URL
 */
export async function cloneDatabase(prepare: (ownerUrl: string) => Promise<void>): Promise<TestDatabase> {
  const server = process.env.DATABASE_URL;
  if (!server) throw new Error('DATABASE_URL is not set; the Jest global setup sets it.');
  const template = `tpl_${migrationsHash()}`;
  const name = `t_${process.pid}_${randomBytes(4).toString('hex')}`;
  await withClient(server, async (client) => {
    const isThere = async () =>
      (await client.query('select from pg_database where datname = $1', [template])).rowCount === 1;
    if (!(await isThere())) {
      await client.query('select pg_advisory_lock($1)', [templateLock]);
      if (!(await isThere())) await makeTemplate(client, { server, template, prepare });
      await client.query('select pg_advisory_unlock($1)', [templateLock]);
    }
    // The log would take every page of it; the checkpoint that this way needs is cheap where nothing is flushed to disk.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  return testDatabase(server, name);
}

async function makeTemplate(
  client: pg.Client,
  { server, template, prepare }: { server: string; template: string; prepare: (ownerUrl: string) => Promise<void> },
): Promise<void> {
  const unfinished = `making_${randomBytes(4).toString('hex')}`;
  await client.query(
    `create database ${unfinished} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`,
  );
  await prepare(databaseUrl(server, unfinished));
  await client.query(`alter database ${unfinished} rename to ${template}`);
}

/** A database with what a dump in SQL holds; lines for psql are passed over. */
export async function restoreDatabase(dump: string): Promise<TestDatabase> {
  const server = process.env.DATABASE_URL!;
  const name = `t_${process.pid}_${randomBytes(4).toString('hex')}`;
  await withClient(server, async (client) => {
    await client.query(`create database ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`);
  });
  const database = testDatabase(server, name);
  await withClient(database.url, async (client) => void (await client.query(dump.replace(/^\\.*$/gm, ''))));
  return database;
}

const testDatabase = (server: string, name: string): TestDatabase => ({
  url: databaseUrl(server, name),
  drop: () =>
    withClient(server, async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
});

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Over everything that decides what a migrated database holds: the migrations, their lists, what runs them, and the day. */
function migrationsHash(): string {
  const apps = readdirSync('apps').map((app) => join('apps', app));
  const folders = [
    'libs/database/src',
    ...apps.map((app) => join(app, 'migrations')).filter((path) => existsSync(path)),
  ];
  const lists = apps.flatMap((app) => filesIn(join(app, 'src')).filter((file) => file.endsWith('.module.ts')));
  // Partitions reach two days ahead of the day they were made on.
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 10));
  for (const file of ['test/harness/service-plans.ts', ...folders.flatMap(filesIn), ...lists].sort())
    hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name));
