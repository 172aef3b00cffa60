import type { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from '#observability';
import type { Job } from './service-plan.js';

/** Runs jobs on their intervals; stopping waits for those under way. */
export function runJobs(registry: SchedulerRegistry, jobs: readonly Job[], log: Logger): { stop(): Promise<void> } {
  const underWay = new Map<string, Promise<void>>();
  for (const job of jobs) {
    const run = () => {
      if (underWay.has(job.name)) return;
      const done = job
        .run()
        .catch((error: unknown) => log.warn({ err: error, job: job.name }, 'job failed; it runs again'))
        .finally(() => underWay.delete(job.name));
      underWay.set(job.name, done);
    };
    registry.addInterval(job.name, setInterval(run, job.everyMs));
  }
  return {
    stop: async () => {
      for (const { name } of jobs) registry.deleteInterval(name);
      await Promise.all(underWay.values());
    },
  };
}
