import { describe, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { createLogger } from '#observability';
import { until } from '#testing';
import { runJobs } from './jobs.js';
import type { Job } from './service-plan.js';

const parts = { contexts: { onCommit: () => undefined }, log: createLogger('spec', 'silent') };

describe('a job that forgets what is old, a part at a time', () => {
  const sweep = (left: number): { job: Job; left: () => number } => ({
    job: {
      name: 'forget',
      everyMs: 10,
      restMs: 3_600_000,
      untilNone: true,
      run: () => Promise.resolve(left > 0 ? [left--].length : 0),
    },
    left: () => left,
  });

  it('goes on until nothing is left: what comes faster than a part each time would grow without end', async () => {
    const { job, left } = sweep(1_000);
    // It would take an hour to the next run.
    const jobs = runJobs(new SchedulerRegistry(), [job], parts);
    await until('everything is forgotten', () => left() === 0, 5_000);
    await jobs.stop();
  });

  it('leaves the rest to another time when its process stops', async () => {
    const { job, left } = sweep(Number.POSITIVE_INFINITY);
    const slow: Job = { ...job, run: () => new Promise((resolve) => setTimeout(() => resolve(1), 5)) };
    const jobs = runJobs(new SchedulerRegistry(), [slow], parts);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await jobs.stop();
    expect(left()).toBe(Number.POSITIVE_INFINITY);
  });
});
