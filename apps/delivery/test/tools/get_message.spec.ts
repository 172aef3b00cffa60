import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageIdAt, newId, uuidOf, wireId } from '#database';
import { AttemptMarkRepository } from '../../src/message/attempt-mark.repository.js';
import { layouts } from '../../../../test/harness/message-layouts.js';
import { InspectionFixture } from '../inspection-fixture.js';

interface Found {
  message: object;
  replies: { kind: string; text: string; code: number | null }[];
  content: { html: string | null } | null;
}

describe.each(layouts)('get_message, %s', (layout) => {
  let fixture: InspectionFixture;
  beforeAll(async () => {
    fixture = await InspectionFixture.open();
  });
  afterAll(() => fixture.close());

  const get = (messageId: string) => fixture.data<Found>('get_message', { messageId });

  it('returns a message with the replies about it and its stored content', async () => {
    const [messageId] = await fixture.store([{ state: 'BOUNCED', code: 250, response: '250 OK queued' }]);
    await fixture.report(messageId!, 'HARD', '550 5.1.1 No such user');
    await fixture.content(messageId!, '<p>Thanks</p>');
    expect(await get(messageId!)).toMatchObject({
      message: { messageId, kind: 'TRANSACTIONAL', status: 'BOUNCED', campaignId: null, subject: 'Receipt' },
      replies: [
        { kind: 'REPLY', code: 250, text: '250 OK queued' },
        { kind: 'HARD', text: '550 5.1.1 No such user' },
      ],
      content: { html: '<p>Thanks</p>', text: null },
    });
  });

  it('finds the message of a send that began in the month before, which has no stored content', async () => {
    const { sendId, campaignId } = await fixture.send();
    await fixture.store([{ kind: 'CAMPAIGN', sendId, period: await fixture.monthBefore(), subject: 'News for Ada' }]);
    const [messageId] = await fixture.intoLayout(layout, sendId);
    expect(await get(messageId!)).toMatchObject({
      message: { messageId, campaignId, campaignName: 'News of May', subject: 'News for Ada', kind: 'CAMPAIGN' },
      replies: [],
      content: null,
    });
  });

  it('answers MESSAGE_NOT_FOUND for an unknown or another organization’s message', async () => {
    const [foreign] = await fixture.store([{}], fixture.otherTenant);
    const { sendId } = await fixture.send(fixture.otherTenant);
    await fixture.store([{ kind: 'CAMPAIGN', sendId }], fixture.otherTenant);
    const [message] = await fixture.intoLayout(layout, sendId);
    const unattempted = wireId('msg', messageIdAt(uuidOf('send', sendId)!, 0, 2));
    for (const messageId of [foreign, message, unattempted, newId('msg'), 'none'])
      expect(await fixture.refusal('get_message', { messageId })).toBe('MESSAGE_NOT_FOUND');
  });

  if (layout === 'rows by position') {
    it('finds a message whose outcome is recorded between the read of its row and of its mark', async () => {
      const { sendId, organizationId } = await fixture.send();
      await fixture.store([{ kind: 'CAMPAIGN', sendId, attempts: 1 }]);
      const [messageId] = await fixture.intoLayout(layout, sendId);
      const { manager } = fixture.world.database;
      const reads = [null, 'the row'];
      const found = new AttemptMarkRepository(manager).find(organizationId, messageId!, () =>
        Promise.resolve(reads.shift()!),
      );
      expect(await found).toBe('the row');
    });

    it('answers MESSAGE_IN_PROGRESS between the attempt mark and its outcome', async () => {
      const { sendId } = await fixture.send();
      await fixture.store([{ kind: 'CAMPAIGN', sendId, state: 'HANDING_OVER', attempts: 1 }]);
      await fixture.intoLayout(layout, sendId);
      const messageId = wireId('msg', messageIdAt(uuidOf('send', sendId)!, 0, 0));
      expect(await fixture.refusal('get_message', { messageId })).toBe('MESSAGE_IN_PROGRESS');
      expect(await fixture.refusal('get_message', { messageId }, fixture.otherTenant)).toBe('MESSAGE_NOT_FOUND');
    });
  }
});
