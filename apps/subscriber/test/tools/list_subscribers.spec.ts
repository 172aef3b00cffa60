import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { copySubscribers } from '#testing';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

interface Page {
  subscribers: Subscriber[];
  total: number;
  totalIsMinimum?: true;
  limit: number;
  nextCursor: string | null;
}

describe('list_subscribers', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const list = (input: object, by = tenant) => harness.data<Page>('list_subscribers', input, by);
  const emails = async (input: object) => (await list(input)).subscribers.map(({ email }) => email);
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    await person(harness, tenant, { email: 'ann@example.com', name: 'Ann 100%', tags: ['Gold'] });
    await person(harness, tenant, { email: 'b_b@example.com', name: 'Bob', tags: ['Gold', 'Silver'] });
    await person(harness, tenant, { email: 'bxb@example.com', name: 'ÉLISE' });
    await harness.data('unsubscribe', { email: 'bxb@example.com' }, tenant);
  });

  it('lists newest first with email, name, status and tags, and an exact total', async () => {
    const page = await list({});
    expect(page).toMatchObject({ total: 3, limit: 50, nextCursor: null });
    expect(page.subscribers[1]).toEqual({
      id: expect.stringMatching(/^sub_/),
      email: 'b_b@example.com',
      name: 'Bob',
      status: 'SUBSCRIBED',
      createdAt: expect.stringMatching(/Z$/),
      tags: [
        { id: expect.stringMatching(/^tag_/), name: 'Gold' },
        { id: expect.stringMatching(/^tag_/), name: 'Silver' },
      ],
    });
    expect(page.subscribers.map(({ email }) => email)).toEqual([
      'bxb@example.com',
      'b_b@example.com',
      'ann@example.com',
    ]);
  });

  it('narrows by status in any case and by tag name in any case, with totals', async () => {
    expect(await list({ status: 'unsubscribed' })).toMatchObject({
      total: 1,
      subscribers: [{ email: 'bxb@example.com' }],
    });
    expect((await list({ status: 'all' })).total).toBe(3);
    expect(await list({ tag: ' gOLD ' })).toMatchObject({ total: 2 });
    expect(await list({ tag: 'silver', status: 'SUBSCRIBED' })).toMatchObject({ total: 1 });
    expect(await list({ tag: 'silver', status: 'UNSUBSCRIBED' })).toMatchObject({ total: 0, subscribers: [] });
  });

  it('finds a text in address, name and tag names, % and _ standing for themselves', async () => {
    expect(await emails({ query: ' ANN ' })).toEqual(['ann@example.com']);
    expect(await emails({ query: '0%' })).toEqual(['ann@example.com']);
    expect(await emails({ query: 'b_b' })).toEqual(['b_b@example.com']);
    expect(await emails({ query: 'élise' })).toEqual(['bxb@example.com']);
    expect(await emails({ query: 'ilve' })).toEqual(['b_b@example.com']);
    expect(await emails({ query: 'com ann' })).toEqual([]);
    expect(await emails({ query: '' })).toHaveLength(3);
    expect((await list({ query: 'example' })).total).toBe(3);
  });

  it('pages by the id of the last one, although that one is gone', async () => {
    const first = await list({ limit: 1 });
    expect(first.nextCursor).toBe(first.subscribers[0]!.id);
    const gone = newId('sub');
    expect(await emails({ cursor: gone })).toHaveLength(3);
    const second = await list({ limit: 2, cursor: first.nextCursor });
    expect(second.subscribers.map(({ email }) => email)).toEqual(['b_b@example.com', 'ann@example.com']);
    expect(second).toMatchObject({ nextCursor: null, total: 3 });
    expect(await harness.refusal('list_subscribers', { cursor: 'nonsense' }, tenant)).toBe('PARAMETERS_INVALID');
    expect(await harness.refusal('list_subscribers', { limit: 101 }, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('refuses an unknown tag with TAG_NOT_FOUND, also one of another organization', async () => {
    await harness.data('create_tag', { name: 'Theirs' }, otherTenant);
    for (const tag of ['none', 'Theirs'])
      expect(await harness.refusal('list_subscribers', { tag }, tenant)).toBe('TAG_NOT_FOUND');
    expect((await list({}, otherTenant)).total).toBe(0);
  });

  it('counts what no counter keeps to 10,000, and says that it is a minimum', async () => {
    const url = (harness.dataSource('subscriber').options as { url: string }).url;
    await copySubscribers({ databaseUrl: url, organizationId: otherTenant.organizationId, count: 10_500, tagEvery: 1 });
    expect(await list({}, otherTenant)).toMatchObject({ total: 10_500 });
    expect(await list({ tag: 'half' }, otherTenant)).toMatchObject({ total: 10_500 });
    expect(await list({ query: 'person' }, otherTenant)).toMatchObject({ total: 10_000, totalIsMinimum: true });
  });

  it('story 13: returns every subscriber once although all were imported in one instant', async () => {
    const tenant = await organization(harness);
    const subscribers = Array.from({ length: 250 }, (_, i) => ({ email: `same${i}@example.com` }));
    await harness.data('import_subscribers', { subscribers }, tenant);
    await harness
      .dataSource('subscriber')
      .query(`update subscriber set updated_at = '2026-01-01', status_at = '2026-01-01' where organization_id = $1`, [
        uuidOf('org', tenant.organizationId),
      ]);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list({ limit: 20, ...(cursor && { cursor }) }, tenant);
      seen.push(...page.subscribers.map(({ email }) => email));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toHaveLength(250);
    expect(new Set(seen).size).toBe(250);
  });
});
