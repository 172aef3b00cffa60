import type { Logger } from '#observability';
import type { CallContexts } from '#service-host';
import { ToolError } from '#tool-call';
import { startsAnHourMax } from '../../rules/enrolment.js';
import { done } from '../loop/work-item.js';
import type { WorkItem } from '../loop/work-item.js';
import { changeStatus } from './workflow-lifecycle.service.js';
import { PauseRequestRepository } from '../store/pause-request.repository.js';
import { describeCycle, findStartCycle } from '../../rules/start-cycle.js';
import { WorkflowRepository } from '../store/workflow.repository.js';

interface Dependencies {
  contexts: CallContexts;
  log: Logger;
}

/**
 * Pauses workflows that exceeded the limit of starts for a subscriber and are on a cycle of workflows that start each
 * other. The enrolment that detects it only inserts a request: it holds a shared lock on the workflow, and two
 * enrolments that changed the row would deadlock. A workflow on no cycle stays ACTIVE; its starts over the limit are
 * skipped as LOOP.
 */
export class CyclePauseWorker {
  constructor(private readonly parts: Dependencies) {}

  async claim(): Promise<WorkItem[]> {
    const { contexts } = this.parts;
    const requests = await new PauseRequestRepository(contexts.plain().manager).listWorkflows();
    for (const { organizationId, workflowId } of requests) await this.#pause(organizationId, workflowId);
    return done(requests.length);
  }

  async #pause(organizationId: string, workflowId: string): Promise<void> {
    const { contexts, log } = this.parts;
    const paused = await contexts.transaction(async ({ manager, outbox }) => {
      const workflows = new WorkflowRepository(manager);
      // Deletion takes the requests of a workflow along only by this.
      const found = await workflows.get(organizationId, workflowId, { lock: true }).catch((error: unknown) => {
        if (error instanceof ToolError) return null;
        throw error;
      });
      // The lock excludes concurrent enrolments, which could add another request for this pause.
      const [subscriberId] = await new PauseRequestRepository(manager).deleteOfWorkflow(organizationId, workflowId);
      if (found?.workflow.status !== 'ACTIVE') return null;
      const starting = await workflows.listStarting(organizationId);
      const own = starting.find(({ id }) => id === workflowId);
      const cycle = own ? findStartCycle(own, starting) : null;
      if (cycle === null) return null;
      const reason = `it was started for one subscriber more than ${startsAnHourMax} times within an hour, because ${describeCycle(cycle)} again. Break this cycle before you set it ACTIVE.`;
      await changeStatus({ manager, outbox }, found.workflow, 'PAUSED', { organizationId, now: new Date() }, reason);
      return { subscriberId, reason };
    });
    if (paused) log.warn({ organization: organizationId, workflow: workflowId, ...paused }, 'workflow paused');
    else log.info({ organization: organizationId, workflow: workflowId }, 'workflow is on no cycle and continues');
  }
}
