import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization } from '../dead-letters.js';

interface Retention {
  retention: { data: string; period: number | null; installation: number | null; min: number; deletesNow: number }[];
}

describe('set_retention', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());

  const periods = ({ retention }: Retention) =>
    Object.fromEntries(retention.flatMap(({ data, period }) => (period === null ? [] : [[data, period]])));

  it('asks with the new periods and what goes, sets them, keeps others, and takes them away by null', async () => {
    expect(await harness.describe('set_retention', { messages: 6, runs: null }, tenant)).toMatchObject({
      data: {
        action: 'Set the retention',
        message:
          'Keeps messages 6 months, runs as long as the installation. 0 rows are deleted in the next night, and cannot be restored.',
      },
    });
    expect(periods(await harness.data('set_retention', { messages: 6 }, tenant))).toEqual({ messages: 6 });
    expect(periods(await harness.data('set_retention', { runs: 13 }, tenant))).toEqual({ messages: 6, runs: 13 });
    expect(periods(await harness.data('set_retention', { messages: null, runs: 1 }, tenant))).toEqual({ runs: 1 });
  });

  it('leaves the periods of other organizations', async () => {
    await harness.data('set_retention', { subscriberEvents: 2 }, tenant);
    expect(periods(await harness.data('get_retention', {}, otherTenant))).toEqual({});
  });

  it.each([
    ['under the least', { messages: 2 }],
    ["over the installation's", { messages: 26 }],
    ["over the installation's, with others", { runs: 1, subscriberEvents: 60 }],
  ])('refuses a period %s with RETENTION_RANGE, and changes none', async (_what, change) => {
    const before = await harness.data('get_retention', {}, tenant);
    expect(await harness.refusal('set_retention', change, tenant)).toBe('RETENTION_RANGE');
    expect(await harness.describe('set_retention', change, tenant)).toMatchObject({ ok: false });
    expect(await harness.data('get_retention', {}, tenant)).toEqual(before);
  });

  it('refuses a call without a period with NOTHING_TO_CHANGE', async () => {
    expect(await harness.refusal('set_retention', {}, tenant)).toBe('NOTHING_TO_CHANGE');
  });
});
