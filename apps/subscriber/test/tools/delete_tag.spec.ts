import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { CallContexts } from '#service-host';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { removeDeleted } from '../../src/cleanup/deleted-value.job.js';
import { reportedSince } from '../message-event-fixture.js';
import { historyOf, organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('delete_tag', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  const makeTag = async (name: string, tenant = ours) =>
    (await tidings.data<{ tag: { id: string; name: string } }>('create_tag', { name }, tenant)).tag;
  const tagNames = async (tenant = ours) =>
    (await tidings.data<{ tags: { name: string }[] }>('list_tags', {}, tenant)).tags.map(({ name }) => name);
  const remove = () => {
    const contexts = new CallContexts('subscriber', tidings.dataSource('subscriber'), () => undefined);
    return removeDeleted(contexts, new Date());
  };
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
  });
  afterAll(() => tidings.stop());

  it('says what will happen, to how many', async () => {
    await person(tidings, ours, { email: 'one@example.com', tags: ['counted'] });
    expect(await tidings.describe('delete_tag', { name: 'COUNTED' }, ours)).toMatchObject({
      data: { action: 'Delete the tag', message: expect.stringContaining('takes it from 1 subscriber.') },
    });
    expect(await tagNames()).toContain('counted');
  });

  it('hides the tag at once and frees its name; the job writes history, and no workflow hears of it', async () => {
    for (const email of ['a@example.com', 'b@example.com'])
      await person(tidings, ours, { email, tags: ['old', 'new'] });
    await reportedSince(tidings);
    expect(await tidings.data('delete_tag', { name: 'OLD' }, ours)).toMatchObject({
      deleted: true,
      tag: { name: 'old' },
      removedFrom: 2,
    });
    const { subscriber } = await tidings.data<{ subscriber: Subscriber }>(
      ...(['get_subscriber', { email: 'a@example.com' }, ours] as const),
    );
    expect(subscriber.tags.map(({ name }) => name)).toEqual(['new']);
    expect(await tagNames()).not.toContain('old');
    const again = await makeTag('Old');
    expect(await remove()).toBe(1);
    expect((await historyOf(tidings, ours, 'a@example.com'))[0]).toBe('TAG_REMOVED');
    expect(await reportedSince(tidings)).toEqual([]);
    const { tags } = await tidings.data<{ tags: { id: string; subscribersCount: number }[] }>('list_tags', {}, ours);
    expect(tags.find(({ id }) => id === again.id)!.subscribersCount).toBe(0);
  });

  it('keeps the row until no late write can give anybody the tag, and then lets it go', async () => {
    const tag = await makeTag('late');
    await tidings.data('delete_tag', { tagId: tag.id }, ours);
    const rows = () =>
      tidings.dataSource('subscriber').query(`select 1 from tag where tag_id = $1`, [uuidOf('tag', tag.id)]);
    expect(await remove()).toBe(0);
    expect(await rows()).toHaveLength(1);
    await tidings
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
    const { segment } = await tidings.data<{ segment: { id: string } }>(
      ...(['create_segment', { name: 'Users', filters }, ours] as const),
    );
    const outcome = await tidings.call('delete_tag', { tagId: tag.id }, ours);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'TAG_IN_USE', code: 'CONFLICT' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain(segment.id);
    expect(await tidings.describe('delete_tag', { tagId: tag.id }, ours)).toMatchObject({
      ok: false,
      error: { reason: 'TAG_IN_USE' },
    });
    await tidings.data('delete_segment', { segmentId: segment.id }, ours);
    expect(await tidings.data('delete_tag', { tagId: tag.id }, ours)).toMatchObject({ deleted: true });
  });

  it('says as what it looked a text up, so that a name in the place of an id is no missing tag', async () => {
    const tag = await makeTag('by name');
    for (const [which, by] of [
      [{ tagId: tag.name }, 'id'],
      [{ name: tag.id }, 'name'],
    ] as const) {
      const outcome = await tidings.call('delete_tag', which, ours);
      expect(outcome.ok ? '' : outcome.error.message).toContain(`No tag with the ${by} "${Object.values(which)[0]}"`);
    }
  });

  it('refuses no identifier, two that disagree, and what is not there or of another organization', async () => {
    const [one, two] = [await makeTag('one'), await makeTag('two')];
    const foreign = await makeTag('foreign', theirs);
    expect(await tidings.refusal('delete_tag', {}, ours)).toBe('IDENTIFIER_MISSING');
    expect(await tidings.refusal('delete_tag', { tagId: one.id, name: two.name }, ours)).toBe('IDENTIFIERS_DISAGREE');
    for (const which of [{ tagId: newId('tag') }, { tagId: foreign.id }, { name: 'foreign' }, { tagId: 'nonsense' }]) {
      expect(await tidings.refusal('delete_tag', which, ours)).toBe('TAG_NOT_FOUND');
    }
    expect(await tagNames(theirs)).toEqual(['foreign']);
    expect(await tidings.data('delete_tag', { tagId: one.id, name: 'ONE' }, ours)).toMatchObject({ deleted: true });
    expect(await tidings.refusal('delete_tag', { tagId: one.id }, ours)).toBe('TAG_NOT_FOUND');
  });
});
