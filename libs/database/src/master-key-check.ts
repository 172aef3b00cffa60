import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import pg from 'pg';
import { deriveKey, fingerprintOf } from '#link-token';
import { rolePrefixOf, runtimeUrl } from './runtime-role.js';

/** The sealed text; a key that opens it is the right one. */
const constant = 'tidings master key check';
const cipher = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];

/** SQLSTATE (PostgreSQL, appendix A): invalid_password, invalid_authorization_specification. */
const [wrongPassword, loginRefused] = ['28P01', '28000'];

/** Names a master key without revealing it: eight hex digits, the same on every machine. */
export const masterKeyFingerprint = (masterKey: string): string =>
  fingerprintOf(deriveKey(masterKey, 'fingerprint'), 8);

/** A master key that does not open what the database holds; nothing has been changed. */
export class WrongMasterKeyError extends Error {
  /** Another start with the same settings fails the same way. */
  readonly wrongSettings = true;

  /** @param expected fingerprint of the right key; null where the data is older than the check */
  constructor(
    readonly actual: string,
    readonly expected: string | null,
  ) {
    super(
      `MASTER_KEY is not the key of this database. Its fingerprint is ${actual}; ` +
        (expected === null
          ? 'the database was set up under another key, whose fingerprint is not recorded there. '
          : `the database was set up under the key with the fingerprint ${expected}. `) +
        'Nothing was changed. Put the key of the first start back (master.key in the data directory, or MASTER_KEY).',
    );
  }
}

export interface MasterKeyCheck {
  fingerprint: string;
  /**
   * RECORDED: it opened a recorded constant. DKIM_KEY, ROLE: nothing is recorded, and it opened that. NOTHING: the
   * database holds nothing that a key could open.
   */
  openedBy: 'RECORDED' | 'DKIM_KEY' | 'ROLE' | 'NOTHING';
}

interface Installation {
  ownerUrl: string;
  /** 32 bytes in hex. */
  masterKey: string;
  /** Start of the runtime roles' names; by default the database's name. */
  rolePrefix?: string;
}

/**
 * Checks, without changing anything, that the master key is the one of the database: of every service's schema there.
 * @throws WrongMasterKeyError when it is not; the driver's error when the database cannot be read
 */
export async function checkMasterKey(installation: Installation): Promise<MasterKeyCheck> {
  const client = new pg.Client({
    connectionString: installation.ownerUrl,
    application_name: 'tidings master key check',
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    return await checkMasterKeyOn(client, installation);
  } finally {
    await client.end();
  }
}

export async function checkMasterKeyOn(client: pg.Client, installation: Installation): Promise<MasterKeyCheck> {
  const { masterKey } = installation;
  const fingerprint = masterKeyFingerprint(masterKey);
  const schemas = await schemasOf(client);
  const recorded = await recordedIn(
    client,
    schemas.flatMap(({ schema, hasCheck }) => (hasCheck ? [schema] : [])),
  );
  for (const row of recorded) if (!opens(masterKey, row)) throw new WrongMasterKeyError(fingerprint, row.fingerprint);
  if (recorded.length > 0) return { fingerprint, openedBy: 'RECORDED' };
  for (const evidence of [dkimEvidence, roleEvidence]) {
    const openedBy = await evidence(client, installation, schemas);
    if (openedBy === 'OTHER_KEY') throw new WrongMasterKeyError(fingerprint, null);
    if (openedBy) return { fingerprint, openedBy };
  }
  return { fingerprint, openedBy: 'NOTHING' };
}

/**
 * Checks the key as the runtime role of one service, for processes that do not have the owner's rights.
 * @throws WrongMasterKeyError when the schema was set up under another key
 * @throws Error when the role may not log in: its password derives from the key
 */
export async function checkMasterKeyAsRole(
  options: Required<Installation> & { schema: string },
): Promise<MasterKeyCheck> {
  const { schema, masterKey, rolePrefix } = options;
  const fingerprint = masterKeyFingerprint(masterKey);
  const client = new pg.Client({ connectionString: runtimeUrl(options), connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (error) {
    if ((error as { code?: string }).code !== wrongPassword) throw error;
    throw new Error(
      `The database refuses the password of the role ${rolePrefix}_${schema}, which derives from MASTER_KEY ` +
        `(fingerprint ${fingerprint}). Either the database was set up under another key, or it is not migrated yet.`,
      { cause: error },
    );
  }
  try {
    const found = (await schemasOf(client)).filter((one) => one.schema === schema && one.hasCheck);
    const recorded = await recordedIn(
      client,
      found.map((one) => one.schema),
    );
    for (const row of recorded) if (!opens(masterKey, row)) throw new WrongMasterKeyError(fingerprint, row.fingerprint);
    return { fingerprint, openedBy: recorded.length > 0 ? 'RECORDED' : 'ROLE' };
  } finally {
    await client.end();
  }
}

/** Records the key in a schema that has none recorded; the caller has checked it. */
export async function recordMasterKey(client: pg.Client, schema: string, masterKey: string): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(`select to_regclass($1) is not null as exists`, [
    `${schema}.master_key_check`,
  ]);
  // A list of migrations without that table: those of a test.
  if (!rows[0]!.exists) return;
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, deriveKey(masterKey, 'canary'), nonce);
  const text = Buffer.concat([sealing.update(constant, 'utf8'), sealing.final()]);
  await client.query(
    `insert into ${client.escapeIdentifier(schema)}.master_key_check (fingerprint, sealed) values ($1, $2) on conflict do nothing`,
    [masterKeyFingerprint(masterKey), Buffer.concat([nonce, sealing.getAuthTag(), text])],
  );
}

interface Recorded {
  fingerprint: string;
  sealed: Buffer;
}

function opens(masterKey: string, { sealed }: Recorded): boolean {
  const opening = createDecipheriv(cipher, deriveKey(masterKey, 'canary'), sealed.subarray(0, nonceBytes)).setAuthTag(
    sealed.subarray(nonceBytes, nonceBytes + tagBytes),
  );
  try {
    const text = Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()]);
    return text.toString('utf8') === constant;
  } catch {
    return false;
  }
}

