import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { failedChecks, observeReadiness } from './health-server.js';

describe('a check of readiness that never answers', () => {
  // A database whose machine is gone: nothing comes back, not even a refusal.
  const checks = { bus: () => true, database: () => new Promise<boolean>(() => undefined) };

  it('has failed before the probe that asks gives up', async () => {
    // Timers go off in their order, however late all of them are.
    // oxlint-disable-next-line tidings/fixed-waits -- the time limit that is tested
    const probe = pause(2_900, 'gave up', { ref: false });
    expect(await Promise.race([failedChecks(checks), probe])).toEqual(['database']);
  });

  it('shows as failed in the metrics, and hides none of the others', async () => {
    const registry = new Registry();
    observeReadiness(registry, checks);
    const metrics = await registry.metrics();
    expect(metrics).toContain('tidings_ready{check="bus"} 1');
    expect(metrics).toContain('tidings_ready{check="database"} 0');
  });
});
