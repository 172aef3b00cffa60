import { describe, expect, it } from '@jest/globals';
import { campaignRequests } from '#contracts';
import { CampaignFixture, shownTo, unsubscribeFooter } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('what other services ask of campaigns', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  const ask = () => fixture.harness.client(campaignRequests);
  const caller = () => fixture.harness.caller(fixture.tenant);

  it('find_campaigns answers by id and by name in any case, and the newest', async () => {
    const [spring, twin, other] = [
      await fixture.draft({ name: 'Spring' }),
      await fixture.draft({ name: 'sPRING' }),
      await fixture.draft({ name: 'Other' }),
    ];
    const foreign = await fixture.draft({ name: 'Spring' }, fixture.otherTenant);
    const find = async (asked: { ids?: string[]; names?: string[]; newest?: number }) =>
      (await ask().find_campaigns({ ids: [], names: [], ...asked }, caller())).campaigns.map(({ id }) => id);
    expect(await find({ names: [' SPRING '] })).toEqual([spring.id, twin.id]);
    expect(await find({ ids: [other.id, foreign.id, 'nonsense'] })).toEqual([other.id]);
    expect(await find({ newest: 1 })).toEqual([other.id]);
    expect(await find({})).toEqual([]);
  });

  it('list_filter_users names scheduled campaigns that name a tag in filters or conditional blocks', async () => {
    const { tenant, harness } = fixture;
    const { tag } = await harness.data<{ tag: { id: string } }>('create_tag', { name: 'vip' }, tenant);
    await harness.data('add_subscriber', { email: 'vip@example.com', tags: ['vip'] }, tenant);
    const block = { type: 'paragraph', attrs: shownTo('vip'), content: [{ type: 'text', text: 'For you' }] };
    const content = { type: 'doc', content: [block, unsubscribeFooter] };
    const [byFilter, byBlock] = [
      await fixture.draft({ name: 'By filter', content: { type: 'doc', content: [unsubscribeFooter] } }),
      await fixture.draft({ name: 'By block', content }),
    ];
    const filters = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagIds: [tag.id] }];
    await harness.data('update_campaign_filters', { campaignId: byFilter.id, filters }, tenant);
    const users = async () =>
      (await ask().list_filter_users({ references: [`tag:${tag.id}`] }, caller())).users.map(({ name }) => name);
    expect(await users()).toEqual([]);
    for (const { id } of [byFilter, byBlock])
      await harness.data('schedule_campaign', { campaignId: id, date: '2037-01-01' }, tenant);
    expect(await users()).toEqual(['By filter', 'By block']);
    await harness.data('cancel_campaign_schedule', { campaignId: byFilter.id }, tenant);
    expect(await users()).toEqual(['By block']);
    expect((await ask().list_filter_users({ references: ['tag:tag_other'] }, caller())).users).toEqual([]);
  });
});
