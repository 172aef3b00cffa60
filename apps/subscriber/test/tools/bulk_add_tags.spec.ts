import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { reportedSince } from '../message-event-fixture.js';
import { historyOf, organization, person, updatedAtOf } from '../subscriber-fixture.js';

describe('bulk_add_tags', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));

  it('adds missing pairs, creates missing tags, and reports each new pair once', async () => {
    const a = await person(harness, tenant, { email: 'a@example.com', tags: ['held'] });
    const b = await person(harness, tenant, { email: 'b@example.com' });
    await reportedSince(harness);
    const input = { subscriberIds: [a.id, b.id, b.id], tagNames: ['Held', 'fresh', 'FRESH'] };
    expect(await harness.data('bulk_add_tags', input, tenant)).toEqual({ added: 3, subscribers: 2, notFound: [] });
    const published = await reportedSince(harness);
    expect(published).toHaveLength(3);
    expect(published.every(([name, , trigger]) => name === 'tag.added' && trigger === true)).toBe(true);
    expect(await harness.data('bulk_add_tags', input, tenant)).toEqual({ added: 0, subscribers: 0, notFound: [] });
    expect(await reportedSince(harness)).toEqual([]);
    expect((await historyOf(harness, tenant, 'b@example.com')).slice(0, 2)).toEqual(['TAG_ADDED', 'TAG_ADDED']);
  });

  it('changes updatedAt of changed subscribers only', async () => {
    const updatedAt = (subscriberId: string) => updatedAtOf(harness, tenant, subscriberId);
    const holder = await person(harness, tenant, { email: 'holder@example.com', tags: ['moving'] });
    const other = await person(harness, tenant, { email: 'other@example.com' });
    const input = { subscriberIds: [holder.id, other.id], tagNames: ['moving'] };
    await harness.data('bulk_add_tags', input, tenant);
    expect((await updatedAt(other.id)) > other.updatedAt).toBe(true);
    expect(await updatedAt(holder.id)).toBe(holder.updatedAt);
  });

  it('reports unknown ids, changes the others, and touches no other organization', async () => {
    const mine = await person(harness, tenant, { email: 'mine@example.com' });
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com' });
    const nobody = [newId('sub'), foreign.id, 'nonsense'];
    const input = { subscriberIds: [...nobody, mine.id], tagNames: ['only'] };
    expect(await harness.data('bulk_add_tags', input, tenant)).toEqual({ added: 1, subscribers: 1, notFound: nobody });
    expect(await harness.data('get_subscriber', { subscriberId: foreign.id }, otherTenant)).toMatchObject({
      subscriber: { tags: [] },
    });
  });

  it('takes 100 subscribers and 20 tags, and refuses more', async () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({ email: `many-${i}@example.com` }));
    await harness.data('import_subscribers', { subscribers: rows }, tenant);
    const { subscribers } = await harness.data<{ subscribers: { id: string }[] }>(
      ...(['list_subscribers', { query: 'many-', limit: 100 }, tenant] as const),
    );
    const subscriberIds = subscribers.map(({ id }) => id);
    const tagNames = Array.from({ length: 20 }, (_, i) => `bulk ${i}`);
    expect(await harness.data('bulk_add_tags', { subscriberIds, tagNames }, tenant)).toMatchObject({ added: 2000 });
    for (const input of [
      { subscriberIds: [...subscriberIds, 'one more'], tagNames },
      { subscriberIds, tagNames: [...tagNames, 'one more'] },
      { subscriberIds: [], tagNames },
    ]) {
      expect(await harness.refusal('bulk_add_tags', input, tenant)).toBe('PARAMETERS_INVALID');
    }
  });

  it('refuses the id of a tag in the place of its name, of which it would make another tag', async () => {
    const { tag } = await harness.data<{ tag: { id: string } }>('create_tag', { name: 'Meant' }, tenant);
    const { id } = await person(harness, tenant, { email: 'meant@example.com' });
    const input = { subscriberIds: [id], tagNames: [tag.id] };
    expect(await harness.call('bulk_add_tags', input, tenant)).toMatchObject({
      error: { reason: 'PARAMETERS_INVALID', message: expect.stringContaining('list_tags') },
    });
    expect(JSON.stringify(await harness.data('list_tags', {}, tenant))).not.toContain(`"name":"${tag.id}"`);
  });
});
