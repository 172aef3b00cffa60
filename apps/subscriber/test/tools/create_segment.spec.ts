import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface Created {
  segment: { id: string; name: string; filters: Record<string, unknown>[]; createdAt: string; updatedAt: string };
  segmentId: string;
  subscribersCount: number;
}

describe('create_segment', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const create = (input: object, by = tenant) => harness.data<Created>('create_segment', input, by);
  const holders = (tag: string, operator = 'BELONGS_TO_ANY') => ({ type: 'tag', operator, tagNames: [tag] });
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    await person(harness, tenant, { email: 'a@example.com', tags: ['vip', 'new'] });
    await person(harness, tenant, { email: 'b@example.com', tags: ['vip'] });
    await person(harness, tenant, { email: 'c@example.com' });
  });

  it('keeps the filters by id, so that renaming what they name changes nothing, and counts who matches', async () => {
    const { segment, segmentId, subscribersCount } = await create({ name: ' Vips ', filters: [holders('VIP')] });
    expect(segment).toEqual({
      id: segmentId,
      name: 'Vips',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: [expect.stringMatching(/^tag_/)] }],
    });
    expect(subscribersCount).toBe(2);
    await harness.dataSource('subscriber').query(`update tag set name = 'Very', name_key = 'very' where name = 'vip'`);
    const include = { type: 'SEGMENT', operator: 'INCLUDE', segmentName: 'VIPS' };
    expect(await harness.data('count_subscribers', { filters: [include] }, tenant)).toEqual({ total: 2 });
  });

  it('matches all subscribers without filters, and includes and excludes other segments', async () => {
    expect((await create({ name: 'Everybody' })).subscribersCount).toBe(3);
    const filters = [
      { type: 'SEGMENT', operator: 'INCLUDE', segmentName: 'Vips' },
      {
        type: 'SEGMENT',
        operator: 'EXCLUDE',
        segmentId: (await create({ name: 'New', filters: [holders('new')] })).segmentId,
      },
    ];
    expect((await create({ name: 'Old vips', filters })).subscribersCount).toBe(1);
  });

  it('refuses a name that exists in another case with SEGMENT_NAME_TAKEN, but not in another organization', async () => {
    expect(await harness.refusal('create_segment', { name: 'vIPS' }, tenant)).toBe('SEGMENT_NAME_TAKEN');
    expect((await create({ name: 'Vips' }, otherTenant)).subscribersCount).toBe(0);
  });

  it('refuses filters that do not read, or name what the organization does not have, with FILTERS_INVALID', async () => {
    const { segmentId } = await create({ name: 'Foreign' }, otherTenant);
    for (const filter of [
      { type: 'TAG' },
      holders('nobody'),
      { type: 'SEGMENT', operator: 'INCLUDE', segmentId },
      { type: 'SEGMENT', operator: 'INCLUDE', segmentName: 'Foreign' },
      { type: 'FIELD', operator: 'IS_EMPTY', fieldName: 'nothing' },
      { type: 'DATE', field: 'createdAt', operator: 'BEFORE', date: '2026-02-30' },
    ]) {
      expect(await harness.refusal('create_segment', { name: 'Wrong', filters: [filter] }, tenant)).toBe(
        'FILTERS_INVALID',
      );
    }
  });

  it('saves nothing that comes to more than 500 conditions with the segments it includes', async () => {
    const names = (from: number) =>
      Array.from({ length: 3 }, (_, group) => ({
        type: 'GROUP',
        match: 'ANY',
        filters: Array.from({ length: 100 }, (_, n) => ({
          type: 'STRING',
          field: 'name',
          operator: 'EQUALS',
          value: `${from} ${group} ${n}`,
        })),
      }));
    await create({ name: 'Many', filters: names(1) });
    await create({ name: 'As many', filters: names(2) });
    const both = ['Many', 'As many'].map((segmentName) => ({ type: 'SEGMENT', operator: 'INCLUDE', segmentName }));
    expect(await harness.refusal('create_segment', { name: 'Too many', filters: both }, tenant)).toBe(
      'FILTERS_INVALID',
    );
    expect((await create({ name: 'Too many', filters: [both[0]] })).subscribersCount).toBe(0);
  });

  it('refuses an id and a name of two different records', async () => {
    const { segmentId } = await create({ name: 'First' });
    await create({ name: 'Second' });
    const both = (segmentName: string) => [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId, segmentName }];
    expect((await create({ name: 'Same twice', filters: both('FIRST') })).segment.filters).toEqual([
      { type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId },
    ]);
    expect(await harness.refusal('create_segment', { name: 'Two', filters: both('Second') }, tenant)).toBe(
      'FILTERS_INVALID',
    );
  });

  it('refuses to include a segment whose tag is gone with FILTER_TARGET_GONE', async () => {
    await create({ name: 'Broken', filters: [holders('new', 'BELONGS_TO_NONE')] });
    await harness.dataSource('subscriber').query(`update tag set deleted_at = now() where name = 'new'`);
    const filters = [{ type: 'SEGMENT', operator: 'EXCLUDE', segmentName: 'Broken' }];
    expect(await harness.refusal('create_segment', { name: 'On top', filters }, tenant)).toBe('FILTER_TARGET_GONE');
  });
});
