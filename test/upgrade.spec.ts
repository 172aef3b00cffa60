import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { hashApiToken } from '#tool-call';
import { migrateService } from '#service-host';
import { restoreDatabase } from '#testing';
import { Harness } from './harness/harness.js';
import { environmentFor, plans } from './harness/service-plans.js';

/**
 * The database of the first version (72fa40b) after it had imported subscribers and sent a campaign. Opens and clicks
 * arrived while no consumer ran. Also the answers of its tools before that.
 */
const first = {
  sql: gunzipSync(readFileSync('test/data/first-version.sql.gz')).toString(),
  ...(JSON.parse(readFileSync('test/data/first-version.json', 'utf8')) as {
    organizationId: string;
    token: string;
    answers: { tool: string; input: Record<string, string>; data: object }[];
  }),
};

describe('a database of the first version', () => {
  let harness: Harness;
  const tenant = { organizationId: first.organizationId };
  beforeAll(async () => {
    const database = await restoreDatabase(first.sql);
    await storeCountries(database.url);
    const environment = {
      ...environmentFor(database.url),
      MASTER_KEY: '5f'.repeat(32),
      DATABASE_ROLE_PREFIX: 'tidings_first',
    };
    for (const plan of plans) await migrateService(plan(environment));
    harness = await Harness.on(database, environment);
    for (const { service } of plans.map((plan) => plan(environment))) {
      await harness.dataSource(service).query('select maintain_partitions()');
    }
  });
  afterAll(() => harness.stop());

  const ask = <D>(tool: string, input: object) => harness.data<D>(tool, input, tenant);

  it.each(first.answers.map((answer) => [answer.tool, JSON.stringify(answer.input), answer] as const))(
    'answers %s %s as it did',
    async (tool, _input, { input, data }) => {
      expect(await ask(tool, input)).toMatchObject(data);
    },
  );

  it('accepts its tokens, and opens its keys', async () => {
    const domain = harness.client(domainRequests);
    const caller = harness.caller(tenant);
    const { token } = await domain.authenticate_token({ tokenHash: hashApiToken(first.token) }, caller);
    expect(token).toMatchObject(tenant);
    const { sender } = await domain.get_sender({ senderId: null }, caller);
    const { key } = await domain.get_signing_key({ domain: sender!.domain }, caller);
    expect(key!.privateKeyPem).toContain('PRIVATE KEY');
  });

  it('loses no event that was waiting, and applies none twice', async () => {
    const { campaignId } = first.answers.find(({ tool }) => tool === 'get_campaign_analytics')!.input as {
      campaignId: string;
    };
    const counted = async () => await ask<Record<string, unknown>>('get_campaign_analytics', { campaignId });
    expect(await counted()).toMatchObject({ opens: { unique: 0 }, clicks: { unique: 0 } });
    const all = { opens: { unique: 3, total: 3 }, clicks: { unique: 3, total: 3 } };
    expect(await harness.deliverEvents()).not.toEqual([]);
    expect(await counted()).toMatchObject(all);
    await harness.dataSource('delivery').query('update outbox set published_at = null');
    await harness.deliverEvents();
    expect(await counted()).toMatchObject(all);
  });

  it('has every country as its alpha-2 code, and an invalid one as null', async () => {
    const sql = harness.dataSource('subscriber');
    const rows: { name: string; country: string | null }[] = await sql.query(
      `select split_part(email, '@', 1) as name, country from subscriber where email ~ '^p[0-5]@' order by email`,
    );
    expect(rows.map(({ country }) => country)).toEqual(['GB', 'GR', null, 'FR', 'DE', 'FR']);
    const counts: { country: string | null; count: number }[] = await sql.query(
      `select country, count(*)::int from subscriber where organization_id = $1 group by 1 order by 1`,
      [chunked.organization],
    );
    expect(counts).toEqual(['FR', 'GB', null].map((country) => ({ country, count: chunked.rows / 3 })));
  });

  it('gets a code where a process of the version before still stores UK or EL', async () => {
    const sql = harness.dataSource('subscriber');
    const change = `update subscriber set country = $1 where email = 'p5@people.internal' returning country`;
    for (const [before, after] of [
      ['UK', 'GB'],
      ['EL', 'GR'],
      ['FR', 'FR'],
    ]) {
      expect((await sql.query<[{ country: string }[]]>(change, [before]))[0]).toEqual([{ country: after }]);
    }
  });

  it('takes new people, changes and campaigns', async () => {
    await ask('add_subscriber', { email: 'new@people.internal', tags: ['even'] });
    await ask('update_subscriber', { subscriber: 'ada@example.com', name: 'Ada King' });
    const { campaignId } = await ask<{ campaignId: string }>('create_campaign', { subject: 'After' });
    expect(await ask('get_campaign', { campaignId })).toMatchObject({ campaign: { subject: 'After' } });
    expect(await ask('list_subscribers', { tag: 'even' })).toMatchObject({ total: 7 });
  });
});

/** As old calls stored countries, and as they might have: of the first subscribers, and of enough for several chunks. */
const storedCountries = { p0: 'UK', p1: 'EL', p2: 'ZZ', p3: 'FRA', p4: 'Allemagne', p5: 'FR' };
const chunked = { organization: '0190aaaa-0000-7000-8000-000000000000', rows: 21_000 };

async function storeCountries(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const [name, country] of Object.entries(storedCountries)) {
      await client.query('update subscriber.subscriber set country = $2 where email = $1', [
        `${name}@people.internal`,
        country,
      ]);
    }
    await client.query(
      `insert into subscriber.subscriber (organization_id, subscriber_id, email, email_key, country, status, status_at,
         is_role, is_disposable, updated_at)
       select $1, gen_random_uuid(), 'c' || n, 'c' || n, (array['UK', 'FR', 'ZZ'])[n % 3 + 1], 'SUBSCRIBED', now(),
         false, false, now() from generate_series(1, $2::int) n`,
      [chunked.organization, chunked.rows],
    );
  } finally {
    await client.end();
  }
}

/**
 * Statements that remove data which the previous version may read, or rewrite a table under a lock that blocks all
 * access.
 */
const contracting =
  /\b(?:drop (?:table|column|schema|type|function)|rename (?:to|column)|alter column \w+ (?:type|set not null)|add (?:primary key|unique|exclude)|truncate)\b|add column [^,`]*default \w+\(/i;
/** Those that may, for the reason that docs/guides/upgrade.md gives. */
const allowed = ['workflow/1700000000501-create-engine.ts'];

it('migrations since the first version only add what the version before can live with', () => {
  const since = readdirSync('apps')
    .filter((app) => existsSync(join('apps', app, 'migrations')))
    .flatMap((app) => readdirSync(join('apps', app, 'migrations')).map((file) => ({ app, file })))
    .map(({ app, file }) => ({
      name: `${app}/${file}`,
      text: readFileSync(join('apps', app, 'migrations', file), 'utf8'),
    }))
    .filter(({ text }) => !first.sql.includes(/name = '(\w+)'/.exec(text)![1]!));
  expect(since.length).toBeGreaterThan(8);
  const statements = (text: string) => text.replace(/^\s*(?:\/\/|--|\*).*$/gm, '');
  expect(since.filter(({ text }) => contracting.test(statements(text))).map(({ name }) => name)).toEqual(allowed);
  const guide = readFileSync('docs/guides/upgrade.md', 'utf8');
  for (const name of allowed) expect(guide).toContain(/\d+/.exec(name)![0]);
});
