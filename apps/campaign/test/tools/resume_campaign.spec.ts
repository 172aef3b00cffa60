import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { ControlFixture } from '../control-fixture.js';

describe('resume_campaign', () => {
  let control: ControlFixture;
  beforeAll(async () => {
    control = await ControlFixture.open();
  });
  afterAll(() => control.fixture.close());

  const call = (tool: string, campaignId: string) =>
    control.fixture.harness.data(tool, { campaignId }, control.fixture.tenant);
  const refusal = (campaignId: string, tenant: Tenant = control.fixture.tenant) =>
    control.fixture.harness.refusal('resume_campaign', { campaignId }, tenant);
  const describing = (campaignId: string) =>
    control.fixture.harness.describe('resume_campaign', { campaignId }, control.fixture.tenant);

  it('resumes a paused campaign and states before how many recipients are pending', async () => {
    const id = await control.sending({ name: 'May news' });
    await call('pause_campaign', id);
    expect(await describing(id)).toMatchObject({
      ok: true,
      data: { message: "Resumes 'May news': 3 recipients of 3 are pending." },
    });
    expect(await control.sendState(id)).toBe('PAUSED');
    expect(await call('resume_campaign', id)).toEqual({ campaignId: id, paused: false });
    expect(await control.sendState(id)).toBe('RUNNING');
  });

  it('refuses with CAMPAIGN_STOPPING after a stop, also before it asks', async () => {
    const id = await control.sending();
    await call('stop_campaign', id);
    expect(await refusal(id)).toBe('CAMPAIGN_STOPPING');
    expect(await describing(id)).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_STOPPING' } });
  });

  it('refuses a campaign that is not SENDING with CAMPAIGN_NOT_SENDING', async () => {
    const { id } = await control.fixture.draft();
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_SENDING');
    expect(await describing(id)).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_NOT_SENDING' } });
  });

  it('refuses with CAMPAIGN_STARTING while the delivery service does not have the send', async () => {
    const id = await control.starting();
    expect(await refusal(id)).toBe('CAMPAIGN_STARTING');
    expect(await describing(id)).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_STARTING' } });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays paused', async () => {
    const id = await control.sending();
    await call('pause_campaign', id);
    expect(await refusal(id, control.fixture.otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await control.sendState(id)).toBe('PAUSED');
  });
});
