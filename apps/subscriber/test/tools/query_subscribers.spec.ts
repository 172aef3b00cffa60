import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface Page {
  subscribers: Record<string, unknown>[];
  total: number;
  totalIsMinimum?: true;
  limit: number;
  nextCursor: string | null;
}

describe('query_subscribers', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  const query = (input: object, by = tenant) => harness.data<Page>('query_subscribers', input, by);
  const emails = async (input: object) => (await query(input)).subscribers.map(({ email }) => email);
  const score = (operator: string, value: number) => ({
    type: 'FIELD',
    fieldName: 'Score',
    valueType: 'NUMBER',
    operator,
    value,
  });
  beforeAll(async () => {
    tenant = await organization(harness);
    await person(harness, tenant, { email: 'a@one.example', name: 'Ann', tags: ['x'], fields: { Score: 7 } });
    await person(harness, tenant, { email: 'b@one.example', phone: '+331', fields: { Score: 12 } });
    await person(harness, tenant, { email: 'c@two.example', tags: ['xylo'], fields: { Score: 20 } });
    await harness.data('unsubscribe', { email: 'c@two.example' }, tenant);
  });

  it('answers the summary fields by default, newest first, with an exact total', async () => {
    const page = await query({});
    expect(page).toMatchObject({ total: 3, limit: 50, nextCursor: null });
    expect(page.subscribers[2]).toEqual({
      id: expect.stringMatching(/^sub_/),
      email: 'a@one.example',
      name: 'Ann',
      status: 'SUBSCRIBED',
      createdAt: expect.stringMatching(/Z$/),
      tags: [{ id: expect.stringMatching(/^tag_/), name: 'x' }],
    });
    expect(page.subscribers.map(({ email }) => email)).toEqual(['c@two.example', 'b@one.example', 'a@one.example']);
  });

  it('answers only the fields asked for', async () => {
    const filters = [score('EQUALS', 12)];
    const fields = ['email', 'phone', 'customFields', 'updatedAt', 'revenue', 'emailCount', 'openCount', 'clickCount'];
    expect((await query({ filters, fields })).subscribers).toEqual([
      {
        email: 'b@one.example',
        phone: '+331',
        customFields: { Score: '12' },
        updatedAt: expect.any(String),
        revenue: 0,
        emailCount: 0,
        openCount: 0,
        clickCount: 0,
      },
    ]);
    expect(await harness.refusal('query_subscribers', { fields: ['ipAddress'] }, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('takes filters, a status and a text together', async () => {
    const filters = [score('GREATER_THAN', 7)];
    expect(await emails({ filters })).toEqual(['c@two.example', 'b@one.example']);
    expect(await emails({ filters, status: 'subscribed' })).toEqual(['b@one.example']);
    expect(await emails({ filters, query: 'XYL' })).toEqual(['c@two.example']);
    expect(await query({ filters, query: 'XYL', status: 'SUBSCRIBED' })).toMatchObject({ total: 0, subscribers: [] });
  });

  it('pages by cursor, also without the id among the fields, and shows the total of the first page', async () => {
    const first = await query({ limit: 2, fields: ['email'] });
    expect(first).toMatchObject({ total: 3, nextCursor: expect.stringMatching(/^sub_/) });
    await person(harness, tenant, { email: 'd@late.example' });
    const second = await query({ limit: 2, fields: ['email'], cursor: first.nextCursor });
    expect(second).toEqual({ subscribers: [{ email: 'a@one.example' }], total: 3, limit: 2, nextCursor: null });
    expect((await query({})).total).toBe(4);
    expect(await harness.refusal('query_subscribers', { cursor: 'nonsense' }, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('refuses filters that do not read, or name what another organization has, with FILTERS_INVALID', async () => {
    const otherTenant = await organization(harness);
    for (const [filters, by] of [
      [[{ type: 'STRING' }], tenant],
      [[score('EQUALS', 7)], otherTenant],
    ] as const) {
      expect(await harness.refusal('query_subscribers', { filters }, by)).toBe('FILTERS_INVALID');
    }
    expect(await query({}, otherTenant)).toMatchObject({ subscribers: [], total: 0 });
  });

  it('answers FILTER_TARGET_GONE when a segment names a tag that is gone', async () => {
    const tagged = [{ type: 'TAG', operator: 'BELONGS_TO_NONE', tagNames: ['x'] }];
    await harness.data('create_segment', { name: 'Without', filters: tagged }, tenant);
    await harness.dataSource('subscriber').query(`update tag set deleted_at = now() where name = 'x'`);
    const filters = [{ type: 'SEGMENT', operator: 'INCLUDE', segmentName: 'Without' }];
    expect(await harness.refusal('query_subscribers', { filters }, tenant)).toBe('FILTER_TARGET_GONE');
  });
});
