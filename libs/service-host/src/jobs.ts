import type { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from '#observability';
import type { CallContexts } from './call-context.js';
import { Lull } from './lull.js';
import type { Job } from './service-plan.js';

interface JobParts {
  contexts: Pick<CallContexts, 'commits'>;
  log: Logger;
}

/** Runs jobs on their intervals; stopping waits for those under way. */
export function runJobs(
  registry: SchedulerRegistry,
  jobs: readonly Job[],
  { contexts, log }: JobParts,
): { stop(): Promise<void> } {
  const underWay = new Map<string, Promise<unknown>>();
  for (const job of jobs) {
    const lull = new Lull(contexts, job.restMs ?? 0);
    const run = () => {
      if (underWay.has(job.name) || !lull.over) return;
      const done = lull
        .look(async () => (await job.run()) ?? 1)
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
