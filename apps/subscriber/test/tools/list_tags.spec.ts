import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';

describe('list_tags', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
  });
  afterAll(() => tidings.stop());

  it('lists tags by name without case, with how many hold each at this moment', async () => {
    await person(tidings, ours, { email: 'a@example.com', tags: ['beta', 'Alpha'] });
    await person(tidings, ours, { email: 'b@example.com', tags: ['beta'] });
    await tidings.data('create_tag', { name: 'Zeta' }, ours);
    const listed = await tidings.data<{ tags: { name: string; subscribersCount: number }[]; total: number }>(
      'list_tags',
      {},
      ours,
    );
    expect(listed.total).toBe(3);
    expect(listed.tags.map(({ name, subscribersCount }) => [name, subscribersCount])).toEqual([
      ['Alpha', 1],
      ['beta', 2],
      ['Zeta', 0],
    ]);
  });

  it('shows nothing of another organization', async () => {
    expect(await tidings.data('list_tags', {}, theirs)).toEqual({ tags: [], total: 0 });
  });
});
