import { beforeAll, describe, expect, it } from '@jest/globals';
import { countStatements } from '#testing';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { historyOf, mark, organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

interface Imported {
  imported: number;
  updated: number;
  failed: number;
  errors: { row: number; email: string | null; code: string; message: string }[];
  warnings?: string[];
}

describe('import_subscribers', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  let asking: Tenant;
  const load = (subscribers: unknown[], options: object = {}, by = tenant) =>
    harness.data<Imported>('import_subscribers', { subscribers, ...options }, by);
  const get = async (email: string, by = tenant) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { email }, by)).subscriber;
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    asking = await organization(harness, { doubleOptIn: true });
  });

  it('creates and updates with tags, fields and history; starts no workflow unless asked', async () => {
    await harness.deliverEvents();
    const rows = [
      { email: 'lin@example.com', name: 'Lin', tags: ['lead'], fields: { City: 'Taipei' }, country: 'tw' },
      { email: 'noor@example.com', phone: ' +31 ', ipAddress: '192.0.2.1' },
    ];
    expect(await load(rows)).toMatchObject({ imported: 2, updated: 0, failed: 0, errors: [] });
    expect(await get('lin@example.com')).toMatchObject({
      name: 'Lin',
      status: 'SUBSCRIBED',
      tags: [{ name: 'lead' }],
      customFields: { City: 'Taipei' },
    });
    expect(await load([{ email: 'LIN@example.com', phone: '1', tags: ['vip'] }])).toMatchObject({
      imported: 0,
      updated: 1,
    });
    expect(await get('lin@example.com')).toMatchObject({
      name: 'Lin',
      phone: '1',
      tags: [{ name: 'lead' }, { name: 'vip' }],
      customFields: { City: 'Taipei' },
    });
    expect(await historyOf(harness, tenant, 'lin@example.com')).toEqual([
      ...['TAG_ADDED', 'TAG_ADDED', 'FIELD_UPDATED', 'SUBSCRIBED'],
    ]);
    const published = await harness.deliverEvents();
    expect(published.map(({ name }) => name)).toEqual(['tag.added']);
    expect(published.every(({ data }) => !(data as { triggerWorkflows: boolean }).triggerWorkflows)).toBe(true);
    await load([{ email: 'go@example.com', tags: ['lead'] }], { triggerWorkflows: true });
    const started = await harness.deliverEvents();
    expect(started.map(({ name, data }) => [name, (data as { triggerWorkflows: boolean }).triggerWorkflows])).toEqual([
      ['subscriber.subscribed', true],
      ['tag.added', true],
    ]);
  });

  it('rejects an invalid row alone, with its index and the reason', async () => {
    const rows = [
      { email: 'good@example.com' },
      null,
      'text@example.com',
      { name: 'Nobody' },
      { email: 'not an address' },
      { email: 'deep@example.com', fields: { x: { y: 1 } } },
      { email: 'res@example.com', fields: { Status: 'x' } },
      { email: 'typo@example.com', nmae: 'x' },
      { email: 'tag@example.com', tags: ['a,b'] },
      { email: 'long@example.com', fields: { x: 'y'.repeat(10_001) } },
      { email: 'fine@example.com', name: null, fields: { x: true, y: 1.5 } },
    ];
    const done = await load(rows);
    expect(done).toMatchObject({ imported: 2, updated: 0, failed: 9 });
    expect(done.errors.map(({ row, email, code }) => [row, email, code])).toEqual([
      [1, null, 'ROW_INVALID'],
      [2, null, 'ROW_INVALID'],
      [3, null, 'ROW_INVALID'],
      [4, 'not an address', 'EMAIL_INVALID'],
      [5, 'deep@example.com', 'ROW_INVALID'],
      [6, 'res@example.com', 'FIELD_RESERVED'],
      [7, 'typo@example.com', 'ROW_INVALID'],
      [8, 'tag@example.com', 'ROW_INVALID'],
      [9, 'long@example.com', 'ROW_INVALID'],
    ]);
    expect(done.errors[6]!.message).toContain('did you mean name?');
    expect(await harness.refusal('import_subscribers', { subscribers: [] }, tenant)).toBe('PARAMETERS_INVALID');
    const many = Array.from({ length: 501 }, (_, i) => ({ email: `m${i}@example.com` }));
    expect(await harness.refusal('import_subscribers', { subscribers: many }, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('story 16: 500 rows with duplicates, other cases, no-break spaces and invisible marks', async () => {
    const spellings = [
      (n: number) => `dup${n}@Example.com`,
      (n: number) => `\u00a0DUP${n}@example.COM\u00a0`,
      (n: number) => `dup${n}@example.com\u200b`,
      (n: number) => ` Dup${n}@EXAMPLE.com\t`,
      (n: number) => `\ufeffdup${n}@example.com`,
    ];
    const rows = Array.from({ length: 500 }, (_, i) => ({
      email: spellings[Math.floor(i / 100)]!(i % 100),
      name: `Row ${i}`,
      fields: { Last: i },
    }));
    expect(await load(rows)).toMatchObject({ imported: 100, updated: 400, failed: 0 });
    expect(await get('dup7@example.com')).toMatchObject({ name: 'Row 407', customFields: { Last: '407' } });
    expect(await load(rows)).toMatchObject({ imported: 0, updated: 500, failed: 0 });
  });

  it('loses nothing of an address that comes twice: later rows add tags, and change only what they give', async () => {
    const rows = [
      {
        email: 'twice@example.com',
        name: 'Ada',
        phone: '1',
        country: 'FR',
        tags: ['first'],
        fields: { Town: 'Ulm', Zip: 1 },
      },
      { email: 'Twice@example.com', phone: '2', tags: ['second', 'FIRST'], fields: { town: 'Rome' } },
      { email: 'twice@example.com', name: null },
    ];
    expect(await load(rows)).toMatchObject({ imported: 1, updated: 2, failed: 0 });
    expect(await get('twice@example.com')).toMatchObject({
      name: null,
      phone: '2',
      customFields: { Town: 'Rome', Zip: '1' },
      tags: [{ name: 'first' }, { name: 'second' }],
    });
    const french = [{ type: 'STRING', field: 'country', operator: 'EQUALS', value: 'FR' }];
    expect(await harness.data('count_subscribers', { filters: french, query: 'twice@' }, tenant)).toEqual({ total: 1 });
  });

  it('leaves the unsubscribed out unless resubscribe is true, and the suppressed and pending always', async () => {
    for (const name of ['left', 'bounced', 'banned']) await load([{ email: `${name}@example.com` }]);
    await harness.data('unsubscribe', { email: 'left@example.com' }, tenant);
    await mark(harness, await get('bounced@example.com'), 'hard_bounced');
    await mark(harness, await get('banned@example.com'), 'banned');
    const rows = ['left', 'bounced', 'banned'].map((name) => ({ email: `${name}@example.com`, name }));
    expect((await load(rows)).warnings).toEqual([
      expect.stringMatching(/^bounced@example\.com: The address is marked BOUNCED/),
      expect.stringMatching(/^banned@example\.com: The address is marked BANNED/),
    ]);
    expect((await get('left@example.com')).status).toBe('UNSUBSCRIBED');
    await load(rows, { resubscribe: true });
    const statuses = await Promise.all(rows.map(async ({ email }) => (await get(email)).status));
    expect(statuses).toEqual(['SUBSCRIBED', 'BOUNCED', 'BANNED']);
    expect((await get('banned@example.com')).name).toBe('banned');
    await person(harness, asking, { email: 'pending@example.com' });
    await load([{ email: 'pending@example.com' }, { email: 'consented@example.com' }], {}, asking);
    expect((await get('pending@example.com', asking)).status).toBe('PENDING_CONFIRMATION');
    expect((await get('consented@example.com', asking)).status).toBe('SUBSCRIBED');
  });

  it('names the addresses that a warning is about, ten of them at most', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => ({ email: `left${i}@example.com` }));
    await load(rows);
    for (const { email } of rows) await mark(harness, await get(email), 'complained');
    const { warnings } = await load([...rows, { email: 'fine2@example.com', fields: { Fresh: 1 } }]);
    expect(warnings).toEqual([
      expect.stringContaining('"Fresh"'),
      expect.stringMatching(/^left0@example\.com, .*, left9@example\.com and 2 more: The address is marked COMPLAINED/),
    ]);
  });

  it('runs the same number of statements for 5 rows and for 500', async () => {
    const count = async (size: number, round: number) => {
      const rows = Array.from({ length: size }, (_, i) => ({
        email: `s${size}-${i}@example.com`,
        name: `n${round}`,
        tags: ['t1', 't2'],
        fields: { F: round },
      }));
      return await countStatements(() => load(rows));
    };
    await count(3, 0);
    expect(await count(500, 1)).toBe(await count(5, 1));
    expect(await count(500, 2)).toBe(await count(5, 2));
    expect(await count(5, 2)).toBeLessThanOrEqual(12);
  });

  it('takes simultaneous imports of the same people in any order', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => ({ email: `race${i}@example.com`, tags: [`r${i % 9}`] }));
    const done = await Promise.all([rows, [...rows].reverse(), rows, [...rows].reverse()].map((some) => load(some)));
    expect(done.reduce((sum, { imported }) => sum + imported, 0)).toBe(200);
    expect(done.reduce((sum, { updated }) => sum + updated, 0)).toBe(600);
    const { tags } = await harness.data<{ tags: { name: string; subscribersCount: number }[] }>(
      'list_tags',
      {},
      tenant,
    );
    expect(tags.filter(({ name }) => /^r\d$/.test(name)).reduce((sum, tag) => sum + tag.subscribersCount, 0)).toBe(200);
  });

  it('keeps organizations apart', async () => {
    await load([{ email: 'both@example.com', name: 'Ours', tags: ['ours only'] }]);
    expect(await load([{ email: 'both@example.com' }], {}, otherTenant)).toMatchObject({ imported: 1 });
    expect(await get('both@example.com', otherTenant)).toMatchObject({ name: null, tags: [] });
    expect(await harness.data('list_tags', {}, otherTenant)).toEqual({ tags: [], total: 0 });
  });

  it('refuses a call whose newcomers would go over a quota with QUOTA_REACHED, whole', async () => {
    const tenant = await organization(harness);
    const bound: Tenant = {
      ...tenant,
      bounds: { plan: 'ENTERPRISE', quotas: { contacts: 2, mailsPerMonth: null, domains: null } },
    };
    const rows = ['one', 'two', 'three'].map((name) => ({ email: `${name}@example.com` }));
    expect(await load(rows.slice(0, 1), {}, bound)).toMatchObject({ imported: 1 });
    expect(await harness.refusal('import_subscribers', { subscribers: rows }, bound)).toBe('QUOTA_REACHED');
    expect(await harness.data('count_subscribers', {}, tenant)).toEqual({ total: 1 });
    expect(await load(rows.slice(0, 2), {}, bound)).toMatchObject({ imported: 1, updated: 1 });
  });

  it('fails a row over the limits of custom fields or values alone, with LIMIT_REACHED', async () => {
    const tenant = await organization(harness);
    const many = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix} ${n}`, 'x']));
    const subscribers = [
      { email: 'first@example.com', fields: many(299, 'a') },
      { email: 'second@example.com', fields: many(2, 'b') },
      { email: 'third@example.com', fields: { 'b 0': 'y', 'A 0': 'y' } },
      { email: 'second@example.com', name: 'Second' },
      {
        email: 'large@example.com',
        fields: Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`a ${n}`, 'x'.repeat(10_000)])),
      },
      { email: 'last@example.com' },
    ];
    const answer = await harness.data<{ errors: { row: number; code: string }[] }>(
      ...(['import_subscribers', { subscribers }, tenant] as const),
    );
    expect(answer).toMatchObject({ imported: 3, updated: 0, failed: 3 });
    expect(answer.errors.map(({ row, code }) => [row, code])).toEqual([
      [1, 'LIMIT_REACHED'],
      [3, 'LIMIT_REACHED'],
      [4, 'LIMIT_REACHED'],
    ]);
    const grow = [
      {
        email: 'third@example.com',
        fields: Object.fromEntries(Object.keys(many(7, 'a')).map((name) => [name, 'x'.repeat(9_990)])),
      },
      { email: 'last@example.com', name: 'Last' },
    ];
    expect(await harness.data('import_subscribers', { subscribers: grow }, tenant)).toMatchObject({
      updated: 1,
      errors: [{ row: 0, code: 'LIMIT_REACHED' }],
    });
  });
});
