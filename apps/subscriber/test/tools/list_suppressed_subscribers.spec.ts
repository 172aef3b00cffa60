import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { bounce, inState } from '../message-event-fixture.js';
import { organization } from '../subscriber-fixture.js';

interface Page {
  suppressed: { subscriber: { email: string; status: string }; event: Record<string, unknown> | null }[];
  total: number;
  pageCount: number;
}

describe('list_suppressed_subscribers', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const list = (input: object = {}, by = tenant) => harness.data<Page>('list_suppressed_subscribers', input, by);
  const emails = async (input: object) => (await list(input)).suppressed.map(({ subscriber }) => subscriber.email);
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    await inState(harness, otherTenant, { email: 'foreign@example.com', status: 'BOUNCED' });
    for (const status of ['BOUNCED', 'COMPLAINED', 'BANNED', 'UNSUBSCRIBED', 'SUBSCRIBED'] as const)
      await inState(harness, tenant, { email: `${status}@example.com`, status });
    const again = await inState(harness, tenant, { email: 'newest@example.com', status: 'SUBSCRIBED' });
    await bounce(harness, tenant, again, { bounceCategory: 'INTERNAL', reason: '550 disabled' });
  });

  it('shows bounced and complained people, most recently suppressed first, with what did it', async () => {
    const { suppressed, total, pageCount } = await list();
    expect(suppressed.map(({ subscriber }) => subscriber.email)).toEqual([
      ...['newest@example.com', 'COMPLAINED@example.com', 'BOUNCED@example.com'],
    ]);
    expect({ total, pageCount }).toEqual({ total: 3, pageCount: 1 });
    expect(suppressed[0]!.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'EMAIL_BOUNCED',
      createdAt: expect.stringMatching(/Z$/),
      bounceType: 'HARD',
      bounceCategory: 'INTERNAL',
      reason: '550 disabled',
      provider: 'example.com',
      complaintFeedbackType: null,
    });
    expect(suppressed[1]!.event).toMatchObject({
      type: 'EMAIL_COMPLAINED',
      complaintFeedbackType: 'abuse',
      bounceType: null,
    });
  });

  it('narrows by status and pages', async () => {
    expect(await emails({ status: 'complained' })).toEqual(['COMPLAINED@example.com']);
    expect(await emails({ status: 'BOUNCED' })).toEqual(['newest@example.com', 'BOUNCED@example.com']);
    expect(await emails({ page: 2, pageSize: 2 })).toEqual(['BOUNCED@example.com']);
    expect(await list({ page: 9, pageSize: 2 })).toMatchObject({ suppressed: [], total: 3, pageCount: 2 });
  });

  it('refuses other statuses, pages below 1 and sizes over 100', async () => {
    for (const input of [{ status: 'BANNED' }, { page: 0 }, { pageSize: 0 }, { pageSize: 101 }])
      expect(await harness.refusal('list_suppressed_subscribers', input, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('keeps organizations apart', async () => {
    expect(await list({}, otherTenant)).toMatchObject({
      total: 1,
      suppressed: [{ subscriber: { email: 'foreign@example.com' } }],
    });
  });
});
