import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { CampaignFixture, doc, paragraph, shownTo, unsubscribeFooter } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Scheduled {
  campaign: CampaignData;
  campaignId: string;
  scheduledAt: string;
  timezone: string;
  recipientCount: number;
  warnings?: string[];
}

describe('schedule_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(3);
    await fixture.people(1, undefined, fixture.otherTenant);
  });

  const schedule = (campaignId: string, input: object = {}, tenant = fixture.tenant) =>
    fixture.harness.data<Scheduled>('schedule_campaign', { campaignId, ...input }, tenant);
  /** The reason of the refusal, which must be the same before the confirmation and after it. */
  const refusal = async (campaignId: string, input: object = {}, tenant = fixture.tenant) => {
    const described = await fixture.harness.describe('schedule_campaign', { campaignId, ...input }, tenant);
    const reason = await fixture.harness.refusal('schedule_campaign', { campaignId, ...input }, tenant);
    expect(described).toMatchObject({ ok: false, error: { reason } });
    return reason;
  };
  const describeIt = async (campaignId: string, input: object = {}) => {
    const outcome = await fixture.harness.describe('schedule_campaign', { campaignId, ...input }, fixture.tenant);
    return outcome.ok ? outcome.data : outcome.error;
  };

  it('sends now without a date: SCHEDULED in the answer, SENDING a moment later', async () => {
    const { id } = await fixture.draft();
    const before = Date.now();
    const answer = await schedule(id);
    expect(answer).toMatchObject({ campaignId: id, timezone: 'Europe/Paris', recipientCount: 3 });
    expect(answer.campaign).toMatchObject({
      status: 'SCHEDULED',
      scheduledAt: answer.scheduledAt,
      timezone: 'Europe/Paris',
    });
    expect(Math.abs(Date.parse(answer.scheduledAt) - before)).toBeLessThan(10_000);
    await fixture.startDue();
    expect(await fixture.get(id)).toMatchObject({ status: 'SENDING', startedAt: expect.any(String) });
  });

  it('wakes the worker at once for a campaign that is sent now', async () => {
    const { id } = await fixture.draft();
    const heard: unknown[] = [];
    fixture.harness.bus.onBroadcast('campaign.due', (message) => heard.push(message));
    await schedule(id, { date: '2037-05-01' });
    expect(heard).toHaveLength(0);
    await fixture.harness.data('cancel_campaign_schedule', { campaignId: id }, fixture.tenant);
    await schedule(id);
    expect(heard).toHaveLength(1);
  });

  it('waits for a date: midnight of the time zone, or the hours and minutes given, or a full instant', async () => {
    for (const [input, at] of [
      [{ date: '2037-05-01' }, '2037-04-30T22:00:00.000Z'],
      [{ date: '2037-05-01', hours: 9, minutes: 30, timezone: 'America/New_York' }, '2037-05-01T13:30:00.000Z'],
      [{ date: '2037-05-01T09:00:00+05:30' }, '2037-05-01T03:30:00.000Z'],
    ] as const) {
      const { id } = await fixture.draft();
      const answer = await schedule(id, input);
      expect(answer).toMatchObject({ scheduledAt: at, campaign: { status: 'SCHEDULED', scheduledAt: at } });
      await fixture.startDue();
      expect((await fixture.get(id)).status).toBe('SCHEDULED');
    }
  });

  it('describes the send from live data before the confirmation, and changes nothing', async () => {
    const { id } = await fixture.draft({ name: 'Spring news' });
    const { email } = (await fixture.get(id)).sender!;
    expect(await describeIt(id)).toMatchObject({
      action: 'Send the campaign now',
      message: `Sends 'Spring news' now to 3 subscribers from Ours <${email}>.`,
    });
    expect(await describeIt(id, { date: '2037-05-01', hours: 9 })).toMatchObject({
      action: 'Schedule the campaign',
      message: `Sends 'Spring news' on 2037-05-01 at 09:00 (Europe/Paris) to the subscribers that match then (now 3 subscribers) from Ours <${email}>.`,
    });
    expect((await fixture.get(id)).status).toBe('DRAFT');
  });

  it('refuses content without an unsubscribe link with UNSUBSCRIBE_LINK_MISSING', async () => {
    const { id } = await fixture.draft({ content: doc(paragraph('Buy now. {{unsubscribeUrl}}')) });
    expect(await refusal(id)).toBe('UNSUBSCRIBE_LINK_MISSING');
  });

  it('takes an unsubscribe link in a footer, in Markdown, behind https://, and through a snippet', async () => {
    await fixture.snippet('Legal', doc(unsubscribeFooter));
    for (const content of [
      { content: doc(unsubscribeFooter) },
      { content: '[Stop](https://{{unsubscribeUrl}})', contentType: 'MARKDOWN' },
      { content: 'News.\n\n{{snippet:Legal}}', contentType: 'MARKDOWN' },
    ]) {
      const { id } = await fixture.draft(content);
      await schedule(id, { date: '2037-05-01' });
    }
  });

  it('refuses a campaign without a sender, or whose sender is gone, with SENDER_MISSING', async () => {
    const alone = await fixture.found('Alone');
    await fixture.people(1, undefined, alone);
    const having = await fixture.draft({}, alone);
    await fixture.harness.dataSource('domain').query(`delete from sender where display_name = 'Alone'`);
    expect(await refusal(having.id, {}, alone)).toBe('SENDER_MISSING');
    const without = await fixture.draft({}, alone);
    expect(await refusal(without.id, {}, alone)).toBe('SENDER_MISSING');
  });

  it('refuses a sender on a domain that is not VERIFIED with SENDER_DOMAIN_UNVERIFIED', async () => {
    const fresh = await fixture.found('Fresh');
    await fixture.people(1, undefined, fresh);
    const { id } = await fixture.draft({}, fresh);
    const { domain } = (await fixture.harness.data<{ domains: { domain: string }[] }>('list_domains', {}, fresh))
      .domains[0]!;
    const set = (status: string) =>
      fixture.harness
        .dataSource('domain')
        .query(`update sending_domain set status = $1 where domain = $2`, [status, domain]);
    await set('PENDING');
    expect(await refusal(id, {}, fresh)).toBe('SENDER_DOMAIN_UNVERIFIED');
    await set('VERIFIED');
    await schedule(id, {}, fresh);
  });

  it('refuses the past with SCHEDULE_IN_THE_PAST', async () => {
    const { id } = await fixture.draft();
    expect(await refusal(id, { date: '2020-01-01' })).toBe('SCHEDULE_IN_THE_PAST');
    expect(await refusal(id, { date: new Date(Date.now() - 1000).toISOString() })).toBe('SCHEDULE_IN_THE_PAST');
  });

  it('refuses times that mean nothing with SCHEDULE_PARAMETERS, TIMEZONE_UNKNOWN and PARAMETERS_INVALID', async () => {
    const { id } = await fixture.draft();
    expect(await refusal(id, { hours: 9 })).toBe('SCHEDULE_PARAMETERS');
    expect(await refusal(id, { date: '2037-05-01', minutes: 9 })).toBe('SCHEDULE_PARAMETERS');
    expect(await refusal(id, { date: 'next week' })).toBe('SCHEDULE_PARAMETERS');
    expect(await refusal(id, { date: '2037-05-01', timezone: 'Europe/Atlantis' })).toBe('TIMEZONE_UNKNOWN');
    expect(await refusal(id, { date: '2037-05-01', hours: 24 })).toBe('PARAMETERS_INVALID');
  });

  it('refuses an immediate send without recipients with NO_RECIPIENTS, and warns for a later one', async () => {
    await fixture.people(1, 'leaver');
    await fixture.harness.data('unsubscribe', { email: 'leaver-0@example.com' }, fixture.tenant);
    const { id } = await fixture.draft();
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['leaver'] }];
    await fixture.harness.data('update_campaign_filters', { campaignId: id, filters }, fixture.tenant);
    expect(await refusal(id)).toBe('NO_RECIPIENTS');
    const answer = await schedule(id, { date: '2037-05-01' });
    expect(answer).toMatchObject({ recipientCount: 0, warnings: [expect.stringContaining('No subscriber matches')] });
  });

  it('takes filters that were saved with a country that fits none, and warns of them', async () => {
    const { id } = await fixture.draft();
    const filters = [{ type: 'STRING', field: 'country', operator: 'NOT_EQUALS', value: 'FR' }];
    await fixture.harness.data('update_campaign_filters', { campaignId: id, filters }, fixture.tenant);
    await fixture.harness
      .dataSource('campaign')
      .query(`update campaign set filters = replace(filters::text, '"FR"', '"Oz"')::jsonb where campaign_id = $1`, [
        uuidOf('cmp', id),
      ]);
    expect(await schedule(id, { date: '2037-05-01' })).toMatchObject({ warnings: [expect.stringContaining('"Oz"')] });
  });

  it('refuses a filter or conditional block that names a deleted target with FILTER_TARGET_GONE or CONTENT_INVALID', async () => {
    await fixture.people(1, 'soon-gone');
    const filtered = await fixture.draft();
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_NONE', tagNames: ['soon-gone'] }];
    await fixture.harness.data('update_campaign_filters', { campaignId: filtered.id, filters }, fixture.tenant);
    const conditional = await fixture.draft({ content: doc(paragraph('x', shownTo('soon-gone')), unsubscribeFooter) });
    await fixture.dropTag('soon-gone');
    expect(await refusal(filtered.id)).toBe('FILTER_TARGET_GONE');
    expect(await refusal(conditional.id)).toBe('CONTENT_INVALID');
  });

  it('refuses when a snippet is gone with SNIPPET_NOT_FOUND, or a segment is in itself with SEGMENT_CYCLE', async () => {
    const snippet = await fixture.snippet('Short-lived', doc(paragraph('for now')));
    const named = await fixture.draft({ subject: 'Hello {{snippet:Short-lived}}' });
    await fixture.dropSnippet(snippet);
    expect(await refusal(named.id)).toBe('SNIPPET_NOT_FOUND');
    await fixture.people(1, 'in-circles');
    const round = await fixture.segmentWithout('in-circles');
    const filtered = await fixture.draft();
    await fixture.harness.data(
      'update_campaign_filters',
      { campaignId: filtered.id, filters: [round] },
      fixture.tenant,
    );
    await fixture.closeCircle(round);
    expect(await refusal(filtered.id)).toBe('SEGMENT_CYCLE');
  });

  it('schedules once however many ask at the same moment: the rest get CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await fixture.draft();
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => fixture.harness.call('schedule_campaign', { campaignId: id }, fixture.tenant)),
    );
    const reasons = outcomes.map((outcome) => (outcome.ok ? 'scheduled' : outcome.error.reason));
    expect(reasons.filter((reason) => reason === 'scheduled')).toHaveLength(1);
    expect(reasons.filter((reason) => reason === 'CAMPAIGN_NOT_DRAFT')).toHaveLength(4);
  });

  it('never schedules content that it did not check: an edit of the same moment is checked too', async () => {
    for (let race = 0; race < 10; race++) {
      const { id } = await fixture.draft();
      const spoil = { id, content: doc(paragraph('no link any more')) };
      await Promise.all([
        fixture.harness.call('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant),
        fixture.harness.call('edit_campaign', spoil, fixture.tenant),
      ]);
      const { status, content } = await fixture.get(id);
      expect(status === 'SCHEDULED').toBe(JSON.stringify(content).includes('{{unsubscribeUrl}}'));
    }
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const { id } = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect((await fixture.get(id, fixture.otherTenant)).status).toBe('DRAFT');
  });

  it('refuses more mails than the quota of the month has left with QUOTA_REACHED, also in a month to come', async () => {
    const { id } = await fixture.draft();
    const { recipientCount: people } = await schedule(id, { date: '2037-05-01' });
    await fixture.harness.data('cancel_campaign_schedule', { campaignId: id }, fixture.tenant);
    const bound = (mailsPerMonth: number) => ({
      ...fixture.tenant,
      bounds: { plan: 'FREE' as const, quotas: { contacts: null, mailsPerMonth, domains: null } },
    });
    expect(await refusal(id, {}, bound(people - 1))).toBe('QUOTA_REACHED');
    expect(await refusal(id, { date: '2037-05-01' }, bound(people - 1))).toBe('QUOTA_REACHED');
    expect(await schedule(id, { date: '2037-05-01' }, bound(people))).toMatchObject({ recipientCount: people });
  });
});
