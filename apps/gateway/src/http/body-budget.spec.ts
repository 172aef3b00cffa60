import { describe, expect, it } from '@jest/globals';
import { announcedBytes, BodyBudget } from './body-budget.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const megabytes = (n: number) => ({ 'content-length': String(n * 1024 * 1024) });

describe('the budget of bodies', () => {
  it('counts what a request announces, and the most for one that does not say', () => {
    expect(announcedBytes({})).toBe(0);
    expect(announcedBytes({ 'content-length': '12' })).toBe(12);
    expect(announcedBytes({ 'transfer-encoding': 'chunked' })).toBe(5 * 1024 * 1024);
  });

  it('reads one large body of an organization at a time, and those of others and small ones beside them', async () => {
    const budget = new BodyBudget();
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const start = (organizationId: string, headers: Record<string, string>) =>
      budget.run(organizationId, headers, async () => {
        begun.push(organizationId);
        await new Promise<void>((end) => ends.push(end));
      });
    const imports = Array.from({ length: 60 }, () => start('org_a', megabytes(4.6)));
    await settled();
    expect(begun).toEqual(['org_a']);
    const others = [start('org_b', megabytes(4.6)), start('org_a', { 'content-length': '900' })];
    await settled();
    expect(begun.slice(1).sort()).toEqual(['org_a', 'org_b']);
    while (begun.length < 62 || ends.length > 0) {
      for (const end of ends.splice(0)) end();
      await settled();
    }
    await Promise.all([...imports, ...others]);
  });

  it('refuses a body whose turn does not come in time with SERVICE_UNAVAILABLE', async () => {
    let now = 0;
    const budget = new BodyBudget(() => now);
    let end = () => undefined as void;
    const first = budget.run('org_a', megabytes(12), () => new Promise<void>((resolve) => (end = resolve)));
    const late = budget.run('org_a', megabytes(1), () => 'read');
    await settled();
    now += 20_001;
    end();
    await first;
    await expect(late).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
  });
});
