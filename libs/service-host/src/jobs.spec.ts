import { describe, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { createLogger } from '#observability';
import { until } from '#testing';
import { runJobs } from './jobs.js';
import type { Job } from './service-plan.js';

const parts = { contexts: { onCommit: () => undefined }, log: createLogger('spec', 'silent') };

describe('a job that deletes old rows in batches', () => {
  it('goes on until nothing is left: what comes faster than a part each time would grow without end', async () => {
    let left = 1_000;
    const job: Job = {
      // It would take an hour to the next run.
      name: 'forget',
      everyMs: 10,
      restMs: 3_600_000,
      untilNone: true,
      run: () => Promise.resolve(left > 0 ? [left--].length : 0),
    };
    const jobs = runJobs(new SchedulerRegistry(), [job], parts);
    await until('everything is forgotten', () => left === 0);
    await jobs.stop();
  });

  it('leaves the rest to another time when its process stops', async () => {
    let runs = 0;
    let goOn: (did: number) => void = () => undefined;
    const job: Job = {
      name: 'forget',
      everyMs: 10,
      untilNone: true,
      run: () => {
        runs += 1;
        return new Promise<number>((resolve) => (goOn = resolve));
      },
    };
    const jobs = runJobs(new SchedulerRegistry(), [job], parts);
    await until('the job runs', () => runs > 0);
    const stopped = jobs.stop();
    goOn(1);
    await stopped;
    expect(runs).toBe(1);
  });
});