interface ServiceSchema {
  schema: string;
  hasCheck: boolean;
}

/** The services' schemas: those with the table that every first migration makes. */
async function schemasOf(client: pg.Client): Promise<ServiceSchema[]> {
  const { rows } = await client.query<ServiceSchema>(
    `select n.nspname as schema, bool_or(c.relname = 'master_key_check') as "hasCheck"
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relname in ('executed_call', 'master_key_check')
     group by n.nspname having bool_or(c.relname = 'executed_call') order by n.nspname`,
  );
  return rows;
}

async function recordedIn(client: pg.Client, schemas: readonly string[]): Promise<Recorded[]> {
  if (schemas.length === 0) return [];
  const parts = schemas.map(
    (schema) => `select fingerprint, sealed from ${client.escapeIdentifier(schema)}.master_key_check`,
  );
  return (await client.query<Recorded>(parts.join(' union all '))).rows;
}

type Evidence = Promise<'DKIM_KEY' | 'ROLE' | 'OTHER_KEY' | null>;

/** A DKIM key is stored with a hash of the key that seals it; null when there is none. */
async function dkimEvidence(
  client: pg.Client,
  { masterKey }: Installation,
  schemas: readonly ServiceSchema[],
): Evidence {
  if (!schemas.some(({ schema }) => schema === 'domain')) return null;
  const { rows } = await client.query<{ all: number; ours: number }>(
    `select count(*)::int as all, count(*) filter (where wrapping_key_id = $1)::int as ours from domain.dkim_key`,
    [fingerprintOf(deriveKey(masterKey, 'dkim'), 16)],
  );
  const { all, ours: tenant } = rows[0]!;
  if (all === 0) return null;
  return tenant > 0 ? 'DKIM_KEY' : 'OTHER_KEY';
}

/**
 * The password of a runtime role derives from the key. Null when no role exists (a dump was restored into another
 * server), or when the server asks these roles for no password.
 */
async function roleEvidence(
  client: pg.Client,
  { ownerUrl, masterKey, rolePrefix = rolePrefixOf(ownerUrl) }: Installation,
  schemas: readonly ServiceSchema[],
): Evidence {
  for (const { schema } of schemas) {
    const { rowCount } = await client.query(`select from pg_roles where rolname = $1`, [`${rolePrefix}_${schema}`]);
    if (rowCount === 0) continue;
    const url = runtimeUrl({ ownerUrl, rolePrefix, schema, masterKey });
    const login = await tryLogin(url);
    if (login === 'WRONG_PASSWORD') return 'OTHER_KEY';
    if (login === 'REFUSED') continue;
    const guess = new URL(url);
    guess.password = randomBytes(16).toString('hex');
    if ((await tryLogin(guess.toString())) === 'WRONG_PASSWORD') return 'ROLE';
  }
  return null;
}

/** Whether the server accepts this user and password. @throws when that cannot be determined */
async function tryLogin(url: string): Promise<'ACCEPTED' | 'WRONG_PASSWORD' | 'REFUSED'> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    return 'ACCEPTED';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === wrongPassword) return 'WRONG_PASSWORD';
    if (code === loginRefused) return 'REFUSED';
    throw error;
  } finally {
    await client.end();
  }
}
