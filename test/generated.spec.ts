import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { format } from 'oxfmt';
import type { FormatConfig } from 'oxfmt';
import { clientTypes } from '#contracts';
import type { Service } from '#contracts';
import { dumpSchema } from '#database';
import type { TestDatabase } from '#testing';
import { errorsPage, eventsPage, toolsPage, v1Page } from './harness/call-reference.js';
import { configurationPage } from './harness/configuration-reference.js';
import { cliPage, consumersByEvent, metricsPage } from './harness/operations-reference.js';
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

  it.each([
    ['tools', toolsPage],
    ['v1', v1Page],
    ['events', () => eventsPage(consumersByEvent())],
    ['errors', errorsPage],
    ['configuration', configurationPage],
    ['metrics', metricsPage],
    ['cli', cliPage],
  ])('the reference of %s equals what the code declares', (name, page) => {
    expectFresh(`docs/reference/${name}.md`, page());
  });

  it('the client package has the tools of the contracts', async () => {
    const path = 'libs/client/src/tools.ts';
    const style = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as FormatConfig;
    const { code, errors } = await format(path, clientTypes(), style);
    expect(errors).toEqual([]);
    expectFresh(path, code);
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
