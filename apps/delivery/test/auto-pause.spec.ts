import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageIdAt, newId, newSendUuid, wireId } from '#database';
import { Outbox, settledData } from '#events';
import { healthHandlers } from '../src/report/health/deliverability.consumer.js';
import type { DeliverabilityEvent } from '../src/message/message-events.js';
import { SendFixture } from './send-fixture.js';
import type { StartedSend } from './send-fixture.js';

describe('the first thousand results of a campaign', () => {
  let world: SendFixture;
  beforeAll(async () => void (world = await SendFixture.start({}, 1)));
  afterAll(() => world.stop());

  const campaign = async () => {
    const tenant = await world.organization();
    return await world.send(tenant, { audienceId: newId('aud'), total: 5000, pages: 10 });
  };
  const messages = (count: number) => Array.from({ length: count }, () => newId('msg'));
  const tell = async (
    send: StartedSend,
    name: 'message.sent' | 'message.bounced' | 'message.complained',
    ids: readonly string[],
  ) => {
    const { organizationId, campaignId } = send;
    const about = {
      subscriberId: null,
      campaignId,
      campaignName: 'News',
      subject: 'News',
      email: 'ada@real.internal',
      at: new Date().toISOString(),
      simulated: false,
    };
    const came = {
      'message.sent': {},
      'message.bounced': {
        bounceType: 'HARD',
        bounceCategory: 'NO_SUCH_USER',
        reason: 'gone',
        provider: null,
        status: null,
        countedAs: 'DELIVERED',
      },
      'message.complained': { complaintFeedbackType: 'abuse', provider: null },
    }[name];
    const events = ids.map((messageId) => ({
      id: newId('evt'),
      organizationId,
      name,
      data: { ...about, ...came, messageId },
    })) as DeliverabilityEvent[];
    await world.database.transaction(async (manager) => {
      const context = { manager, outbox: new Outbox('delivery'), lane: 0 };
      await healthHandlers({ pausing: true, note: () => undefined })[name](events, context);
    });
    return await world.progress(send);
  };

  it.each(['message.bounced', 'message.complained'] as const)(
    'count %s that comes when they are long past',
    async (name) => {
      const one = await campaign();
      const first = messages(1000);
      expect(await tell(one, 'message.sent', first)).toMatchObject({ state: 'RUNNING' });
      expect(await tell(one, 'message.sent', messages(3000))).toMatchObject({ state: 'RUNNING' });
      const enough = name === 'message.bounced' ? 50 : 3;
      expect(await tell(one, name, first.slice(0, enough - 1))).toMatchObject({ state: 'RUNNING' });
      expect(await tell(one, name, first.slice(-1))).toMatchObject({ state: 'PAUSED' });
    },
  );

  describe('with ids by position', () => {
    const places = Array.from({ length: 500 }, (_, position) => position);
    const begin = async () => {
      const one = await campaign();
      const { organizationId, campaignId } = one;
      const sendUuid = newSendUuid();
      const settle = async (chunk: number, positions = places, skipped: readonly number[] = []) => {
        const about = { sendId: wireId('send', sendUuid), campaignId, chunk, at: new Date().toISOString() };
        const message = { variant: null, destination: 'other', simulated: false, subjectValues: null };
        const data = settledData(
          about,
          positions.map((position) => ({
            ...message,
            position,
            subscriberId: newId('sub'),
            outcome: skipped.includes(position) ? ('SKIPPED' as const) : ('DELIVERED' as const),
          })),
        );
        const event = { id: newId('evt'), organizationId, name: 'messages.settled' as const, data };
        await world.database.transaction(async (manager) => {
          const context = { manager, outbox: new Outbox('delivery'), lane: 0 };
          await healthHandlers({ pausing: true, note: () => undefined })['messages.settled']([event], context);
        });
      };
      const ids = (chunk: number) => places.map((position) => wireId('msg', messageIdAt(sendUuid, chunk, position)));
      return { one, settle, ids };
    };

    it('count groups of settled messages, and leave out what comes back of later groups', async () => {
      const { one, settle, ids } = await begin();
      for (const chunk of [0, 1, 2]) await settle(chunk);
      expect(await tell(one, 'message.bounced', ids(2).slice(0, 200))).toMatchObject({ state: 'RUNNING' });
      expect(await tell(one, 'message.bounced', ids(0).slice(0, 49))).toMatchObject({ state: 'RUNNING' });
      expect(await tell(one, 'message.bounced', ids(1).slice(0, 1))).toMatchObject({ state: 'PAUSED' });
    });

    it('are those of the groups that were settled first, in whichever order chunks are sent', async () => {
      const { one, settle, ids } = await begin();
      for (const chunk of [7, 3, 0]) await settle(chunk);
      expect(await tell(one, 'message.bounced', ids(0).slice(0, 200))).toMatchObject({ state: 'RUNNING' });
      expect(await tell(one, 'message.bounced', ids(3).slice(0, 49))).toMatchObject({ state: 'RUNNING' });
      expect(await tell(one, 'message.bounced', ids(7).slice(0, 1))).toMatchObject({ state: 'PAUSED' });
    });

    it('hold what is reported message by message, and nothing that was skipped', async () => {
      const { one, settle, ids } = await begin();
      const skipped = places.slice(450);
      await settle(0, places, skipped);
      await settle(1, places, skipped);
      await tell(one, 'message.sent', [...ids(2).slice(0, 50), ...ids(3).slice(0, 50)]);
      await settle(4);
      await tell(one, 'message.sent', [...ids(0).slice(450), ...ids(2).slice(50, 100)]);
      expect(await tell(one, 'message.bounced', [...ids(0).slice(450), ...ids(2).slice(50, 100)])).toMatchObject({
        state: 'RUNNING',
      });
      expect(await tell(one, 'message.bounced', [...ids(2).slice(0, 25), ...ids(3).slice(25, 49)])).toMatchObject({
        state: 'RUNNING',
      });
      expect(await tell(one, 'message.bounced', ids(1).slice(449, 450))).toMatchObject({ state: 'PAUSED' });
    });
  });

  it('leave out what comes back of later ones', async () => {
    const one = await campaign();
    await tell(one, 'message.sent', messages(1000));
    const later = messages(3000);
    await tell(one, 'message.sent', later);
    expect(await tell(one, 'message.bounced', later.slice(0, 200))).toMatchObject({ state: 'RUNNING' });
  });

  it('decide once: a member’s resume is final', async () => {
    const one = await campaign();
    const first = messages(1000);
    await tell(one, 'message.sent', first);
    expect(await tell(one, 'message.bounced', first.slice(0, 60))).toMatchObject({ state: 'PAUSED' });
    await world.setState(one, 'RUNNING');
    expect(await tell(one, 'message.bounced', first.slice(60, 200))).toMatchObject({ state: 'RUNNING' });
  });
});
