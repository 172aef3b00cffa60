import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { deadLetter, organization } from '../dead-letters.js';

interface Page {
  deadLetters: { id: string; service: string }[];
  total: number;
  unavailable: string[];
  nextCursor: string | null;
}

describe('list_dead_letters', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  const ids: string[] = [];
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    for (const service of ['subscriber', 'workflow', 'domain'] as const)
      ids.push(await deadLetter(harness, tenant, { service, email: `${service}@example.com` }));
  });
  afterAll(() => harness.stop());
  const list = (asked: object = {}, by = tenant) => harness.data<Page>('list_dead_letters', asked, by);

  it('lists those of every service, the oldest first, at once and page by page', async () => {
    const all = await list();
    expect(all).toMatchObject({ total: 3, unavailable: [], nextCursor: null });
    expect(all.deadLetters.map(({ id }) => id)).toEqual(ids);
    expect(all.deadLetters[0]).toEqual({
      id: ids[0],
      service: 'subscriber',
      event: 'message.complained',
      error: 'Error: no room',
      attempts: 5,
      failedAt: expect.stringMatching(/Z$/),
    });
    const paged: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page = await list({ limit: 1, ...(cursor && { cursor }) });
      paged.push(...page.deadLetters.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(ids);
  });

  it('narrows to a service and to an event', async () => {
    expect(await list({ service: 'workflow' })).toMatchObject({ total: 1, deadLetters: [{ service: 'workflow' }] });
    expect(await list({ event: 'message.bounced' })).toMatchObject({ total: 0, deadLetters: [] });
  });

  it('shows none of another organization, and refuses a wrong cursor', async () => {
    expect(await list({}, otherTenant)).toMatchObject({ total: 0, deadLetters: [] });
    expect(await harness.refusal('list_dead_letters', { cursor: 'x' }, tenant)).toBe('PARAMETERS_INVALID');
  });
});
