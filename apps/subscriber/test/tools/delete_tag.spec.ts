import { describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { CallContexts } from '#service-host';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { removeDeleted } from '../../src/cleanup/deleted-value.job.js';
import { reportedSince } from '../message-event-fixture.js';
import { historyOf, organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('delete_tag', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const makeTag = async (name: string, by = tenant) =>
    (await harness.data<{ tag: { id: string; name: string } }>('create_tag', { name }, by)).tag;
  const tagNames = async (by = tenant) =>
    (await harness.data<{ tags: { name: string }[] }>('list_tags', {}, by)).tags.map(({ name }) => name);
  const remove = () => {
    const contexts = new CallContexts('subscriber', harness.dataSource('subscriber'), () => undefined);
    return removeDeleted(contexts, new Date());
  };

  it('says what will happen, to how many', async () => {
    await person(harness, tenant, { email: 'one@example.com', tags: ['counted'] });
    expect(await harness.describe('delete_tag', { name: 'COUNTED' }, tenant)).toMatchObject({
      data: { action: 'Delete the tag', message: expect.stringContaining('removes it from 1 subscriber.') },
    });
    expect(await tagNames()).toContain('counted');
  });

  it('hides the tag at once and frees its name; the job writes history, and no workflow hears of it', async () => {
    for (const email of ['a@example.com', 'b@example.com'])
      await person(harness, tenant, { email, tags: ['old', 'new'] });
    await reportedSince(harness);
    expect(await harness.data('delete_tag', { name: 'OLD' }, tenant)).toMatchObject({
      deleted: true,
      tag: { name: 'old' },
      removedFrom: 2,
    });
    const { subscriber } = await harness.data<{ subscriber: Subscriber }>(
      ...(['get_subscriber', { email: 'a@example.com' }, tenant] as const),
    );
    expect(subscriber.tags.map(({ name }) => name)).toEqual(['new']);
    expect(await tagNames()).not.toContain('old');
    const again = await makeTag('Old');
    expect(await remove()).toBe(1);
    expect((await historyOf(harness, tenant, 'a@example.com'))[0]).toBe('TAG_REMOVED');
    expect(await reportedSince(harness)).toEqual([]);
    const { tags } = await harness.data<{ tags: { id: string; subscribersCount: number }[] }>('list_tags', {}, tenant);
    expect(tags.find(({ id }) => id === again.id)!.subscribersCount).toBe(0);
  });

  it('keeps the row until no late write can assign the tag, and then deletes it', async () => {
    const tag = await makeTag('late');
    await harness.data('delete_tag', { tagId: tag.id }, tenant);
    const rows = () =>
      harness.dataSource('subscriber').query(`select 1 from tag where tag_id = $1`, [uuidOf('tag', tag.id)]);
    expect(await remove()).toBe(0);
    expect(await rows()).toHaveLength(1);
    await harness
      .dataSource('subscriber')
      .query(`update tag set deleted_at = deleted_at - interval '2 minutes' where tag_id = $1`, [
        uuidOf('tag', tag.id),
      ]);
    expect(await remove()).toBeGreaterThan(0);
    expect(await rows()).toEqual([]);
  });

  it('refuses with TAG_IN_USE while a segment names it, and says which', async () => {
    const tag = await makeTag('used');
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: [tag.id] }];
    const { segment } = await harness.data<{ segment: { id: string } }>(
      ...(['create_segment', { name: 'Users', filters }, tenant] as const),
    );
    const outcome = await harness.call('delete_tag', { tagId: tag.id }, tenant);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'TAG_IN_USE', code: 'CONFLICT' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain(segment.id);
    expect(await harness.describe('delete_tag', { tagId: tag.id }, tenant)).toMatchObject({
      ok: false,
      error: { reason: 'TAG_IN_USE' },
    });
    await harness.data('delete_segment', { segmentId: segment.id }, tenant);
    expect(await harness.data('delete_tag', { tagId: tag.id }, tenant)).toMatchObject({ deleted: true });
  });

  it('says as what it looked a text up, so that a name in the place of an id is no missing tag', async () => {
    const tag = await makeTag('by name');
    for (const [which, by] of [
      [{ tagId: tag.name }, 'id'],
      [{ name: tag.id }, 'name'],
    ] as const) {
      const outcome = await harness.call('delete_tag', which, tenant);
      expect(outcome.ok ? '' : outcome.error.message).toContain(`No tag with ${by} "${Object.values(which)[0]}"`);
    }
  });

  it('refuses no identifier, two that disagree, an unknown one, and another organization’s', async () => {
    const [one, two] = [await makeTag('one'), await makeTag('two')];
    const foreign = await makeTag('foreign', otherTenant);
    expect(await harness.refusal('delete_tag', {}, tenant)).toBe('IDENTIFIER_MISSING');
    expect(await harness.refusal('delete_tag', { tagId: one.id, name: two.name }, tenant)).toBe('IDENTIFIERS_DISAGREE');
    for (const which of [{ tagId: newId('tag') }, { tagId: foreign.id }, { name: 'foreign' }, { tagId: 'nonsense' }]) {
      expect(await harness.refusal('delete_tag', which, tenant)).toBe('TAG_NOT_FOUND');
    }
    expect(await tagNames(otherTenant)).toEqual(['foreign']);
    expect(await harness.data('delete_tag', { tagId: one.id, name: 'ONE' }, tenant)).toMatchObject({ deleted: true });
    expect(await harness.refusal('delete_tag', { tagId: one.id }, tenant)).toBe('TAG_NOT_FOUND');
  });
});
