import type { CallContexts } from '#service-host';
import { done } from '../loop/work-item.js';
import type { WorkItem } from '../loop/work-item.js';
import { RunRepository } from '../store/run.repository.js';
import { cancelSome } from './workflow-lifecycle.service.js';
import { WorkflowRepository } from '../store/workflow.repository.js';

/** Held timers released per transaction, so that the end of a long pause causes no burst. */
const releasedAtOnce = 1_000;

/** Applies a workflow's status change to its runs, in bounded portions in the background. */
export class StatusChangeWorker {
  constructor(private readonly parts: { contexts: CallContexts }) {}

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
        // A process that read the former status may still act on it for a moment.
        if (swept === 0 && settled) await new WorkflowRepository(manager).updateSweep(organizationId, id, null);
        return swept;
      });
      runs += count;
    }
    return done(runs);
  }
}
