import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { checkMasterKey, checkMasterKeyAsRole, masterKeyFingerprint, runtimeUrl, WrongMasterKeyError } from '#database';
import { migrateService } from '#service-host';
import { restoreDatabase } from '#testing';
import type { TestDatabase } from '#testing';
import { environmentFor, plans } from './harness/service-plans.js';

const [right, wrong] = ['5f'.repeat(32), 'a0'.repeat(32)];
/** The first version's data: no constant is recorded, its DKIM keys are sealed under `right`. */
const firstVersion = gunzipSync(readFileSync('test/data/first-version.sql.gz')).toString();

/** A database with roles of its own, since roles belong to the whole cluster. */
class Installation {
  readonly rolePrefix = `key_${randomBytes(4).toString('hex')}`;

  private constructor(readonly database: TestDatabase) {}

  static async make(dump: string): Promise<Installation> {
    return new Installation(await restoreDatabase(dump));
  }

  /** What the migration job does for each service. */
  async migrate(masterKey: string): Promise<void> {
    const environment = {
      ...environmentFor(this.database.url),
      MASTER_KEY: masterKey,
      DATABASE_ROLE_PREFIX: this.rolePrefix,
    };
    for (const plan of plans) await migrateService(plan(environment));
  }

  check = (masterKey: string) =>
    checkMasterKey({ ownerUrl: this.database.url, masterKey, rolePrefix: this.rolePrefix });

  role = (masterKey: string) => ({
    ownerUrl: this.database.url,
    rolePrefix: this.rolePrefix,
    schema: 'subscriber',
    masterKey,
  });

  async query(sql: string, url = this.database.url): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Everything that a start could change: migrations, roles and their passwords. */
  async state(): Promise<unknown> {
    const schemas = plans.map((plan) => plan(environmentFor('postgres://localhost/none')).service);
    const migrations: unknown[] = [];
    for (const schema of schemas) {
      const [row] = await this.query(`select to_regclass('${schema}.migration') is not null as exists`);
      if (row!.exists) migrations.push(await this.query(`select name from ${schema}.migration order by name`));
    }
    const roles = await this.query(
      `select rolname, rolpassword from pg_authid where rolname like '${this.rolePrefix}%' order by rolname`,
    );
    return { migrations, roles };
  }

  async forgetCheck(): Promise<void> {
    for (const { schema } of await this.query(
      `select schemaname as schema from pg_tables where tablename = 'master_key_check'`,
    )) {
      await this.query(`drop table ${String(schema)}.master_key_check`);
      await this.query(`delete from ${String(schema)}.migration where name = 'CreateMasterKeyCheck1700000000950'`);
    }
  }

  async drop(): Promise<void> {
    const roles = await this.query(`select rolname from pg_roles where rolname like '${this.rolePrefix}%'`);
    await this.database.drop();
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
    await client.connect();
    for (const { rolname } of roles) await client.query(`drop role ${String(rolname)}`);
    await client.end();
  }
}

const refusal = async (start: Promise<unknown>): Promise<WrongMasterKeyError> => {
  const error: unknown = await start.then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(WrongMasterKeyError);
  return error as WrongMasterKeyError;
};

describe('the master key of a database', () => {
  let installation: Installation;
  afterEach(() => installation.drop());

  it('is recorded in every schema by a fresh installation', async () => {
    installation = await Installation.make('');
    expect(await installation.check(right)).toMatchObject({ openedBy: 'NOTHING' });
    await installation.migrate(right);
    for (const plan of plans) {
      const { service } = plan(environmentFor('postgres://localhost/none'));
      expect(await installation.query(`select fingerprint from ${service}.master_key_check`)).toEqual([
        { fingerprint: masterKeyFingerprint(right) },
      ]);
    }
    await installation.migrate(right);
    expect(await installation.check(right)).toEqual({
      fingerprint: masterKeyFingerprint(right),
      openedBy: 'RECORDED',
    });
    expect(await checkMasterKeyAsRole(installation.role(right))).toMatchObject({ openedBy: 'RECORDED' });
  });

  it('refuses another key by both fingerprints before roles, passwords or migrations are touched', async () => {
    installation = await Installation.make('');
    await installation.migrate(right);
    const before = await installation.state();
    const error = await refusal(installation.migrate(wrong));
    expect(error).toMatchObject({
      actual: masterKeyFingerprint(wrong),
      expected: masterKeyFingerprint(right),
      wrongSettings: true,
    });
    expect(error.message).toContain(error.actual);
    expect(error.message).toContain(error.expected);
    expect(await installation.state()).toEqual(before);
    expect(await installation.query('select 1 as one', runtimeUrl(installation.role(right)))).toEqual([{ one: 1 }]);
  });

  it('refuses a service that may not migrate and has another key', async () => {
    installation = await Installation.make('');
    await installation.migrate(right);
    await expect(checkMasterKeyAsRole(installation.role(wrong))).rejects.toThrow(
      `derives from MASTER_KEY (fingerprint ${masterKeyFingerprint(wrong)})`,
    );
    // Roles of a server may have been given their passwords by another installation.
    const role = new URL(runtimeUrl(installation.role(wrong)));
    await installation.query(`alter role ${role.username} password '${decodeURIComponent(role.password)}'`);
    await refusal(checkMasterKeyAsRole(installation.role(wrong)));
  });

  it('refuses a record that was copied and renamed: the sealed constant decides', async () => {
    installation = await Installation.make('');
    await installation.migrate(right);
    await installation.query(`update domain.master_key_check set fingerprint = '${masterKeyFingerprint(wrong)}'`);
    await refusal(installation.check(wrong));
  });

  it('is recorded in older data by an upgrade with the key that its DKIM keys are sealed under', async () => {
    installation = await Installation.make(firstVersion);
    expect(await installation.check(right)).toMatchObject({ openedBy: 'DKIM_KEY' });
    await installation.migrate(right);
    expect(await installation.check(right)).toMatchObject({ openedBy: 'RECORDED' });
  });

  it('is refused for older data whose DKIM keys are sealed under another, and nothing is migrated', async () => {
    installation = await Installation.make(firstVersion);
    const before = await installation.state();
    expect(await refusal(installation.migrate(wrong))).toMatchObject({ expected: null });
    expect(await installation.state()).toEqual(before);
    await installation.migrate(right);
  });

  it('is proved for older data without DKIM keys by the password of a runtime role', async () => {
    installation = await Installation.make('');
    await installation.migrate(right);
    await installation.forgetCheck();
    expect(await installation.check(right)).toMatchObject({ openedBy: 'ROLE' });
    const before = await installation.state();
    expect(await refusal(installation.migrate(wrong))).toMatchObject({ expected: null });
    expect(await installation.state()).toEqual(before);
    await installation.migrate(right);
    expect(await installation.check(right)).toMatchObject({ openedBy: 'RECORDED' });
  });
});
