import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { ControlFixture } from '../control-fixture.js';

describe('stop_campaign', () => {
  let control: ControlFixture;
  beforeAll(async () => {
    control = await ControlFixture.open();
  });
  afterAll(() => control.fixture.close());

  const stop = (campaignId: string) =>
    control.fixture.harness.data('stop_campaign', { campaignId }, control.fixture.tenant);
  const refusal = (campaignId: string, tenant: Tenant = control.fixture.tenant) =>
    control.fixture.harness.refusal('stop_campaign', { campaignId }, tenant);
  const describing = (campaignId: string) =>
    control.fixture.harness.describe('stop_campaign', { campaignId }, control.fixture.tenant);

  it('stops a SENDING campaign and states before how many recipients will not receive it', async () => {
    const id = await control.sending({ name: 'May news' });
    expect(await describing(id)).toMatchObject({
      ok: true,
      data: { message: "Stops 'May news' for ever: 3 recipients of 3 will not receive it." },
    });
    expect(await control.sendState(id)).toBe('RUNNING');
    expect(await stop(id)).toEqual({ campaignId: id, paused: false });
    expect(await control.sendState(id)).toBe('STOPPED');
  });

  it('stops a campaign once more while it stops, instead of CAMPAIGN_STOPPING', async () => {
    const id = await control.sending();
    for (let n = 0; n < 2; n++) expect(await stop(id)).toEqual({ campaignId: id, paused: false });
  });

  it('stops a paused campaign', async () => {
    const id = await control.sending();
    await control.fixture.harness.data('pause_campaign', { campaignId: id }, control.fixture.tenant);
    expect(await stop(id)).toEqual({ campaignId: id, paused: false });
  });

  it('refuses a campaign whose send is over with CAMPAIGN_NOT_SENDING', async () => {
    const id = await control.sending();
    await control.endSend(id, 0);
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_SENDING');
  });

  it('refuses with CAMPAIGN_STARTING while the delivery service does not have the send', async () => {
    const id = await control.starting();
    expect(await refusal(id)).toBe('CAMPAIGN_STARTING');
    expect(await describing(id)).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_STARTING' } });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which goes on', async () => {
    const id = await control.sending();
    expect(await refusal(id, control.fixture.otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await control.sendState(id)).toBe('RUNNING');
  });
});
