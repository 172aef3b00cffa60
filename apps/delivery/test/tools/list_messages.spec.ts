import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { layouts } from '../../../../test/harness/message-layouts.js';
import { InspectionFixture } from '../inspection-fixture.js';

interface Page {
  messages: { messageId: string; kind: string; status: string; reason: string | null; campaignId: string | null }[];
  nextCursor: string | null;
}

describe.each(layouts)('list_messages, %s', (layout) => {
  let fixture: InspectionFixture;
  let ids: string[];
  let campaignId: string;
  let ofCampaign: { sent: string; skipped: string };
  let smtp: string;
  beforeAll(async () => {
    fixture = await InspectionFixture.open();
    const send = await fixture.send();
    ({ campaignId } = send);
    const former = await fixture.store([{ subject: 'An old one', period: await fixture.monthBefore() }]);
    const present = await fixture.store([
      { email: 'Ada@people.internal' },
      { kind: 'CAMPAIGN', sendId: send.sendId, subject: 'News for Ada' },
      { state: 'FAILED', code: 552, response: '552 5.2.2 Full' },
      {
        kind: 'CAMPAIGN',
        sendId: send.sendId,
        state: 'SKIPPED',
        skipReason: 'STOPPED',
        subject: 'News for you',
        email: 'adb@people.internal',
      },
      { kind: 'SMTP', state: 'QUEUED', email: 'bob@people.internal', subject: '100% off' },
    ]);
    const [sent, skipped] = await fixture.intoLayout(layout, send.sendId);
    ofCampaign = { sent: sent!, skipped: skipped! };
    smtp = present[4]!;
    // By month, then by id; an id by position has the time of its send.
    ids = [...former, ...[present[0]!, sent!, present[2]!, skipped!, smtp].sort()].reverse();
    await fixture.store([{ subject: 'Theirs' }], fixture.otherTenant);
  });
  afterAll(() => fixture.close());

  const list = (input: object = {}) => fixture.data<Page>('list_messages', input);
  const found = async (input: object) => (await list(input)).messages.map(({ messageId }) => messageId);

  it('lists messages of all kinds, newest first, over months', async () => {
    expect(await found({})).toEqual(ids);
    const isOfCampaign = (id: string) => Object.values(ofCampaign).includes(id);
    expect((await list()).messages.map(({ kind }) => kind)).toEqual(
      ids.map((id) => (isOfCampaign(id) ? 'CAMPAIGN' : id === smtp ? 'SMTP' : 'TRANSACTIONAL')),
    );
  });

  it('narrows by status, campaign and text', async () => {
    expect(await list({ status: 'FAILED' })).toMatchObject({
      messages: [{ reason: 'MAILBOX_FULL', status: 'FAILED' }],
    });
    expect(await found({ status: 'PENDING' })).toEqual([smtp]);
    expect(await found({ campaignId })).toEqual(ids.filter((id) => Object.values(ofCampaign).includes(id)));
    expect(await found({ campaignId, status: 'SKIPPED' })).toEqual([ofCampaign.skipped]);
    expect(await found({ campaignId: newId('cmp') })).toEqual([]);
    expect(await found({ query: 'ADA@' })).toEqual(ids.filter((id) => id !== smtp && id !== ofCampaign.skipped));
    expect(await found({ query: 'news FOR a' })).toEqual([ofCampaign.sent]);
    expect(await found({ query: '100% ' })).toEqual([smtp]);
    expect(await found({ query: '1_0' })).toEqual([]);
  });

  it('narrows by the time of creation, bounds included', async () => {
    const all = await fixture.data<{ messages: { messageId: string; createdAt: string }[] }>('list_messages', {});
    const newest = all.messages[0]!.createdAt;
    const oldest = all.messages.map(({ createdAt }) => createdAt).sort()[0]!;
    const within = (isIn: (at: string) => boolean) =>
      all.messages.filter(({ createdAt }) => isIn(createdAt)).map(({ messageId }) => messageId);
    expect(await found({ from: oldest, to: newest })).toEqual(ids);
    expect(await found({ from: newest })).toEqual(within((at) => at >= newest));
    expect(await found({ to: oldest })).toEqual(within((at) => at <= oldest));
    expect(await found({ from: newest, query: 'bob' })).toEqual([smtp]);
    const shifted = (at: string, ms: number) => new Date(Date.parse(at) + ms).toISOString();
    expect(await found({ from: shifted(newest, 1) })).toEqual([]);
    expect(await found({ to: shifted(oldest, -1) })).toEqual([]);
    expect(await found({ to: '1969-01-01T00:00:00Z' })).toEqual([]);
  });

  it('refuses a range that ends before it begins, and what is no instant', async () => {
    const range = { from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' };
    expect(await fixture.refusal('list_messages', range)).toBe('PARAMETERS_INVALID');
    expect(await fixture.refusal('list_messages', { from: 'yesterday' })).toBe('PARAMETERS_INVALID');
  });

  it.each([{}, { query: 'people' }, { from: '2020-01-01T00:00:00Z' }, { status: 'DELIVERED' }])(
    'returns each message once over the pages of %j',
    async (filter) => {
      const all: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Page = await list({ ...filter, limit: 1, ...(cursor && { cursor }) });
        all.push(...page.messages.map(({ messageId }) => messageId));
        cursor = page.nextCursor;
      }
      expect(all).toEqual(await found(filter));
    },
  );

  it('refuses a cursor that is none with PARAMETERS_INVALID', async () => {
    for (const cursor of ['none', '2026-13-01/x', `2026-11-02/${'0'.repeat(36)}`])
      expect(await fixture.refusal('list_messages', { cursor })).toBe('PARAMETERS_INVALID');
  });

  it('lists nothing of another organization, also by its cursor and campaign', async () => {
    const { nextCursor } = await list({ limit: 1 });
    const theirs = await fixture.data<Page>('list_messages', { cursor: nextCursor }, fixture.otherTenant);
    expect(theirs.messages.map(({ messageId }) => messageId)).not.toEqual(expect.arrayContaining([ids[1]]));
    expect((await fixture.data<Page>('list_messages', { campaignId }, fixture.otherTenant)).messages).toEqual([]);
  });
});
