import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('cancel_campaign_schedule', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(2);
  });

  const scheduled = async (tenant = fixture.tenant) => {
    const { id } = await fixture.draft({}, tenant);
    await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, tenant);
    return id;
  };
  const refusal = (campaignId: string) =>
    fixture.harness.refusal('cancel_campaign_schedule', { campaignId }, fixture.tenant);

  it('takes a SCHEDULED campaign back to DRAFT, where it can be changed and scheduled again', async () => {
    const id = await scheduled();
    await fixture.harness.data('cancel_campaign_schedule', { campaignId: id }, fixture.tenant);
    expect(await fixture.get(id)).toMatchObject({ status: 'DRAFT', scheduledAt: null, timezone: null });
    await fixture.harness.data('edit_campaign', { id, subject: 'Changed' }, fixture.tenant);
    await fixture.harness.data('schedule_campaign', { campaignId: id }, fixture.tenant);
  });

  it('either wins whole or is refused when it meets the start: 20 races', async () => {
    for (let race = 0; race < 20; race++) {
      const { id } = await fixture.draft();
      await fixture.harness.data('schedule_campaign', { campaignId: id }, fixture.tenant);
      const starter = fixture.starter();
      const [outcome] = await Promise.all([
        fixture.harness.call('cancel_campaign_schedule', { campaignId: id }, fixture.tenant),
        starter.take().then(() => starter.settled()),
      ]);
      const { status } = await fixture.get(id);
      expect(status).toBe(outcome.ok ? 'DRAFT' : 'SENDING');
      const { send_id } = await fixture.row(id);
      expect(send_id === null).toBe(outcome.ok);
    }
  });

  it('works while the domain service, which only names the sender, is away', async () => {
    const id = await scheduled();
    const cancel = () => fixture.harness.data('cancel_campaign_schedule', { campaignId: id }, fixture.tenant);
    expect(await fixture.harness.bus.without('domain', cancel)).toMatchObject({
      campaign: { status: 'DRAFT', sender: null },
    });
  });

  it('refuses a campaign that is not SCHEDULED with CAMPAIGN_NOT_SCHEDULED, and says how one that is SENDING is stopped', async () => {
    const { id } = await fixture.draft();
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_SCHEDULED');
    await fixture.sendNow(id);
    expect(await fixture.harness.call('cancel_campaign_schedule', { campaignId: id }, fixture.tenant)).toMatchObject({
      error: { reason: 'CAMPAIGN_NOT_SCHEDULED', message: expect.stringContaining('pause_campaign') },
    });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    await fixture.people(1, undefined, fixture.otherTenant);
    const id = await scheduled(fixture.otherTenant);
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await fixture.get(id, fixture.otherTenant)).toMatchObject({ status: 'SCHEDULED' });
  });
});
