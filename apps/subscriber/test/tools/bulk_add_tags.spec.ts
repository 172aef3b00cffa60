import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { reportedSince } from '../message-event-fixture.js';
import { historyOf, organization, person, updatedAtOf } from '../subscriber-fixture.js';

describe('bulk_add_tags', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
  });
  afterAll(() => tidings.stop());

  it('adds what is missing, creates missing tags, and tells of each new pair once', async () => {
    const a = await person(tidings, ours, { email: 'a@example.com', tags: ['held'] });
    const b = await person(tidings, ours, { email: 'b@example.com' });
    await reportedSince(tidings);
    const input = { subscriberIds: [a.id, b.id, b.id], tagNames: ['Held', 'fresh', 'FRESH'] };
    expect(await tidings.data('bulk_add_tags', input, ours)).toEqual({ added: 3, subscribers: 2, notFound: [] });
    const told = await reportedSince(tidings);
    expect(told).toHaveLength(3);
    expect(told.every(([name, , trigger]) => name === 'tag.added' && trigger === true)).toBe(true);
    expect(await tidings.data('bulk_add_tags', input, ours)).toEqual({ added: 0, subscribers: 0, notFound: [] });
    expect(await reportedSince(tidings)).toEqual([]);
    expect((await historyOf(tidings, ours, 'b@example.com')).slice(0, 2)).toEqual(['TAG_ADDED', 'TAG_ADDED']);
  });

  it('moves updatedAt of whom it changes, and of nobody else', async () => {
    const updatedAt = (subscriberId: string) => updatedAtOf(tidings, ours, subscriberId);
    const holder = await person(tidings, ours, { email: 'holder@example.com', tags: ['moving'] });
    const other = await person(tidings, ours, { email: 'other@example.com' });
    const input = { subscriberIds: [holder.id, other.id], tagNames: ['moving'] };
    await tidings.data('bulk_add_tags', input, ours);
    expect((await updatedAt(other.id)) > other.updatedAt).toBe(true);
    expect(await updatedAt(holder.id)).toBe(holder.updatedAt);
  });

  it('reports ids that are nobody here, changes the others, and touches no other organization', async () => {
    const mine = await person(tidings, ours, { email: 'mine@example.com' });
    const foreign = await person(tidings, theirs, { email: 'foreign@example.com' });
    const nobody = [newId('sub'), foreign.id, 'nonsense'];
    const input = { subscriberIds: [...nobody, mine.id], tagNames: ['only'] };
    expect(await tidings.data('bulk_add_tags', input, ours)).toEqual({ added: 1, subscribers: 1, notFound: nobody });
    expect(await tidings.data('get_subscriber', { subscriberId: foreign.id }, theirs)).toMatchObject({
      subscriber: { tags: [] },
    });
  });

  it('takes 100 subscribers and 20 tags, and refuses more', async () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({ email: `many-${i}@example.com` }));
    await tidings.data('import_subscribers', { subscribers: rows }, ours);
    const { subscribers } = await tidings.data<{ subscribers: { id: string }[] }>(
      ...(['list_subscribers', { query: 'many-', limit: 100 }, ours] as const),
    );
    const subscriberIds = subscribers.map(({ id }) => id);
    const tagNames = Array.from({ length: 20 }, (_, i) => `bulk ${i}`);
    expect(await tidings.data('bulk_add_tags', { subscriberIds, tagNames }, ours)).toMatchObject({ added: 2000 });
    for (const input of [
      { subscriberIds: [...subscriberIds, 'one more'], tagNames },
      { subscriberIds, tagNames: [...tagNames, 'one more'] },
      { subscriberIds: [], tagNames },
    ]) {
      expect(await tidings.refusal('bulk_add_tags', input, ours)).toBe('PARAMETERS_INVALID');
    }
  });

  it('refuses the id of a tag in the place of its name, of which it would make another tag', async () => {
    const { tag } = await tidings.data<{ tag: { id: string } }>('create_tag', { name: 'Meant' }, ours);
    const { id } = await person(tidings, ours, { email: 'meant@example.com' });
    const input = { subscriberIds: [id], tagNames: [tag.id] };
    expect(await tidings.call('bulk_add_tags', input, ours)).toMatchObject({
      error: { reason: 'PARAMETERS_INVALID', message: expect.stringContaining('list_tags') },
    });
    expect(JSON.stringify(await tidings.data('list_tags', {}, ours))).not.toContain(`"name":"${tag.id}"`);
  });
});
