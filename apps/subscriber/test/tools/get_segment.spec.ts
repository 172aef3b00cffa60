import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';

interface Read {
  segment: { name: string; filters: object[] };
  segmentId: string;
  subscribersCount: number | null;
  warnings?: string[];
}

describe('get_segment', () => {
  let tidings: Harness;
  let ours: Tenant;
  let segmentId: string;
  const get = (tenant = ours) => tidings.data<Read>('get_segment', { segmentId }, tenant);
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    await person(tidings, ours, { email: 'a@example.com', tags: ['vip'] });
    const filters = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }];
    ({ segmentId } = await tidings.data<Read>('create_segment', { name: 'Vips', filters }, ours));
  });
  afterAll(() => tidings.stop());

  it('answers all filters and counts who matches now', async () => {
    expect(await get()).toMatchObject({
      segment: { id: segmentId, name: 'Vips', filters: [{ type: 'TAG', operator: 'BELONGS_TO_ANY' }] },
      segmentId,
      subscribersCount: 1,
    });
    await person(tidings, ours, { email: 'b@example.com', tags: ['vip'] });
    expect((await get()).subscribersCount).toBe(2);
  });

  it('answers SEGMENT_NOT_FOUND for an unknown, a malformed and another organization’s id', async () => {
    const theirs = await organization(tidings);
    for (const [id, tenant] of [
      [segmentId, theirs],
      ['seg_00000000000000000000000000', ours],
      ['nonsense', ours],
    ] as const) {
      expect(await tidings.refusal('get_segment', { segmentId: id }, tenant)).toBe('SEGMENT_NOT_FOUND');
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
      tidings.data<Read>('create_segment', { name, filters }, ours).then((saved) => saved.segmentId);
    const parts = [await save('One', many), await save('Other', [])];
    const includes = parts.map((id) => ({ type: 'SEGMENT', operator: 'INCLUDE', segmentId: id }));
    const whole = await save('Whole', includes);
    await tidings.data('update_segment', { segmentId: parts[1], filters: many }, ours);
    const read = await tidings.data<Read>('get_segment', { segmentId: whole }, ours);
    expect(read).toMatchObject({ segment: { filters: includes }, subscribersCount: null });
    expect(read.warnings).toEqual([expect.stringContaining('more than 500 conditions')]);
  });

  it('can still be read when its tag is gone, with a warning in place of a count', async () => {
    await tidings.dataSource('subscriber').query(`update tag set deleted_at = now()`);
    const { subscribersCount, warnings, segment } = await get();
    expect(subscribersCount).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('no longer exists')]);
    expect(segment.filters).toHaveLength(1);
  });
});
