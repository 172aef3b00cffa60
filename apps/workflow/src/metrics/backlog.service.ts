import type { Registry } from 'prom-client';
import { observedGauges } from '#observability';
import type { BacklogRepository } from './backlog.repository.js';

/** Serves what waits to be done for runs. */
export function observeBacklog(registry: Registry, backlog: BacklogRepository): void {
  observedGauges(
    registry,
    {
      tidings_runs_due: 'Runs of workflows whose time has come and that nobody took, at most 12800',
      tidings_timer_lateness_seconds: 'How long the first of the runs that are due has waited',
      tidings_starts_waiting: 'Starts of runs that are not decided, at most 10000',
      tidings_enrolments_open: 'Enrolments of whole audiences under way',
      tidings_enrolments_failed: 'Enrolments of whole audiences that failed within the last day',
      tidings_workflows_paused: 'Workflows that the system paused, because workflows start each other',
    },
    async () => {
      const { runsDue, latenessSeconds, starts, enrolments, enrolmentsFailed, pausedBySystem } = await backlog.get();
      return {
        tidings_runs_due: runsDue,
        tidings_timer_lateness_seconds: latenessSeconds,
        tidings_starts_waiting: starts,
        tidings_enrolments_open: enrolments,
        tidings_enrolments_failed: enrolmentsFailed,
        tidings_workflows_paused: pausedBySystem,
      };
    },
  );
}

/** Serves since when each loop of the engine has finished nothing, in this process. */
export function observeLoops(registry: Registry, loops: ReadonlyMap<string, { silence: number }>): void {
  const gauges = {
    tidings_loop_silence_seconds: { help: 'Time since a step of this loop of the engine ended', label: 'loop' },
  };
  observedGauges(registry, gauges, () =>
    Promise.resolve({
      tidings_loop_silence_seconds: new Map([...loops].map(([name, { silence }]) => [name, silence])),
    }),
  );
}
