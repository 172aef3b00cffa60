import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { format, resolveConfig } from 'prettier';
import { clientTypes, toolReference } from '#contracts';
import type { Service } from '#contracts';
import { dumpSchema } from '#database';
import type { TestDatabase } from '#testing';
import { environmentFor, freshDatabase, plans } from './harness/service-plans.js';

/** Files made from the code; `npm run generate` writes them, this suite keeps them true. */
function expectFresh(path: string, text: string): void {
  if (process.env.TIDINGS_GENERATE) writeFileSync(path, text);
  expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe(text);
}

describe('generated files', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  it('the tool reference says what the contracts say', () => {
    expectFresh('libs/contracts/TOOLS.md', toolReference());
  });

  it('the client package knows the tools as the contracts have them', async () => {
    const path = 'libs/client/src/tools.ts';
    expectFresh(path, await format(clientTypes(), { ...(await resolveConfig(path)), filepath: path }));
  });

  const services = plans.map((plan) => plan(environmentFor('postgres://localhost/none')).service);
  it.each(services)('the schema of the %s service is what its migrations make', async (service: Service) => {
    const client = new pg.Client({ connectionString: database.url, options: `-c search_path=${service},public` });
    await client.connect();
    try {
      const sql = {
        query: async (text: string, values?: unknown[]) => (await client.query(text, values)).rows as never,
      };
      expectFresh(`apps/${service}/schema.sql`, await dumpSchema(sql, service));
    } finally {
      await client.end();
    }
  });
});
