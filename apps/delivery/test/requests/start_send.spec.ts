import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deliveryRequests } from '#contracts';
import type { SenderFacts } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness.js';

const sender: SenderFacts = {
  id: newId('snd'),
  displayName: 'Garden Shop',
  localPart: 'news',
  domain: 'shop.internal',
  email: 'news@shop.internal',
  replyTo: null,
  isDefault: true,
  domainId: newId('dom'),
  domainStatus: 'VERIFIED',
  mailFromDomain: 'bounce.shop.internal',
};

const send = (sendId: string) => ({
  sendId,
  campaignId: newId('cmp'),
  campaignName: 'News',
  audienceId: newId('aud'),
  total: 1200,
  pages: 3,
  template: { format: 1 },
  sender,
  replyTo: null,
  organizationName: 'Garden Shop',
  tracking: { opens: true, clicks: true },
});

describe('start_send', () => {
  const ours = { organizationId: newId('org') };
  const theirs = { organizationId: newId('org') };
  let tidings: Harness;
  beforeAll(async () => {
    tidings = await Harness.start();
  });
  afterAll(() => tidings.stop());

  const delivery = () => tidings.client(deliveryRequests);
  const started = async () => {
    const one = send(newId('send'));
    await delivery().start_send(one, tidings.caller(ours));
    return one;
  };

  it('takes a send over with everybody pending', async () => {
    const { sendId, campaignId } = await started();
    const { progress } = await delivery().get_send_progress({ sendId }, tidings.caller(ours));
    expect(progress).toMatchObject({ sendId, campaignId, state: 'RUNNING', total: 1200, pending: 1200, sent: 0 });
    expect(progress).toMatchObject({ skipped: {}, waitingFor: null, finishedAt: null, ratePerSecond: 0 });
  });

  it('changes nothing when it comes again', async () => {
    const { sendId, campaignId } = await started();
    await delivery().start_send({ ...send(sendId), total: 1, pages: 1 }, tidings.caller(ours));
    const { progress } = await delivery().get_send_progress({ sendId }, tidings.caller(ours));
    expect(progress).toMatchObject({ campaignId, total: 1200 });
  });

  it('pauses, resumes and stops; a stopped send stays stopped', async () => {
    const { sendId } = await started();
    const change = async (state: 'RUNNING' | 'PAUSED' | 'STOPPED', reason: string | null = null) =>
      (await delivery().set_send_state({ sendId, state, reason }, tidings.caller(ours))).state;
    expect(await change('PAUSED', 'too many bounces')).toBe('PAUSED');
    const { progress } = await delivery().get_send_progress({ sendId }, tidings.caller(ours));
    expect(progress).toMatchObject({ state: 'PAUSED', pausedReason: 'too many bounces' });
    expect(await change('RUNNING')).toBe('RUNNING');
    expect(await change('STOPPED')).toBe('STOPPED');
    expect(await change('RUNNING')).toBe('STOPPED');
    expect(await change('PAUSED')).toBe('STOPPED');
  });

  it('hides a send from another organization', async () => {
    const { sendId } = await started();
    const foreign = tidings.caller(theirs);
    const refused = { failure: { reason: 'SEND_NOT_FOUND' } };
    await expect(delivery().get_send_progress({ sendId }, foreign)).rejects.toMatchObject(refused);
    await expect(delivery().set_send_state({ sendId, state: 'STOPPED', reason: null }, foreign)).rejects.toMatchObject(
      refused,
    );
    await expect(delivery().list_send_messages({ sendId }, foreign)).rejects.toMatchObject(refused);
    await expect(delivery().get_send_progress({ sendId: 'send_x' }, foreign)).rejects.toMatchObject(refused);
  });
});
