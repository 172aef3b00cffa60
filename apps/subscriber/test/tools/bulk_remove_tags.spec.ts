import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { reportedSince } from '../message-event-fixture.js';
import { historyOf, organization, person, updatedAtOf } from '../subscriber-fixture.js';

describe('bulk_remove_tags', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));

  it('removes present pairs, reports each once, and creates no tag', async () => {
    const a = await person(harness, tenant, { email: 'a@example.com', tags: ['x', 'y', 'kept'] });
    const b = await person(harness, tenant, { email: 'b@example.com', tags: ['x'] });
    await reportedSince(harness);
    const input = { subscriberIds: [a.id, b.id], tagNames: ['X', 'y', 'never made'] };
    expect(await harness.data('bulk_remove_tags', input, tenant)).toEqual({ removed: 3, subscribers: 2, notFound: [] });
    expect((await reportedSince(harness)).sort()).toEqual([
      ['tag.removed', 'x', true],
      ['tag.removed', 'x', true],
      ['tag.removed', 'y', true],
    ]);
    expect(await harness.data('bulk_remove_tags', input, tenant)).toEqual({ removed: 0, subscribers: 0, notFound: [] });
    expect(await reportedSince(harness)).toEqual([]);
    expect((await historyOf(harness, tenant, 'b@example.com'))[0]).toBe('TAG_REMOVED');
    const { tags } = await harness.data<{ tags: { name: string; subscribersCount: number }[] }>(
      'list_tags',
      {},
      tenant,
    );
    expect(tags.map(({ name, subscribersCount }) => [name, subscribersCount])).toEqual([
      ['kept', 1],
      ['x', 0],
      ['y', 0],
    ]);
  });

  it('changes updatedAt of changed subscribers only', async () => {
    const updatedAt = (subscriberId: string) => updatedAtOf(harness, tenant, subscriberId);
    const holder = await person(harness, tenant, { email: 'holder@example.com', tags: ['moving'] });
    const other = await person(harness, tenant, { email: 'other@example.com' });
    const input = { subscriberIds: [holder.id, other.id], tagNames: ['moving'] };
    await harness.data('bulk_remove_tags', input, tenant);
    expect((await updatedAt(holder.id)) > holder.updatedAt).toBe(true);
    expect(await updatedAt(other.id)).toBe(other.updatedAt);
  });

  it('reports unknown ids, and touches no other organization', async () => {
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com', tags: ['theirs'] });
    const nobody = [newId('sub'), foreign.id];
    const input = { subscriberIds: nobody, tagNames: ['theirs'] };
    expect(await harness.data('bulk_remove_tags', input, tenant)).toEqual({
      removed: 0,
      subscribers: 0,
      notFound: nobody,
    });
    expect(await harness.data('get_subscriber', { subscriberId: foreign.id }, otherTenant)).toMatchObject({
      subscriber: { tags: [{ name: 'theirs' }] },
    });
  });

  it('refuses more than 100 subscribers or 20 tags', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `no ${i}`);
    for (const [people, tags] of [
      [101, 1],
      [1, 21],
      [1, 0],
    ] as const) {
      const input = { subscriberIds: many(people), tagNames: many(tags) };
      expect(await harness.refusal('bulk_remove_tags', input, tenant)).toBe('PARAMETERS_INVALID');
    }
  });
});
