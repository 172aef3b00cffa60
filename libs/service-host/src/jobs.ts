import { IdleBackoff } from '#concurrency';
import type { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from '#observability';
import type { CallContexts } from './call-context.js';
import type { Job } from './service-plan.js';

interface JobDependencies {
  contexts: Pick<CallContexts, 'onCommit'>;
  log: Logger;
}

/** Runs jobs on their intervals; stopping waits for running ones. */
export function runJobs(
  registry: SchedulerRegistry,
  jobs: readonly Job[],
  { contexts, log }: JobDependencies,
): { stop(): Promise<void> } {
  const underWay = new Map<string, Promise<unknown>>();
  let stopping = false;
  for (const job of jobs) {
    const { name, everyMs, restMs = everyMs } = job;
    const rest = () => {
      if (stopping || underWay.has(name)) return;
      registry.deleteTimeout(name);
      registry.addTimeout(name, setTimeout(run, backoff.remainingMs));
    };
    const run = () => {
      const done = backoff
        .poll(async () => {
          let did = await job.run();
          while (job.untilNone && did && !stopping) did = await job.run();
          return did ?? 1;
        })
        .catch((error: unknown) => log.warn({ err: error, job: name }, 'job failed; it runs again'))
        .finally(() => {
          underWay.delete(name);
          rest();
        });
      underWay.set(name, done);
    };
    const backoff = new IdleBackoff(contexts, { minMs: everyMs, maxMs: restMs }, rest);
    registry.addTimeout(name, setTimeout(run, everyMs));
  }
  return {
    stop: async () => {
      stopping = true;
      for (const { name } of jobs) registry.deleteTimeout(name);
      await Promise.all(underWay.values());
    },
  };
}
