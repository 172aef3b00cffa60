import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { InspectionFixture } from '../inspection-fixture.js';

describe('get_send', () => {
  let fixture: InspectionFixture;
  beforeAll(async () => {
    fixture = await InspectionFixture.open();
  });
  afterAll(() => fixture.close());

  const get = async (input: object) => (await fixture.data<{ send: object }>('get_send', input)).send;

  it('returns progress and chunks by send or campaign', async () => {
    const { sendId, campaignId } = await fixture.send();
    const expected = {
      sendId,
      campaignId,
      campaignName: 'News of May',
      state: 'RUNNING',
      total: 3,
      pending: 3,
      chunks: { ready: 1, leased: 0, done: 0 },
      relay: { relayId: 'default', backoffUntil: null, reason: null },
      etaSeconds: null,
    };
    for (const named of [{ sendId }, { campaignId }, { sendId, campaignId }])
      expect(await get(named)).toMatchObject(expected);
  });

  it('states why the relay takes no mail, and until when', async () => {
    const { sendId } = await fixture.send();
    await fixture.world.database.query(
      `insert into destination (name, backoff_until, failures, reason) values ('relay', clock_timestamp() + interval '1 minute', 1, 'refused')`,
    );
    expect(await get({ sendId })).toMatchObject({
      waitingFor: 'refused',
      relay: { backoffUntil: expect.any(String), reason: 'refused' },
    });
    await fixture.world.database.query(`delete from destination`);
  });

  it('refuses neither id with IDENTIFIER_MISSING, and ids that differ with IDENTIFIERS_DISAGREE', async () => {
    const [one, other] = [await fixture.send(), await fixture.send()];
    expect(await fixture.refusal('get_send', {})).toBe('IDENTIFIER_MISSING');
    const both = { sendId: one.sendId, campaignId: other.campaignId };
    expect(await fixture.refusal('get_send', both)).toBe('IDENTIFIERS_DISAGREE');
  });

  it('answers SEND_NOT_FOUND for an unknown or another organization’s send', async () => {
    const { sendId, campaignId } = await fixture.send(fixture.otherTenant);
    for (const named of [{ sendId }, { campaignId }, { sendId: newId('send') }, { campaignId: 'none' }])
      expect(await fixture.refusal('get_send', named)).toBe('SEND_NOT_FOUND');
  });
});
