import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';

describe('rename_tag', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());
  const makeTag = async (name: string) =>
    (await harness.data<{ tag: { id: string; name: string } }>('create_tag', { name }, tenant)).tag;

  it('renames the tag; its subscribers and segments keep it, and no event is published', async () => {
    const { id } = await makeTag('lead');
    const { email } = await person(harness, tenant, { email: 'ada@example.com', tags: ['lead'] });
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: [id] }];
    await harness.data('create_segment', { name: 'Leads', filters }, tenant);
    await harness.deliverEvents();
    expect(await harness.data('rename_tag', { tagId: id, name: ' prospect ' }, tenant)).toEqual({
      tag: { id, name: 'prospect', subscribersCount: 1 },
    });
    expect(await harness.deliverEvents()).toEqual([]);
    expect(await harness.data('get_subscriber', { email }, tenant)).toMatchObject({
      subscriber: { tags: [{ id, name: 'prospect' }] },
    });
    expect(await harness.data('count_subscribers', { filters }, tenant)).toEqual({ total: 1 });
    expect(await makeTag('lead')).toMatchObject({ name: 'lead' });
  });

  it('changes the case of a name, and succeeds when repeated', async () => {
    const { id } = await makeTag('vip');
    for (let n = 0; n < 2; n++)
      expect(await harness.data('rename_tag', { tagId: id, name: 'VIP' }, tenant)).toMatchObject({
        tag: { name: 'VIP' },
      });
  });

  it('refuses a name of another tag, without case, with TAG_NAME_TAKEN', async () => {
    const [one, two] = [await makeTag('one'), await makeTag('two')];
    const outcome = await harness.call('rename_tag', { tagId: one.id, name: 'TWO' }, tenant);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'TAG_NAME_TAKEN' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain(two.id);
  });

  it('refuses unknown tags and those of another organization with TAG_NOT_FOUND', async () => {
    const { id } = await makeTag('ours');
    expect(await harness.refusal('rename_tag', { tagId: newId('tag'), name: 'x' }, tenant)).toBe('TAG_NOT_FOUND');
    expect(await harness.refusal('rename_tag', { tagId: id, name: 'theirs' }, otherTenant)).toBe('TAG_NOT_FOUND');
    const { tags } = await harness.data<{ tags: object[] }>('list_tags', {}, tenant);
    expect(tags).toContainEqual(expect.objectContaining({ id, name: 'ours' }));
  });
});
