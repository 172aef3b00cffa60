import type { CallContexts } from '#service-host';
import { done } from '../loop/work-item.js';
import type { WorkItem } from '../loop/work-item.js';
import { RunRepository } from '../store/run.repository.js';
import { cancelSome } from './workflow-lifecycle.service.js';
import { WorkflowRepository } from '../store/workflow.repository.js';

/** So many held timers are given back at a time, so that a long pause ends without a rush. */
const releasedAtOnce = 1_000;

/** What follows a change of a workflow's status for many runs: bit by bit, in the background. */
export class StatusChangeWorker {
  constructor(private readonly parts: { contexts: CallContexts }) {}

  /** Gives back or ends some runs. */
  async claim(): Promise<WorkItem[]> {
    const { contexts } = this.parts;
    let runs = 0;
    for (const { organizationId, id, sweep, settled } of await new WorkflowRepository(
      contexts.plain().manager,
    ).listSwept()) {
      const count = await contexts.transaction(async ({ manager, outbox }) => {
        const swept =
          sweep === 'CANCEL'
            ? await cancelSome({ manager, outbox }, organizationId, id)
            : await new RunRepository(manager).release(organizationId, id, releasedAtOnce);
        // Whoever read the former status may still act on it for a moment.
        if (swept === 0 && settled) await new WorkflowRepository(manager).updateSweep(organizationId, id, null);
        return swept;
      });
      runs += count;
    }
    return done(runs);
  }
}
