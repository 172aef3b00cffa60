import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface Exported {
  format: string;
  count: number;
  truncated: boolean;
  subscribers?: { email: string }[];
  csv?: string;
}

describe('export_subscribers', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const get = (input: object = {}, by = tenant) => harness.data<Exported>('export_subscribers', input, by);
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    await person(harness, tenant, {
      email: 'ada@example.com',
      name: 'Ada, "the" Countess',
      phone: '+4420',
      tags: ['vip', 'news'],
      fields: { note: '=1+1', city: 'London\r\nEngland' },
    });
    await person(harness, tenant, { email: 'bob@example.com', name: '@bob', phone: '-1', tags: ['news'] });
    await harness.data('unsubscribe', { email: 'bob@example.com' }, tenant);
    await person(harness, otherTenant, { email: 'foreign@example.com' });
  });

  it('returns people as JSON, newest first, with tags and fields', async () => {
    const { subscribers, ...facts } = await get();
    expect(facts).toEqual({ format: 'json', count: 2, truncated: false });
    expect(subscribers!.map(({ email }) => email)).toEqual(['bob@example.com', 'ada@example.com']);
    expect(subscribers![1]).toEqual({
      email: 'ada@example.com',
      name: 'Ada, "the" Countess',
      phone: '+4420',
      status: 'SUBSCRIBED',
      tags: [expect.objectContaining({ name: 'news' }), expect.objectContaining({ name: 'vip' })],
      customFields: { note: '=1+1', city: 'London\nEngland' },
      createdAt: expect.stringMatching(/Z$/),
    });
  });

  it('returns CSV with a column a field, quoted, and without formulas', async () => {
    const { csv, subscribers } = await get({ format: 'csv' });
    expect(subscribers).toBeUndefined();
    const lines = csv!.split('\r\n');
    expect(lines[0]).toBe('email,name,phone,status,tags,city,note,createdAt');
    expect(lines[1]).toMatch(/^bob@example\.com,'@bob,'-1,UNSUBSCRIBED,news,,,2\S+Z$/);
    expect(lines[2]).toMatch(
      /^ada@example\.com,"Ada, ""the"" Countess",\+4420,SUBSCRIBED,"news, vip","London\nEngland",'=1\+1,2\S+Z$/,
    );
    expect(lines.slice(3)).toEqual(['']);
  });

  it('narrows by status and by tag in any case, and says when there is more', async () => {
    expect(await get({ status: 'unsubscribed' })).toMatchObject({ count: 1 });
    expect(await get({ tag: 'NEWS' })).toMatchObject({ count: 2 });
    expect(await get({ tag: 'news', status: 'SUBSCRIBED' })).toMatchObject({
      subscribers: [{ email: 'ada@example.com' }],
    });
    expect(await get({ limit: 1 })).toMatchObject({ count: 1, truncated: true });
  });

  it('refuses an unknown tag with TAG_NOT_FOUND, and more than 10,000', async () => {
    expect(await harness.refusal('export_subscribers', { tag: 'nope' }, tenant)).toBe('TAG_NOT_FOUND');
    expect(await harness.refusal('export_subscribers', { tag: 'vip' }, otherTenant)).toBe('TAG_NOT_FOUND');
    for (const wrong of [{ limit: 10_001 }, { limit: 0 }, { format: 'xml' }, { status: 'all' }])
      expect(await harness.refusal('export_subscribers', wrong, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('returns as many as one answer holds where values are long', async () => {
    const long = await organization(harness);
    const fields = Object.fromEntries(Array.from({ length: 3 }, (_, i) => [`f${i}`, 'é'.repeat(10_000)]));
    const subscribers = Array.from({ length: 130 }, (_, i) => ({ email: `long${i}@example.com`, fields }));
    for (const some of [subscribers.slice(0, 65), subscribers.slice(65)])
      await harness.data('import_subscribers', { subscribers: some }, long);
    const { count, truncated } = await get({}, long);
    expect(truncated).toBe(true);
    expect(count).toBe(99);
  });

  it('leaves the cell of a field without a value empty, for any field name', async () => {
    const builders = await organization(harness);
    await person(harness, builders, { email: 'none@example.com' });
    await person(harness, builders, { email: 'one@example.com', fields: { constructor: 'Bouygues' } });
    const { csv } = await get({ format: 'csv' }, builders);
    const cells = csv!.split('\r\n').map((line) => line.split(',')[5]);
    expect(cells.slice(0, 3)).toEqual(['constructor', 'Bouygues', '']);
  });

  it('keeps organizations apart', async () => {
    expect(await get({}, otherTenant)).toMatchObject({ count: 1, subscribers: [{ email: 'foreign@example.com' }] });
  });
});
