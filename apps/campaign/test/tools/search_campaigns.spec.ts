import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { CampaignFixture } from '../campaign-fixture.js';

interface Page {
  campaigns: { id: string; name: string; results: Record<string, number>; recipientCount: number | null }[];
  total: number;
  counts: Record<string, number>;
  nextCursor: string | null;
}

describe('search_campaigns', () => {
  let fixture: CampaignFixture;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
    await fixture.people(2);
    for (const name of ['delta', 'Alpha', 'charlie', 'Bravo'])
      ids[name] = (await fixture.draft({ name, subject: name === 'Bravo' ? 'A 100% discount' : 'News' })).id;
    await fixture.draft({ name: 'Theirs' }, fixture.otherTenant);
    await fixture.sendNow(ids.charlie!);
    await fixture.harness.data('schedule_campaign', { campaignId: ids.delta, date: '2037-05-01' }, fixture.tenant);
    await fixture.harness.data('archive_campaign', { campaignId: ids.Alpha }, fixture.tenant);
    const message = {
      messageId: newId('msg'),
      subscriberId: newId('sub'),
      campaignId: ids.charlie!,
      campaignName: 'charlie',
      subject: 'News',
      email: 'person-0@example.com',
      at: '2026-05-01T10:15:00.000Z',
      simulated: false,
    };
    await fixture.hear('message.sent', [message, { ...message, messageId: newId('msg') }]);
    await fixture.hear('message.delivered', [message]);
    await fixture.hear('message.opened', [{ ...message, machine: false, userAgent: null, first: true }]);
  });
  afterAll(() => fixture.close());

  const search = (input: object, tenant: Tenant = fixture.tenant) =>
    fixture.harness.data<Page>('search_campaigns', input, tenant);
  const names = async (input: object) => (await search(input)).campaigns.map(({ name }) => name);
  const all = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'ARCHIVED', 'FAILED'];

  it('sorts by each value in both orders, those without a value last', async () => {
    const statuses = all;
    expect(await names({ statuses, sort: 'name', order: 'ASC' })).toEqual(['Alpha', 'Bravo', 'charlie', 'delta']);
    expect(await names({ statuses, sort: 'name' })).toEqual(['delta', 'charlie', 'Bravo', 'Alpha']);
    expect(await names({ statuses })).toEqual(['Bravo', 'charlie', 'Alpha', 'delta']);
    expect((await names({ statuses, sort: 'scheduledAt', order: 'ASC' })).slice(0, 2)).toEqual(['charlie', 'delta']);
    expect((await names({ statuses, sort: 'scheduledAt', order: 'DESC' })).slice(0, 2)).toEqual(['delta', 'charlie']);
    for (const order of ['ASC', 'DESC'])
      expect((await names({ statuses, sort: 'startedAt', order }))[0]).toBe('charlie');
    expect((await names({ statuses, sort: 'opened' }))[0]).toBe('charlie');
    expect((await names({ statuses, sort: 'updatedAt', order: 'ASC' }))[0]).toBe('Bravo');
  });

  it.each(['createdAt', 'updatedAt', 'scheduledAt', 'startedAt', 'name', 'sent', 'opened'])(
    'returns every campaign once over the pages by %s',
    async (sort) => {
      for (const order of ['ASC', 'DESC']) {
        const found: string[] = [];
        for (let cursor: string | null = ''; cursor !== null;) {
          const page: Page = await search({ statuses: all, sort, order, limit: 1, ...(cursor && { cursor }) });
          found.push(...page.campaigns.map(({ name }) => name));
          cursor = page.nextCursor;
        }
        expect(found).toEqual(await names({ statuses: all, sort, order }));
      }
    },
  );

  it('leaves ARCHIVED campaigns out unless they are requested, and counts all that match the text', async () => {
    expect(await search({})).toMatchObject({
      total: 3,
      counts: { DRAFT: 1, SCHEDULED: 1, SENDING: 1, ARCHIVED: 1 },
      nextCursor: null,
    });
    expect(await names({ statuses: ['ARCHIVED'] })).toEqual(['Alpha']);
    expect(await search({ query: '100%' })).toMatchObject({ total: 1, counts: { DRAFT: 1 } });
    expect(await names({ query: 'aNEWS' })).toEqual([]);
  });

  it('has the results of each campaign', async () => {
    const { campaigns } = await search({ query: 'charlie' });
    expect(campaigns[0]).toMatchObject({
      recipientCount: 2,
      results: { sent: 2, delivered: 1, opened: 1, clicked: 0, unsubscribed: 0, bounced: 0, complained: 0 },
    });
  });

  it('refuses a cursor of another sort, or none, with PARAMETERS_INVALID', async () => {
    const { nextCursor } = await search({ sort: 'name', limit: 1 });
    const refusal = (input: object) => fixture.harness.refusal('search_campaigns', input, fixture.tenant);
    expect(await refusal({ sort: 'updatedAt', cursor: nextCursor })).toBe('PARAMETERS_INVALID');
    expect(await refusal({ cursor: 'none' })).toBe('PARAMETERS_INVALID');
    const forged = Buffer.from(JSON.stringify(['updatedAt', 'DESC', 'no date', 'none'])).toString('base64url');
    expect(await refusal({ sort: 'updatedAt', cursor: forged })).toBe('PARAMETERS_INVALID');
  });

  it('finds nothing of another organization, also by its cursor', async () => {
    const { nextCursor } = await search({ sort: 'name', order: 'ASC', limit: 1 });
    const theirs = await search({ sort: 'name', order: 'ASC', cursor: nextCursor }, fixture.otherTenant);
    expect(theirs.campaigns.map(({ name }) => name)).toEqual(['Theirs']);
  });
});
