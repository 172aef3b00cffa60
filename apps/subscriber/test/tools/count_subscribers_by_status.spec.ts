import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';

describe('count_subscribers_by_status', () => {
  let tidings: Harness;
  let ours: Tenant;
  const count = (input: object, tenant = ours) => tidings.data('count_subscribers_by_status', input, tenant);
  const none = { PENDING_CONFIRMATION: 0, BOUNCED: 0, BANNED: 0, COMPLAINED: 0, TRANSACTIONAL: 0 };
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    for (const name of ['a', 'b', 'c']) await person(tidings, ours, { email: `${name}@example.com` });
    await tidings.data('unsubscribe', { email: 'c@example.com' }, ours);
  });
  afterAll(() => tidings.stop());

  it('counts all seven statuses, or one', async () => {
    expect(await count({})).toEqual({ counts: { ...none, SUBSCRIBED: 2, UNSUBSCRIBED: 1 }, total: 3 });
    expect(await count({ status: 'unsubscribed' })).toEqual({ counts: { UNSUBSCRIBED: 1 }, total: 1 });
    expect(await tidings.refusal('count_subscribers_by_status', { status: 'GONE' }, ours)).toBe('PARAMETERS_INVALID');
  });

  it('counts nobody of another organization', async () => {
    const counts = { ...none, SUBSCRIBED: 0, UNSUBSCRIBED: 0 };
    expect(await count({}, await organization(tidings))).toEqual({ counts, total: 0 });
  });
});
