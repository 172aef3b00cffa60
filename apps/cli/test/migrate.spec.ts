import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { environmentFor, freshDatabase } from '../../../test/harness/service-plans.js';
import { cliFixture } from './cli-fixture.js';

describe('the command about migrations', () => {
  const type = cliFixture({});
  const { DATABASE_URL: formerUrl } = process.env;
  let drop: () => Promise<void>;
  let url: string;
  let database: DataSource;

  beforeAll(async () => {
    ({ url, drop } = await freshDatabase());
    database = await new DataSource({ type: 'postgres', url }).initialize();
    process.env.DATABASE_URL = url;
  });
  afterAll(async () => {
    process.env.DATABASE_URL = formerUrl;
    await database.destroy();
    await drop();
  });

  it('shows the migrations of each service', async () => {
    const { status, said } = await type('migrate', 'status');
    expect(status).toBe(0);
    expect(said.slice(1)).toEqual(
      ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'].map((name) =>
        expect.stringMatching(new RegExp(`^${name} +\\d+ +- +-$`)),
      ),
    );
    const [forgotten] = await database.query<[{ timestamp: string; name: string }[], number]>(
      `delete from workflow.migration where timestamp = (select max(timestamp) from workflow.migration)
       returning timestamp, name`,
    );
    const open = await type('migrate', 'status', '--json');
    expect(open.status).toBe(3);
    expect(JSON.parse(open.last)).toMatchObject({
      services: expect.arrayContaining([
        expect.objectContaining({ service: 'workflow', open: [expect.stringMatching(/^\d{13}$/)] }),
      ]),
    });
    const { timestamp, name } = forgotten[0]!;
    await database.query(`insert into workflow.migration (timestamp, name) values ($1, $2)`, [timestamp, name]);
  });

  it('applies the open migrations of all services, and again without a change', async () => {
    const main = join(process.env.TIDINGS_BUILD_DIR!, 'apps/cli/src/main.js');
    const environment = { ...process.env, ...environmentFor(url) };
    for (let run = 0; run < 2; run++) {
      const { stdout } = await promisify(execFile)(process.execPath, [main, 'migrate', 'up'], { env: environment });
      expect(stdout.trim().split('\n')).toEqual(
        ['domain', 'subscriber', 'campaign', 'workflow', 'delivery'].map(
          (name) => `${name}: all migrations are applied.`,
        ),
      );
    }
    expect((await type('migrate', 'status')).status).toBe(0);
  });
});
