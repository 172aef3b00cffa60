import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface Copy {
  segment: { id: string; name: string; filters: object[] };
  subscribersCount: number | null;
}

describe('duplicate_segment', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let original: Copy['segment'];
  const copy = (input: object) => harness.data<Copy>('duplicate_segment', { segmentId: original.id, ...input }, tenant);
  beforeAll(async () => {
    tenant = await organization(harness);
    await person(harness, tenant, { email: 'a@example.com', tags: ['vip'] });
    const filters = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['vip'] }];
    ({ segment: original } = await harness.data<Copy>('create_segment', { name: 'Vips', filters }, tenant));
  });

  it('copies all filters under a new name, which count as uses of what they name', async () => {
    const { segment, subscribersCount } = await copy({ newName: 'Friends' });
    expect(segment).toMatchObject({ name: 'Friends', filters: original.filters });
    expect(segment.id).not.toBe(original.id);
    expect(subscribersCount).toBe(1);
    const rows: { targets: string[] }[] = await harness
      .dataSource('subscriber')
      .query(`select distinct targets from segment`);
    expect(rows).toEqual([{ targets: [expect.stringMatching(/^tag:tag_/)] }]);
  });

  it('names a copy after the original, numbered from the second on', async () => {
    expect((await copy({})).segment.name).toBe('Vips (copy)');
    expect((await copy({})).segment.name).toBe('Vips (copy 2)');
  });

  it('refuses a taken name with SEGMENT_NAME_TAKEN and another organization’s with SEGMENT_NOT_FOUND', async () => {
    const input = { segmentId: original.id, newName: 'VIPS' };
    expect(await harness.refusal('duplicate_segment', input, tenant)).toBe('SEGMENT_NAME_TAKEN');
    const otherTenant = await organization(harness);
    expect(await harness.refusal('duplicate_segment', input, otherTenant)).toBe('SEGMENT_NOT_FOUND');
  });
});
