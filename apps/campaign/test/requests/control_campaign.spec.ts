import { beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRequests } from '#contracts';
import { newId } from '#database';
import type { RemoteFailure } from '#tool-call';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('control_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(3);
  });

  const control = (campaignId: string, action: 'pause' | 'resume' | 'stop', tenant = fixture.tenant) =>
    fixture.harness.client(campaignRequests).control_campaign({ campaignId, action }, fixture.harness.caller(tenant));
  const refusal = (...call: Parameters<typeof control>) =>
    control(...call).then(
      () => 'accepted',
      (error: RemoteFailure) => error.failure.reason,
    );
  const sendState = async (campaignId: string) => {
    const { send_id } = await fixture.row(campaignId);
    const [send] = await fixture.harness
      .dataSource('delivery')
      .query<[{ state: string }]>('select state from send where send_id = $1', [send_id]);
    return send.state;
  };

  it('pauses, resumes and stops a campaign that is SENDING', async () => {
    const { id } = await fixture.draft();
    await fixture.sendNow(id);
    expect(await control(id, 'pause')).toEqual({ campaignId: id, paused: true });
    expect(await sendState(id)).toBe('PAUSED');
    expect(await control(id, 'resume')).toEqual({ campaignId: id, paused: false });
    expect(await sendState(id)).toBe('RUNNING');
    expect(await control(id, 'stop')).toEqual({ campaignId: id, paused: false });
    expect(await sendState(id)).toBe('STOPPED');
    expect((await fixture.get(id)).status).toBe('SENDING');
  });

  it('refuses with CAMPAIGN_STARTING while the campaign is on its way to the delivery service', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.data('schedule_campaign', { campaignId: id }, fixture.tenant);
    await fixture.harness.bus.without('subscriber', () => fixture.startDue());
    expect(await refusal(id, 'stop')).toBe('CAMPAIGN_STARTING');
  });

  it('refuses a campaign that is not SENDING, or whose send is over, with CAMPAIGN_NOT_SENDING', async () => {
    const { id } = await fixture.draft();
    expect(await refusal(id, 'pause')).toBe('CAMPAIGN_NOT_SENDING');
    await fixture.sendNow(id);
    const { send_id } = await fixture.row(id);
    await fixture.harness.dataSource('delivery').query(`update send set state = 'DONE' where send_id = $1`, [send_id]);
    expect(await refusal(id, 'pause')).toBe('CAMPAIGN_NOT_SENDING');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const { id } = await fixture.draft();
    await fixture.sendNow(id);
    expect(await refusal(id, 'stop', fixture.otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'), 'stop')).toBe('CAMPAIGN_NOT_FOUND');
    expect(await sendState(id)).toBe('RUNNING');
  });
});
