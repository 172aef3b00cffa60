import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Tenant } from '../../../../test/harness/harness.js';
import { layouts } from '../../../../test/harness/message-layouts.js';
import { ControlFixture } from '../control-fixture.js';

interface Page {
  recipients: { subscriberId: string; email: string; status: string; reason: string | null; canRetry: string }[];
  counts: Record<string, Record<string, number>> | null;
  pending: number;
  nextCursor: string | null;
}
const full = { state: 'FAILED', code: 552, enhancedCode: '5.2.2', response: '552 5.2.2 Full' };
const dead = { state: 'FAILED', code: 550, enhancedCode: '5.1.1', response: '550 5.1.1 No such user' };

describe.each(layouts)('list_campaign_recipients, %s', (layout) => {
  let control: ControlFixture;
  let campaignId: string;
  beforeAll(async () => {
    control = await ControlFixture.open();
    campaignId = await control.sending();
    await control.outcomes(campaignId, [
      { state: 'DELIVERED', email: 'Ada@example.com' },
      { state: 'DELIVERED' },
      { state: 'SENT' },
      { state: 'BOUNCED', code: 250, response: '550 5.1.1 No such user' },
      full,
      { ...full, email: 'adam@example.com' },
      dead,
      { state: 'SKIPPED', skipReason: 'UNSUBSCRIBED' },
      { state: 'SKIPPED', skipReason: 'STOPPED' },
      { state: layout === 'rows by position' ? 'DEFERRED' : 'HANDING_OVER' },
    ]);
    await control.intoLayout(layout, campaignId);
  });
  afterAll(() => control.fixture.close());

  const list = (change: object = {}, tenant: Tenant = control.fixture.tenant) =>
    control.fixture.harness.data<Page>('list_campaign_recipients', { campaignId, ...change }, tenant);
  const outcomes = ({ recipients }: Page) => recipients.map(({ status, reason }) => `${status} ${reason}`);

  it('counts all recipients by status and reason, on the first page', async () => {
    const page = await list({ limit: 4 });
    expect(page.recipients).toHaveLength(4);
    expect(page.counts).toEqual({
      DELIVERED: { NONE: 2 },
      SENT: { NONE: 1 },
      BOUNCED: { NONE: 1 },
      FAILED: { MAILBOX_FULL: 2, NO_SUCH_USER: 1 },
      SKIPPED: { UNSUBSCRIBED: 1, STOPPED: 1 },
      PENDING: layout === 'rows by position' ? { TRANSIENT: 1 } : { NONE: 1 },
    });
    expect(page.pending).toBe(3);
  });

  it('lists every recipient once over the pages', async () => {
    const all: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await list({ limit: 3, ...(cursor && { cursor }) });
      expect(page.counts === null).toBe(cursor !== '');
      all.push(...page.recipients.map(({ subscriberId }) => subscriberId));
      cursor = page.nextCursor;
    }
    expect(all).toHaveLength(10);
    expect(new Set(all).size).toBe(10);
  });

  if (layout === 'rows by position')
    it('continues at a cursor of the earlier form, which names a subscriber', async () => {
      const [, second, third] = (await list({ limit: 3 })).recipients;
      const next = await list({ cursor: second!.subscriberId, limit: 1 });
      expect(next.recipients).toEqual([third]);
    });

  it('narrows by status, by reason and by a part of the address', async () => {
    expect(outcomes(await list({ statuses: ['SENT', 'SKIPPED'] })).sort()).toEqual([
      'SENT null',
      'SKIPPED STOPPED',
      'SKIPPED UNSUBSCRIBED',
    ]);
    expect(outcomes(await list({ reason: 'MAILBOX_FULL' }))).toEqual(['FAILED MAILBOX_FULL', 'FAILED MAILBOX_FULL']);
    expect(outcomes(await list({ reason: 'STOPPED' }))).toEqual(['SKIPPED STOPPED']);
    expect(outcomes(await list({ reason: 'CONTENT' }))).toEqual([]);
    const named = await list({ query: 'ADA' });
    expect(named.recipients.map(({ email }) => email).sort()).toEqual(['Ada@example.com', 'adam@example.com']);
    expect(outcomes(await list({ query: 'ada', reason: 'MAILBOX_FULL' }))).toEqual(['FAILED MAILBOX_FULL']);
    expect((await list({ query: '_da' })).recipients).toEqual([]);
  });

  it('turns pages of a reason', async () => {
    const first = await list({ reason: 'MAILBOX_FULL', limit: 1 });
    const second = await list({ reason: 'MAILBOX_FULL', limit: 1, cursor: first.nextCursor! });
    expect([outcomes(first), outcomes(second)]).toEqual([['FAILED MAILBOX_FULL'], ['FAILED MAILBOX_FULL']]);
    expect(second.nextCursor).toBeNull();
  });

  it('has no recipients before the campaign is sent', async () => {
    const { id } = await control.fixture.draft();
    expect(await list({ campaignId: id })).toEqual({ recipients: [], counts: {}, pending: 0, nextCursor: null });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const refusal = (input: object, tenant: Tenant) =>
      control.fixture.harness.refusal('list_campaign_recipients', input, tenant);
    expect(await refusal({ campaignId }, control.fixture.otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ campaignId: newId('cmp') }, control.fixture.tenant)).toBe('CAMPAIGN_NOT_FOUND');
  });
});
