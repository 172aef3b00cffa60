import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

describe('get_subscribers_by_tag', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  const get = (input: object) =>
    harness.data<{ tag: object; subscribers: { email: string }[]; total: number }>(
      'get_subscribers_by_tag',
      input,
      tenant,
    );
  beforeAll(async () => {
    tenant = await organization(harness);
    for (const name of ['a', 'b', 'c']) await person(harness, tenant, { email: `${name}@example.com`, tags: ['Gold'] });
    await person(harness, tenant, { email: 'd@example.com', tags: ['Silver'] });
  });

  it('answers the newest holders of a tag named in any case, and how many hold it', async () => {
    const { tag, subscribers, total } = await get({ tagName: 'gOLD', limit: 2 });
    expect(tag).toEqual({ id: expect.stringMatching(/^tag_/), name: 'Gold' });
    expect(subscribers.map(({ email }) => email)).toEqual(['c@example.com', 'b@example.com']);
    expect(Object.keys(subscribers[0]!).sort()).toEqual(['createdAt', 'email', 'id', 'name', 'status', 'tags']);
    expect(total).toBe(3);
  });

  it('returns TAG_NOT_FOUND for an unknown tag, also if another organization has one', async () => {
    const otherTenant = await organization(harness);
    expect(await harness.refusal('get_subscribers_by_tag', { tagName: 'Gold' }, otherTenant)).toBe('TAG_NOT_FOUND');
  });
});
