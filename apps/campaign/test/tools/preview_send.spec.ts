import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';

interface Preview {
  message: string;
  recipientCount: number;
  excluded: { reason: string; count: number; examples: { email: string }[] }[];
  waves: { at: string; count: number }[];
  relays: { relayId: string; count: number; days: { count: number }[] }[];
  destinations: { domains: { domain: string; count: number }[]; total: number };
  duration: { seconds: number | null; ratePerSecond: number | null };
  warnings: { code: string }[];
}

const tagged = (tag: string) => ({ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] });
const markdown = { contentType: 'MARKDOWN', content: 'Hello\n\n[Leave]({{unsubscribeUrl}})' };

describe('preview_send', () => {
  let fixture: CampaignFixture;
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
    await fixture.people(5, 'spring');
    await fixture.people(3, 'other');
    const add = (email: string) => fixture.harness.data('add_subscriber', { email, tags: ['spring'] }, fixture.tenant);
    for (const email of ['one@ada.internal', 'two@ada.internal', 'gone@ada.internal', 'banned@ada.internal'])
      await add(email);
    for (const email of ['spring-0@example.com', 'gone@ada.internal'])
      await fixture.harness.data('unsubscribe', { email }, fixture.tenant);
    await fixture.harness
      .dataSource('subscriber')
      .query(
        `update subscriber set banned_at = clock_timestamp(), status = 'BANNED' where email_key = 'banned@ada.internal'`,
      );
  });
  afterAll(() => fixture.close());

  const draft = async (change: object = {}, filters: object[] = [tagged('spring')]) => {
    const { id } = await fixture.draft({ ...markdown, ...change });
    await fixture.harness.data('update_campaign_filters', { campaignId: id, filters }, fixture.tenant);
    return id;
  };
  const preview = (campaignId: string, more: object = {}) =>
    fixture.harness.data<Preview>('preview_send', { campaignId, ...more }, fixture.tenant);
  const refusal = (campaignId: string) => fixture.harness.refusal('preview_send', { campaignId }, fixture.tenant);

  it('counts who receives it, and who is left out by reason, with examples on request', async () => {
    const id = await draft();
    const found = await preview(id, { examples: 1 });
    expect(found).toMatchObject({
      recipientCount: 6,
      excluded: [
        { reason: 'UNSUBSCRIBED', count: 2, examples: [{ email: 'gone@ada.internal' }] },
        { reason: 'BANNED', count: 1, examples: [{ email: 'banned@ada.internal' }] },
      ],
      destinations: {
        domains: [
          { domain: 'example.com', count: 4 },
          { domain: 'ada.internal', count: 2 },
        ],
        total: 2,
      },
      waves: [{ count: 6 }],
      relays: [{ relayId: 'default', count: 6, days: [{ count: 6 }] }],
      duration: { seconds: null, ratePerSecond: null },
      warnings: [],
    });
    expect((await preview(id)).excluded.flatMap(({ examples }) => examples)).toEqual([]);
  });

  it('equals the audience that the send then freezes', async () => {
    const id = await draft();
    const { recipientCount } = await preview(id);
    await fixture.sendNow(id);
    expect(await fixture.row(id)).toMatchObject({ recipient_count: recipientCount });
  });

  it('has the sentence that schedule_campaign asks to confirm', async () => {
    const id = await draft({ name: 'May news' });
    const described = await fixture.harness.describe('schedule_campaign', { campaignId: id }, fixture.tenant);
    expect(described).toMatchObject({ ok: true, data: { message: (await preview(id)).message } });
    const date = { date: '2037-05-01', hours: 9, timezone: 'Europe/Paris' };
    const later = await fixture.harness.describe('schedule_campaign', { campaignId: id, ...date }, fixture.tenant);
    await fixture.harness.data('schedule_campaign', { campaignId: id, ...date }, fixture.tenant);
    const scheduled = await preview(id);
    expect(later).toMatchObject({ data: { message: scheduled.message } });
    expect(scheduled.waves).toEqual([{ at: '2037-05-01T07:00:00.000Z', count: 6 }]);
  });

  it('warns of what would refuse the send, instead of refusing', async () => {
    const id = await draft({ content: 'Hello {{frstName}}' }, [tagged('spring'), tagged('other')]);
    const { recipientCount, warnings } = await preview(id);
    expect(recipientCount).toBe(0);
    const codes = warnings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['NO_RECIPIENTS', 'UNSUBSCRIBE_LINK_MISSING', 'VARIABLE_UNKNOWN']));
    const bounds = { plan: 'BASIC' as const, quotas: { mailsPerMonth: 2 } };
    const limited = await fixture.harness.data<Preview>(
      'preview_send',
      { campaignId: await draft() },
      { ...fixture.tenant, bounds: bounds as never },
    );
    expect(limited.warnings).toEqual([expect.objectContaining({ code: 'QUOTA_REACHED' })]);
  });

  it('estimates the duration from earlier sends', async () => {
    const id = await draft();
    await fixture.sendNow(id);
    await fixture.harness
      .dataSource('delivery')
      .query(
        `update send set state = 'DONE', total = 500, started_at = clock_timestamp() - interval '10 seconds', finished_at = clock_timestamp()`,
      );
    const { duration } = await preview(await draft());
    expect(duration).toEqual({ seconds: 1, ratePerSecond: expect.any(Number) });
    expect(Math.round(duration.ratePerSecond!)).toBe(50);
    const away = await fixture.harness.bus.without('delivery', async () => await preview(await draft()));
    expect(away.duration).toEqual({ seconds: null, ratePerSecond: null });
  });

  it('refuses a campaign that was sent with CAMPAIGN_NOT_DRAFT', async () => {
    const id = await draft();
    await fixture.sendNow(id);
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_DRAFT');
  });

  it('refuses filters of a deleted tag with FILTER_TARGET_GONE, and a segment in itself with SEGMENT_CYCLE', async () => {
    await fixture.people(1, 'short');
    const id = await draft({}, [tagged('short')]);
    await fixture.dropTag('short');
    expect(await refusal(id)).toBe('FILTER_TARGET_GONE');
    const segment = await fixture.segmentWithout('spring');
    const circle = await draft({}, [segment]);
    await fixture.closeCircle(segment);
    expect(await refusal(circle)).toBe('SEGMENT_CYCLE');
    // FILTERS_INVALID remains for segments that have grown beyond the limit of conditions.
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal(foreign.id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
  });
});
