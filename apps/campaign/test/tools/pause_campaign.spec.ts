import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { ControlFixture } from '../control-fixture.js';

describe('pause_campaign', () => {
  let control: ControlFixture;
  beforeAll(async () => {
    control = await ControlFixture.open();
  });
  afterAll(() => control.fixture.close());

  const pauseCampaign = (campaignId: string) =>
    control.fixture.harness.data('pause_campaign', { campaignId }, control.fixture.tenant);
  const refusal = (campaignId: string, tenant: Tenant = control.fixture.tenant) =>
    control.fixture.harness.refusal('pause_campaign', { campaignId }, tenant);

  it('pauses a SENDING campaign, also a second time', async () => {
    const id = await control.sending();
    for (let n = 0; n < 2; n++) expect(await pauseCampaign(id)).toEqual({ campaignId: id, paused: true });
    expect(await control.sendState(id)).toBe('PAUSED');
    expect((await control.fixture.get(id)).status).toBe('SENDING');
  });

  it('refuses a campaign that is not SENDING with CAMPAIGN_NOT_SENDING', async () => {
    const { id } = await control.fixture.draft();
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_SENDING');
  });

  it('refuses with CAMPAIGN_STARTING while the delivery service does not have the send', async () => {
    expect(await refusal(await control.starting())).toBe('CAMPAIGN_STARTING');
  });

  it('refuses with CAMPAIGN_STOPPING after a stop', async () => {
    const id = await control.sending();
    await control.fixture.harness.data('stop_campaign', { campaignId: id }, control.fixture.tenant);
    expect(await refusal(id)).toBe('CAMPAIGN_STOPPING');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which goes on', async () => {
    const id = await control.sending();
    expect(await refusal(id, control.fixture.otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await control.sendState(id)).toBe('RUNNING');
  });
});
