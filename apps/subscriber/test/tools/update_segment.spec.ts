import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface Saved {
  segment: { id: string; name: string; filters: Record<string, unknown>[]; updatedAt: string };
  segmentId: string;
  subscribersCount: number | null;
}

describe('update_segment', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  const create = async (name: string, filters: object[] = [], by = tenant) =>
    (await harness.data<Saved>('create_segment', { name, filters }, by)).segment;
  const update = (input: object) => harness.data<Saved>('update_segment', input, tenant);
  const refusal = (input: object, by = tenant) => harness.refusal('update_segment', input, by);
  const includes = (segmentName: string) => ({ type: 'SEGMENT', operator: 'INCLUDE', segmentName });
  const tagged = (tag: string) => ({ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: [tag] });
  beforeAll(async () => {
    tenant = await organization(harness);
    await person(harness, tenant, { email: 'a@example.com', tags: ['red'] });
    await person(harness, tenant, { email: 'b@example.com', tags: ['red', 'blue'] });
  });

  it('changes the name alone, the filters alone, or both, and counts who matches now', async () => {
    const { id: segmentId, updatedAt } = await create('Colours', [tagged('red')]);
    const renamed = await update({ segmentId, name: ' Red ' });
    expect(renamed).toMatchObject({ segment: { name: 'Red', filters: [{ type: 'TAG' }] }, subscribersCount: 2 });
    expect(renamed.segment.updatedAt > updatedAt).toBe(true);
    const narrowed = await update({ segmentId, filters: [tagged('red'), tagged('blue')] });
    expect(narrowed).toMatchObject({ segment: { name: 'Red' }, subscribersCount: 1 });
    expect((await update({ segmentId, name: 'RED', filters: [] })).subscribersCount).toBe(2);
  });

  it('is followed by the segments that include it', async () => {
    const { id: segmentId } = await create('Base', [tagged('red')]);
    await create('On it', [includes('Base')]);
    await update({ segmentId, filters: [tagged('blue')] });
    expect(await harness.data('count_subscribers', { filters: [includes('On it')] }, tenant)).toEqual({ total: 1 });
  });

  it('refuses to contain itself, directly or through others, with SEGMENT_CYCLE', async () => {
    const { id: segmentId } = await create('One');
    await create('Two', [includes('One')]);
    await create('Three', [{ type: 'GROUP', match: 'ANY', filters: [{ ...includes('Two'), operator: 'EXCLUDE' }] }]);
    for (const name of ['One', 'Two', 'Three'])
      expect(await refusal({ segmentId, filters: [includes(name)] })).toBe('SEGMENT_CYCLE');
    const outcome = await harness.call('update_segment', { segmentId, filters: [includes('Three')] }, tenant);
    expect(outcome).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('One > Three > Two > One') },
    });
  });

  it('admits one of two changes that together would make a cycle', async () => {
    for (const round of [1, 2, 3, 4]) {
      const [a, b] = [await create(`Left ${round}`), await create(`Right ${round}`)];
      const outcomes = await Promise.all([
        harness.call('update_segment', { segmentId: a.id, filters: [includes(b.name)] }, tenant),
        harness.call('update_segment', { segmentId: b.id, filters: [includes(a.name)] }, tenant),
      ]);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect(outcomes.find(({ ok }) => !ok)).toMatchObject({ error: { reason: 'SEGMENT_CYCLE', code: 'REFUSED' } });
    }
  });

  it('refuses a taken name, nothing at all, and filters that do not read or name nothing', async () => {
    const { id: segmentId } = await create('Taken or not');
    await create('Taken');
    expect(await refusal({ segmentId, name: 'tAKEN' })).toBe('SEGMENT_NAME_TAKEN');
    expect(await refusal({ segmentId })).toBe('NOTHING_TO_CHANGE');
    expect(await refusal({ segmentId, filters: [{ type: 'TAG' }] })).toBe('FILTERS_INVALID');
    expect(await refusal({ segmentId, filters: [tagged('nobody')] })).toBe('FILTERS_INVALID');
  });

  it('answers SEGMENT_NOT_FOUND for an unknown id and one of another organization', async () => {
    const otherTenant = await organization(harness);
    const { id: segmentId } = await create('Theirs', [], otherTenant);
    expect(await refusal({ segmentId, name: 'Mine' })).toBe('SEGMENT_NOT_FOUND');
    expect(await refusal({ segmentId: 'nonsense', name: 'Mine' })).toBe('SEGMENT_NOT_FOUND');
  });

  it('refuses to include a segment whose tag is gone with FILTER_TARGET_GONE', async () => {
    await create('Broken', [tagged('blue')]);
    await harness.dataSource('subscriber').query(`update tag set deleted_at = now() where name = 'blue'`);
    const { id: segmentId } = await create('Whole');
    expect(await refusal({ segmentId, filters: [includes('Broken')] })).toBe('FILTER_TARGET_GONE');
  });
});
