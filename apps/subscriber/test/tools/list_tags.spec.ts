import { describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

describe('list_tags', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));

  it('lists tags by name without case, with how many hold each at this moment', async () => {
    await person(harness, tenant, { email: 'a@example.com', tags: ['beta', 'Alpha'] });
    await person(harness, tenant, { email: 'b@example.com', tags: ['beta'] });
    await harness.data('create_tag', { name: 'Zeta' }, tenant);
    const listed = await harness.data<{ tags: { name: string; subscribersCount: number }[]; total: number }>(
      'list_tags',
      {},
      tenant,
    );
    expect(listed.total).toBe(3);
    expect(listed.tags.map(({ name, subscribersCount }) => [name, subscribersCount])).toEqual([
      ['Alpha', 1],
      ['beta', 2],
      ['Zeta', 0],
    ]);
  });

  it('shows nothing of another organization', async () => {
    expect(await harness.data('list_tags', {}, otherTenant)).toEqual({ tags: [], total: 0 });
  });
});
