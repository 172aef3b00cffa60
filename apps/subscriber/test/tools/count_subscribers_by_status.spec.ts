import { beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

describe('count_subscribers_by_status', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  const count = (input: object, by = tenant) => harness.data('count_subscribers_by_status', input, by);
  const none = { PENDING_CONFIRMATION: 0, BOUNCED: 0, BANNED: 0, COMPLAINED: 0, TRANSACTIONAL: 0 };
  beforeAll(async () => {
    tenant = await organization(harness);
    for (const name of ['a', 'b', 'c']) await person(harness, tenant, { email: `${name}@example.com` });
    await harness.data('unsubscribe', { email: 'c@example.com' }, tenant);
  });

  it('counts all seven statuses, or one', async () => {
    expect(await count({})).toEqual({ counts: { ...none, SUBSCRIBED: 2, UNSUBSCRIBED: 1 }, total: 3 });
    expect(await count({ status: 'unsubscribed' })).toEqual({ counts: { UNSUBSCRIBED: 1 }, total: 1 });
    expect(await harness.refusal('count_subscribers_by_status', { status: 'GONE' }, tenant)).toBe('PARAMETERS_INVALID');
  });

  it('counts no subscriber of another organization', async () => {
    const counts = { ...none, SUBSCRIBED: 0, UNSUBSCRIBED: 0 };
    expect(await count({}, await organization(harness))).toEqual({ counts, total: 0 });
  });
});
