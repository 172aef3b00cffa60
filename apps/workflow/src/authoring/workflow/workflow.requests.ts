import { workflowRequests } from '#contracts';
import { implement } from '#tool-call';
import type { WorkflowRepository } from '../../engine/store/workflow.repository.js';

export const implementWorkflowRequests = ({ workflows }: { workflows: WorkflowRepository }) =>
  implement(workflowRequests, {
    find_workflows: async (asked, { organizationId }) => ({
      workflows: await workflows.listNamed(organizationId, asked),
    }),

    list_filter_users: async ({ references }, { organizationId }) => ({
      users: await workflows.listActiveNaming(
        organizationId,
        references.map((reference) => reference.slice(reference.indexOf(':') + 1)),
      ),
    }),

    get_workflow_totals: async (_args, { organizationId }) => ({ workflows: await workflows.count(organizationId) }),
  });
