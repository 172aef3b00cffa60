import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization } from '../subscriber-fixture.js';

describe('list_segments', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const list = (input: object, by = tenant) =>
    harness.data<{ segments: { name: string; filters: object[] }[]; total: number }>('list_segments', input, by);
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    for (const name of ['First', 'Second', 'Third']) await harness.data('create_segment', { name }, tenant);
  });

  it('lists the newest first with their filters, and how many there are', async () => {
    const { segments, total } = await list({ limit: 2 });
    expect(segments.map(({ name }) => name)).toEqual(['Third', 'Second']);
    expect(segments[0]).toMatchObject({ id: expect.stringMatching(/^seg_/), filters: [] });
    expect(total).toBe(3);
  });

  it('shows nothing of another organization', async () => {
    expect(await list({}, otherTenant)).toEqual({ segments: [], total: 0 });
  });
});
