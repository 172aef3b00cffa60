import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface Read {
  segment: { name: string; filters: object[] };
  segmentId: string;
  subscribersCount: number | null;
  warnings?: string[];
}

describe('get_segment', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let segmentId: string;
  const get = (by = tenant) => harness.data<Read>('get_segment', { segmentId }, by);
  beforeAll(async () => {
    tenant = await organization(harness);
    await person(harness, tenant, { email: 'a@example.com', tags: ['vip'] });
    const filters = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }];
    ({ segmentId } = await harness.data<Read>('create_segment', { name: 'Vips', filters }, tenant));
  });

  it('answers all filters and counts who matches now', async () => {
    expect(await get()).toMatchObject({
      segment: { id: segmentId, name: 'Vips', filters: [{ type: 'TAG', operator: 'BELONGS_TO_ANY' }] },
      segmentId,
      subscribersCount: 1,
    });
    await person(harness, tenant, { email: 'b@example.com', tags: ['vip'] });
    expect((await get()).subscribersCount).toBe(2);
  });

  it('answers SEGMENT_NOT_FOUND for an unknown, a malformed and another organization’s id', async () => {
    const otherTenant = await organization(harness);
    for (const [id, by] of [
      [segmentId, otherTenant],
      ['seg_00000000000000000000000000', tenant],
      ['nonsense', tenant],
    ] as const) {
      expect(await harness.refusal('get_segment', { segmentId: id }, by)).toBe('SEGMENT_NOT_FOUND');
    }
  });

  it('can still be read when the segments it includes grow beyond 500 conditions together', async () => {
    const value = (n: number) => ({ type: 'STRING', field: 'name', operator: 'EQUALS', value: String(n) });
    const many = Array.from({ length: 6 }, (_, group) => ({
      type: 'GROUP',
      match: 'ANY',
      filters: Array.from({ length: 50 }, (_, n) => value(50 * group + n)),
    }));
    const save = (name: string, filters: object[]) =>
      harness.data<Read>('create_segment', { name, filters }, tenant).then((saved) => saved.segmentId);
    const parts = [await save('One', many), await save('Other', [])];
    const includes = parts.map((id) => ({ type: 'SEGMENT', operator: 'INCLUDE', segmentId: id }));
    const whole = await save('Whole', includes);
    await harness.data('update_segment', { segmentId: parts[1], filters: many }, tenant);
    const read = await harness.data<Read>('get_segment', { segmentId: whole }, tenant);
    expect(read).toMatchObject({ segment: { filters: includes }, subscribersCount: null });
    expect(read.warnings).toEqual([expect.stringContaining('more than 500 conditions')]);
  });

  it('can still be read when its tag is gone, with a warning in place of a count', async () => {
    await harness.dataSource('subscriber').query(`update tag set deleted_at = now()`);
    const { subscribersCount, warnings, segment } = await get();
    expect(subscribersCount).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('no longer exists')]);
    expect(segment.filters).toHaveLength(1);
  });
});
