import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization } from '../subscriber-fixture.js';

describe('list_segments', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  const list = (input: object, tenant = ours) =>
    tidings.data<{ segments: { name: string; filters: object[] }[]; total: number }>('list_segments', input, tenant);
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
    for (const name of ['First', 'Second', 'Third']) await tidings.data('create_segment', { name }, ours);
  });
  afterAll(() => tidings.stop());

  it('lists the newest first with their filters, and how many there are', async () => {
    const { segments, total } = await list({ limit: 2 });
    expect(segments.map(({ name }) => name)).toEqual(['Third', 'Second']);
    expect(segments[0]).toMatchObject({ id: expect.stringMatching(/^seg_/), filters: [] });
    expect(total).toBe(3);
  });

  it('shows nothing of another organization', async () => {
    expect(await list({}, theirs)).toEqual({ segments: [], total: 0 });
  });
});
