import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { prepareSchema, runtimeUrl } from '#database';
import { restoreDatabase } from '#testing';

describe('the roles of an installation', () => {
  it('are made and kept by cells of one cluster that start at the same time', async () => {
    const databases = await Promise.all(Array.from({ length: 6 }, () => restoreDatabase('')));
    const rolePrefix = `roles_${randomBytes(4).toString('hex')}`;
    const cells = databases.map(({ url: ownerUrl }) => ({
      ownerUrl,
      rolePrefix,
      schema: 'domain',
      masterKey: '5f'.repeat(32),
      migrations: [],
    }));
    try {
      for (const start of ['first', 'second']) {
        await Promise.all(cells.map(prepareSchema));
        for (const cell of cells) expect([start, await schemaOf(runtimeUrl(cell))]).toEqual([start, 'domain']);
      }
    } finally {
      await Promise.all(databases.map((database) => database.drop()));
      await asked(process.env.DATABASE_URL!, `drop role if exists ${rolePrefix}_domain`);
    }
  });
});

/** Reads, as whom the URL names, the one schema that a service may use. */
const schemaOf = async (url: string): Promise<unknown> =>
  (
    await asked(
      url,
      `select nspname from pg_namespace where nspname = 'domain' and has_schema_privilege(oid, 'usage')
       and not has_schema_privilege(oid, 'create')`,
    )
  )[0]?.nspname;

async function asked(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
