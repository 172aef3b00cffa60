import type { Registry } from 'prom-client';
import { observedGauges } from '#observability';
import type { BacklogRepository } from './backlog.repository.js';

export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  observedGauges(
    registry,
    {
      tidings_runs_due: 'Due workflow runs not yet claimed (capped at 12,800)',
      tidings_timer_delay_seconds: 'Delay of the oldest due run',
      tidings_enrolments_pending: 'Enrolments not yet decided (capped at 10,000)',
      tidings_enrolment_jobs_pending: 'Enrolment jobs that have not ended',
      tidings_enrolments_failed: 'Enrolment jobs that failed within the last day',
      tidings_workflows_paused: 'Workflows that the system paused because they start each other',
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
