import type { Registry } from 'prom-client';
import { observedGauges } from '#observability';
import type { BacklogRepository } from './backlog.repository.js';

/** Serves what waits to be done for runs. */
export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  observedGauges(
    registry,
    {
      tidings_runs_due: 'Runs of workflows whose time has come and that nobody took, at most 12800',
      tidings_timer_delay_seconds: 'How long the first of the runs that are due has waited',
      tidings_enrolments_pending: 'Starts of runs that are not decided, at most 10000',
      tidings_enrolment_jobs_pending: 'Enrolments of whole audiences under way',
      tidings_enrolments_failed: 'Enrolments of whole audiences that failed within the last day',
      tidings_workflows_paused: 'Workflows that the system paused, because workflows start each other',
    },
    async () => {
      const { runsDue, latenessSeconds, starts, enrolments, enrolmentsFailed, pausedBySystem } = await backlog.get();
      return {
        tidings_runs_due: runsDue,
        tidings_timer_delay_seconds: latenessSeconds,
        tidings_enrolments_pending: starts,
        tidings_enrolment_jobs_pending: enrolments,
        tidings_enrolments_failed: enrolmentsFailed,
        tidings_workflows_paused: pausedBySystem,
      };
    },
  );
}

/** Serves since when each loop of the engine has finished nothing, in this process. */
export function observeLoops(registry: Registry, loops: ReadonlyMap<string, { secondsSinceProgress: number }>): void {
  const gauges = {
    tidings_worker_seconds_since_progress: {
      help: 'Seconds since this worker last finished a work item',
      label: 'worker',
    },
  };
  observedGauges(registry, gauges, () =>
    Promise.resolve({
      tidings_worker_seconds_since_progress: new Map(
        [...loops].map(([name, { secondsSinceProgress: silence }]) => [name, silence]),
      ),
    }),
  );
}
