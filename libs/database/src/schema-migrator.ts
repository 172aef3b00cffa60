import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import type { DataSourceOptions, EntityManager } from 'typeorm';
import { checkMasterKeyOn, recordMasterKey } from './master-key-check.js';
import { PreparingClient } from './prepared.js';
import { rolePassword } from './runtime-role.js';
import { whenReachable } from './when-reachable.js';
import type { Patience } from './when-reachable.js';

type Migrations = NonNullable<DataSourceOptions['migrations']>;

export interface SchemaOptions {
  /** The owner's connection: may create roles and schemas; used for migrations only. */
  ownerUrl: string;
  schema: string;
  /** Start of the runtime roles' names; roles belong to the whole cluster, so it names the installation. */
  rolePrefix: string;
  /** 32 bytes in hex; the runtime role's password derives from it. */
  masterKey: string;
  migrations: Migrations;
  /** How long to wait for a server that cannot be reached yet; not at all without it. */
  patience?: Patience;
}

/** Serialises migration in a database; the number is arbitrary but fixed. */
const preparationLock = 7_411_902;

/**
 * Makes the schema, the runtime role and all tables exist; safe to repeat and to run in several processes at once.
 * @throws WrongMasterKeyError before anything is changed, when the database was set up under another key
 * @throws when the server is older than 15 or its collation cannot fold letters beyond ASCII
 */
export async function prepareSchema(options: SchemaOptions): Promise<void> {
  const { schema, rolePrefix, masterKey } = options;
  const client = await whenReachable(() => connectOwner(options), options.patience ?? { waitMs: 0 });
  try {
    await client.query('select pg_advisory_lock($1)', [preparationLock]);
    await refuseUnfitServer(client);
    await checkMasterKeyOn(client, options);
    const role = `${rolePrefix}_${schema}`;
    await makeRole(client, role, rolePassword(masterKey, role));
    for (const extension of ['pg_trgm', 'btree_gin']) {
      await client.query(`create extension if not exists ${extension} with schema public`);
    }
    await client.query(`create schema if not exists ${schema}`);
    await migrate(options);
    await recordMasterKey(client, schema, masterKey);
    const name = client.escapeIdentifier(role);
    await client.query(`grant usage on schema ${schema} to ${name}`);
    await client.query(`grant select, insert, update, delete, truncate on all tables in schema ${schema} to ${name}`);
    await client.query(`grant usage on all sequences in schema ${schema} to ${name}`);
    await client.query(`grant execute on all functions in schema ${schema} to ${name}`);
    await client.query(
      `alter default privileges in schema ${schema} grant select, insert, update, delete on tables to ${name}`,
    );
    await client.query('select pg_advisory_unlock($1)', [preparationLock]);
  } finally {
    await client.end();
  }
}

/** A connection whose packets are dropped is given up after this time, and tried again. */
const connectMaxMs = 10_000;

async function connectOwner({ ownerUrl, schema }: SchemaOptions): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    application_name: `${schema} migrations`,
    connectionTimeoutMillis: connectMaxMs,
  });
  await client.connect();
  return client;
}

async function refuseUnfitServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; folds: boolean }>(
    `select current_setting('server_version_num')::int as version, lower('É') = 'é' as folds`,
  );
  if (rows[0]!.version < 150_000) throw new Error('PostgreSQL 15 or later is needed.');
  if (!rows[0]!.folds) {
    throw new Error(
      "This database's character type is C, so case-insensitive names break beyond ASCII. Create it with lc_ctype C.UTF-8.",
    );
  }
}

/**
 * Roles belong to the whole cluster while locks end at a database: a cell's process may write the same role at the same
 * instant, and one of the two is refused.
 */
async function makeRole(client: pg.Client, role: string, password: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  const secret = client.escapeLiteral(password);
  for (let attempt = 1; ; attempt++) {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
    try {
      await client.query(`${rowCount ? 'alter' : 'create'} role ${name} login password ${secret}`);
      break;
    } catch (error) {
      if (attempt === roleAttempts || !isLostRace(error)) throw error;
      await pause(Math.random() * 100);
    }
  }
  const database = (await client.query<{ name: string }>('select current_database() as name')).rows[0]!.name;
  await client.query(`grant connect on database ${client.escapeIdentifier(database)} to ${name}`);
}

const roleAttempts = 10;

/** 42710 and 23505: another process created it; XX000: another process changed it ("tuple concurrently updated"). */
const isLostRace = (error: unknown): boolean =>
  ['42710', '23505', 'XX000'].includes((error as { code?: string }).code ?? '');

async function migrate({ ownerUrl, schema, migrations }: SchemaOptions): Promise<void> {
  const owner = new DataSource({
    type: 'postgres',
    url: ownerUrl,
    schema,
    migrations,
    migrationsTableName: 'migration',
    extra: { max: 1, options: `-c search_path=${schema},public` },
  });
  await owner.initialize();
  try {
    await owner.runMigrations({ transaction: 'each' });
  } finally {
    await owner.destroy();
  }
}

export interface RuntimeOptions {
  url: string;
  schema: string;
  poolSize: number;
  applicationName: string;
}

/**
 * A connection that hangs or a transaction left open ends by itself: no transaction stays open across a network call.
 */
export function runtimeDataSource(options: RuntimeOptions): DataSourceOptions {
  return {
    type: 'postgres',
    url: options.url,
    schema: options.schema,
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    connectTimeoutMS: 10_000,
    extra: {
      Client: PreparingClient,
      // Statements of a connection are sent without waiting for the results of those before.
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      idleTimeoutMillis: 30_000,
      options: [
        `search_path=${options.schema},public`,
        'statement_timeout=30s',
        'lock_timeout=5s',
        'idle_in_transaction_session_timeout=15s',
        'tcp_keepalives_idle=10',
        'tcp_user_timeout=15000',
        'timezone=UTC',
        // Filters over a million people hash a tag's holders; in the default 4 MB they would probe an index a person.
        'work_mem=32MB',
        // Compiling a statement costs more than any of our statements gains by it.
        'jit=off',
      ]
        .map((setting) => `-c ${setting}`)
        .join(' '),
    },
  };
}

/** The only thing repositories need of a database: text with `$n`, and rows. */
export type Sql = Pick<EntityManager, 'query'>;
