import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRequests } from '#contracts';
import { Desk, shownTo, unsubscribeFooter } from '../campaign-fixture.js';

describe('what other services ask of campaigns', () => {
  let desk: Desk;
  const ask = () => desk.tidings.client(campaignRequests);
  const caller = () => desk.tidings.caller(desk.ours);
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  it('find_campaigns answers by id and by name in any case, and the newest', async () => {
    const [spring, twin, other] = [
      await desk.draft({ name: 'Spring' }),
      await desk.draft({ name: 'sPRING' }),
      await desk.draft({ name: 'Other' }),
    ];
    const foreign = await desk.draft({ name: 'Spring' }, desk.theirs);
    const find = async (asked: { ids?: string[]; names?: string[]; newest?: number }) =>
      (await ask().find_campaigns({ ids: [], names: [], ...asked }, caller())).campaigns.map(({ id }) => id);
    expect(await find({ names: [' SPRING '] })).toEqual([spring.id, twin.id]);
    expect(await find({ ids: [other.id, foreign.id, 'nonsense'] })).toEqual([other.id]);
    expect(await find({ newest: 1 })).toEqual([other.id]);
    expect(await find({})).toEqual([]);
  });

  it('list_filter_users names scheduled campaigns that name a tag in filters or conditional blocks', async () => {
    const { ours, tidings } = desk;
    const { tag } = await tidings.data<{ tag: { id: string } }>('create_tag', { name: 'vip' }, ours);
    await tidings.data('add_subscriber', { email: 'vip@example.com', tags: ['vip'] }, ours);
    const block = { type: 'paragraph', attrs: shownTo('vip'), content: [{ type: 'text', text: 'For you' }] };
    const content = { type: 'doc', content: [block, unsubscribeFooter] };
    const [byFilter, byBlock] = [
      await desk.draft({ name: 'By filter', content: { type: 'doc', content: [unsubscribeFooter] } }),
      await desk.draft({ name: 'By block', content }),
    ];
    const filters = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagIds: [tag.id] }];
    await tidings.data('update_campaign_filters', { campaignId: byFilter.id, filters }, ours);
    const users = async () =>
      (await ask().list_filter_users({ references: [`tag:${tag.id}`] }, caller())).users.map(({ name }) => name);
    expect(await users()).toEqual([]);
    for (const { id } of [byFilter, byBlock])
      await tidings.data('schedule_campaign', { campaignId: id, date: '2037-01-01' }, ours);
    expect(await users()).toEqual(['By filter', 'By block']);
    await tidings.data('cancel_campaign_schedule', { campaignId: byFilter.id }, ours);
    expect(await users()).toEqual(['By block']);
    expect((await ask().list_filter_users({ references: ['tag:tag_other'] }, caller())).users).toEqual([]);
  });
});
