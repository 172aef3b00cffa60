import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { layouts } from '../../../../test/harness/message-layouts.js';
import { ControlFixture } from '../control-fixture.js';

const full = { state: 'FAILED', code: 552, enhancedCode: '5.2.2', response: '552 5.2.2 Full' };

describe.each(layouts)('retry_campaign, %s', (layout) => {
  let control: ControlFixture;
  beforeAll(async () => {
    control = await ControlFixture.open();
  });
  afterAll(() => control.fixture.close());

  const retry = (campaignId: string, more: object = {}) =>
    control.fixture.harness.data('retry_campaign', { campaignId, ...more }, control.fixture.tenant);
  const refusal = (campaignId: string, tenant: Tenant = control.fixture.tenant) =>
    control.fixture.harness.refusal('retry_campaign', { campaignId }, tenant);
  const describing = (campaignId: string, more: object = {}) =>
    control.fixture.harness.describe('retry_campaign', { campaignId, ...more }, control.fixture.tenant);
  const states = async (campaignId: string) => {
    const { send_id: send } = await control.fixture.row(campaignId);
    const rows = await control.delivery<{ state: string }[]>(
      `select state from any_message where send_id = $1 order by message_id`,
      send,
    );
    return rows.map(({ state }) => state);
  };
  /** A campaign that ended with one temporary refusal, one dead address, and one message in doubt. */
  const ended = async () => {
    const id = await control.sending({ name: 'May news' });
    const dead = { state: 'FAILED', code: 550, enhancedCode: '5.1.1', response: '550 5.1.1 No such user' };
    await control.outcomes(id, [full, dead, { state: 'IN_DOUBT' }]);
    await control.intoLayout(layout, id);
    await control.endSend(id, 2);
    const { send_id: send } = await control.fixture.row(id);
    await control.delivery(`update send_page set in_doubt = 1 where send_id = $1`, send);
    return id;
  };

  it('retries temporary refusals, and recipients in doubt only on request', async () => {
    const id = await ended();
    expect(await describing(id)).toMatchObject({
      ok: true,
      data: {
        message: expect.stringMatching(/^Retries 'May news': of 2 refused recipients those refused temporarily/),
      },
    });
    expect(await describing(id, { inDoubt: true })).toMatchObject({
      data: { message: expect.stringContaining('1 recipient who may have received it') },
    });
    expect(await retry(id)).toEqual({ campaignId: id, status: 'SENDING', retried: 1, inDoubt: 1 });
    expect(await states(id)).toEqual(['DEFERRED', 'FAILED', 'IN_DOUBT']);
    expect(await retry(id, { inDoubt: true })).toMatchObject({ retried: 1, inDoubt: 0 });
    expect(await states(id)).toEqual(['DEFERRED', 'FAILED', 'DEFERRED']);
  });

  it('refuses a campaign that was not sent with CAMPAIGN_NOT_SENT', async () => {
    const { id } = await control.fixture.draft();
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_SENT');
    expect(await describing(id)).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_NOT_SENT' } });
  });

  it('refuses with CAMPAIGN_STARTING while it starts, and with CAMPAIGN_STOPPING while it stops', async () => {
    const starting = await control.starting();
    expect(await refusal(starting)).toBe('CAMPAIGN_STARTING');
    expect(await describing(starting)).toMatchObject({ error: { reason: 'CAMPAIGN_STARTING' } });
    const stopped = await control.sending();
    await control.fixture.harness.data('stop_campaign', { campaignId: stopped }, control.fixture.tenant);
    expect(await refusal(stopped)).toBe('CAMPAIGN_STOPPING');
    expect(await describing(stopped)).toMatchObject({ error: { reason: 'CAMPAIGN_STOPPING' } });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays', async () => {
    const id = await ended();
    expect(await refusal(id, control.fixture.otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await states(id)).toEqual(['FAILED', 'FAILED', 'IN_DOUBT']);
  });
});
