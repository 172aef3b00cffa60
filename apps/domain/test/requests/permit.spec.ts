import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { domainRequests } from '#contracts';
import { newId, uuidOf } from '#database';
import { PermitRepository, takeSql } from '../../src/rate-limit/permit.repository.js';
import { Harness } from '../../../../test/harness/harness.js';

describe('permits', () => {
  let harness: Harness;
  let pools: DataSource[];
  beforeAll(async () => {
    harness = await Harness.start();
    const { options } = harness.dataSource('domain');
    pools = await Promise.all([1, 2].map(() => new DataSource({ ...options, poolSize: 8 } as never).initialize()));
  });
  afterAll(async () => {
    for (const pool of pools) await pool.destroy();
    await harness.stop();
  });

  /** The same statement at a given second. */
  const at = (second: number) =>
    new PermitRepository(harness.dataSource('domain').manager, takeSql(`to_timestamp(${second})`));
  const one = async (second: number, organizationId: string, count: number, limit: number) =>
    (await at(second).take([{ organizationId, count, limit }]))[0]!;

  it('grant exactly the limit to 50 callers over two pools, and again once the window has passed', async () => {
    const organizationId = newId('org');
    const limit = 700;
    const hammer = async () => {
      let granted = 0;
      const callers = Array.from({ length: 50 }, async (_, i) => {
        const permits = new PermitRepository(pools[i % 2]!.manager);
        for (let n = 0; n < 10; n++) {
          const [grant] = await permits.take([{ organizationId, limit, count: 1 + ((i + n) % 3) }]);
          granted += grant!.granted;
        }
      });
      await Promise.all(callers);
      return granted;
    };
    expect(await hammer()).toBe(limit);
    await harness
      .dataSource('domain')
      .query(`update rate_ring set head = head - 61 where organization_id = $1`, [uuidOf('org', organizationId)]);
    expect(await hammer()).toBe(limit);
  });

  it('never exceed the limit in any 60 seconds, and refuse only for calls of the last 61 seconds', async () => {
    const organizationId = newId('org');
    const limit = 100;
    const calls: { second: number; granted: number }[] = [];
    let seed = 7;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    for (let second = 1_000_000.5; second < 1_000_400; second += random() ** 4 * 20) {
      const count = 1 + Math.floor(random() * 12);
      const { granted, remaining, resetAt } = await one(second, organizationId, count, limit);
      const within = (span: number) =>
        calls.filter((call) => call.second > second - span).reduce((sum, call) => sum + call.granted, 0);
      const counted = calls.filter((call) => Math.floor(call.second) >= Math.floor(second) - 60);
      calls.push({ second, granted });
      expect(within(60)).toBeLessThanOrEqual(limit);
      if (granted < count) expect(within(61)).toBeGreaterThanOrEqual(limit);
      expect(remaining).toBe(limit - counted.reduce((sum, call) => sum + call.granted, granted));
      const oldest = [...counted, { second, granted }].find((call) => call.granted > 0)!;
      expect(resetAt).toBe(Math.floor(oldest.second) + 61);
    }
    expect(calls.filter(({ granted }) => granted === 0).length).toBeGreaterThan(10);
  });

  it('given back are there again, and only while their second counts', async () => {
    const organizationId = newId('org');
    const first = await one(5000.25, organizationId, 7, 10);
    expect(first).toMatchObject({ second: 5000, secondEndsInMs: 750 });
    await at(5003).giveBack([{ organizationId, second: first.second, count: 4 }]);
    expect(await one(5003, organizationId, 9, 10)).toMatchObject({ granted: 7, remaining: 0 });
    expect(await one(5061, organizationId, 1, 10)).toMatchObject({ granted: 1, remaining: 2 });
    await at(5062).giveBack([{ organizationId, second: first.second, count: 3 }]);
    expect(await one(5062, organizationId, 9, 10)).toMatchObject({ granted: 2, remaining: 0 });
  });

  it('grant a part of the request, and return when the oldest call expires', async () => {
    const organizationId = newId('org');
    expect(await one(5000, organizationId, 7, 10)).toMatchObject({ granted: 7, remaining: 3, resetAt: 5061 });
    expect(await one(5030, organizationId, 7, 10)).toMatchObject({ granted: 3, remaining: 0, resetAt: 5061 });
    expect(await one(5060, organizationId, 7, 10)).toMatchObject({ granted: 0, remaining: 0, resetAt: 5061 });
    expect(await one(5061, organizationId, 2, 10)).toMatchObject({ granted: 2, remaining: 5, resetAt: 5091 });
    expect(await one(9000, organizationId, 99, 10)).toMatchObject({ granted: 10, remaining: 0, resetAt: 9061 });
  });

  it('follow a limit that is changed, at once', async () => {
    const organizationId = newId('org');
    expect(await one(5000, organizationId, 10, 10)).toMatchObject({ granted: 10 });
    expect(await one(5001, organizationId, 3, 12)).toMatchObject({ granted: 2, remaining: 0 });
    expect(await one(5002, organizationId, 1, 5)).toMatchObject({ granted: 0, remaining: 0 });
  });

  it('bear a clock that is set back: a little counts on, a lot starts from there', async () => {
    const organizationId = newId('org');
    expect(await one(9000, organizationId, 6, 10)).toMatchObject({ granted: 6 });
    expect(await one(8990, organizationId, 6, 10)).toMatchObject({ granted: 4 });
    expect(await one(1000, organizationId, 1, 10)).toMatchObject({ granted: 0, resetAt: 1061 });
    expect(await one(1061, organizationId, 1, 10)).toMatchObject({ granted: 1 });
  });

  it('are taken for many organizations in one request, repeated ones too', async () => {
    const [a, b] = [newId('org'), newId('org')];
    const takes = [
      { organizationId: b, limit: 3, count: 2 },
      { organizationId: a, limit: 5, count: 1 },
      { organizationId: b, limit: 3, count: 2 },
    ];
    const caller = harness.caller({ organizationId: '' });
    const before = Math.floor(Date.now() / 1000);
    const { grants } = await harness.client(domainRequests).take_permits({ takes }, caller);
    const after = Math.floor(Date.now() / 1000);
    expect(grants.map(({ organizationId, granted, remaining }) => [organizationId, granted, remaining])).toEqual([
      [b, 2, 0],
      [a, 1, 4],
      [b, 1, 0],
    ]);
    for (const { resetAt } of grants) {
      expect(resetAt).toBeGreaterThanOrEqual(before + 61);
      expect(resetAt).toBeLessThanOrEqual(after + 61);
    }
  });

  it('do not deadlock when requests name the same organizations in other orders', async () => {
    const organizations = Array.from({ length: 20 }, () => newId('org'));
    const requests = harness.client(domainRequests);
    const take = async (i: number) => {
      const takes = organizations.map((organizationId) => ({ organizationId, limit: 1_000_000, count: 1 }));
      if (i % 2) takes.reverse();
      await requests.take_permits({ takes }, harness.caller({ organizationId: '' }));
    };
    await Promise.all(Array.from({ length: 100 }, (_, i) => take(i)));
    const rows: { n: number }[] = await harness
      .dataSource('domain')
      .query(`select slots[1] + slots[2] + slots[3] as n from rate_ring where organization_id = any($1)`, [
        organizations.map((id) => uuidOf('org', id)),
      ]);
    expect(rows.map(({ n }) => n)).toEqual(organizations.map(() => 100));
  });
});
