import { workflowTools } from '#contracts';
import type { ServiceBus } from '#bus';
import type { PublicFetcher } from '#public-fetch';
import type { CallContext } from '#service-host';
import { assertFresh, implement } from '#tool-call';
import type { Caller } from '#tool-call';
import { assertValid } from '../../rules/draft/draft.js';
import type { GivenDraft } from '../../rules/draft/draft.js';
import { DraftReader } from '../draft/draft-reader.service.js';
import { EmailRepository } from '../email/email.repository.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { archive } from '../../engine/run/workflow-lifecycle.service.js';
import { nameLine, summaryOf } from '../../rules/workflow.js';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import { workflowAnswer } from './workflow-result.service.js';

interface Dependencies {
  context: CallContext;
  bus: ServiceBus;
  fetcher: PublicFetcher;
  secrets: WebhookSecrets;
}

async function saveDraft(
  { context, bus, fetcher, secrets }: Dependencies,
  { workflowId, expectedUpdatedAt }: { workflowId: string; expectedUpdatedAt: string },
  { given, under }: { given: GivenDraft; under: string[] },
  caller: Caller,
) {
  const { organizationId, now } = caller;
  const workflows = new WorkflowRepository(context.manager);
  const { workflow: read } = await workflows.get(organizationId, workflowId);
  assertFresh(expectedUpdatedAt, read.updatedAt);
  const reader = new DraftReader({ sql: context.manager, bus, fetcher, secrets });
  const { draft, emails, issues, warnings } = await reader.read(given, { workflowId, workflow: read }, caller);
  assertValid(issues, given.steps, under);
  const saved = await context.transaction(async ({ manager }) => {
    const sealed = { ...draft, graph: secrets.seal({ organizationId, workflowId }, draft.graph) };
    const written = await new WorkflowRepository(manager).updateDraft(organizationId, read, sealed, now);
    if (written) await new EmailRepository(manager).replace(organizationId, workflowId, emails, now);
    return written;
  });
  const { workflow, open } = await workflows.get(organizationId, workflowId);
  if (!saved) assertFresh(expectedUpdatedAt, workflow.updatedAt);
  return {
    ...(await workflowAnswer({ manager: context.manager, secrets }, organizationId, { workflow, open })),
    configuredEmails: emails.map(({ stepId, id }) => ({ stepId, campaignId: id })),
    warnings,
  };
}

export function implementWorkflowTools(parts: Dependencies) {
  const { manager } = parts.context;
  const workflows = new WorkflowRepository(manager);
  const view = { manager, secrets: parts.secrets };
  return implement(
    workflowTools,
    {
      list_workflows: async ({ limit, query = null }, { organizationId }) => {
        const { workflows: found, total } = await workflows.list(organizationId, { query, limit });
        return { workflows: found.map(({ workflow, open }) => summaryOf(workflow, open)), total };
      },

      get_workflow: async ({ workflowId }, { organizationId, scopes }) =>
        await workflowAnswer(view, organizationId, {
          ...(await workflows.get(organizationId, workflowId)),
          showsSecrets: scopes.includes('write'),
        }),

      create_workflow: async ({ name }, { organizationId }) => {
        const workflow = await workflows.insert(organizationId, nameLine(name));
        return await workflowAnswer(view, organizationId, { workflow, open: 0 });
      },

      configure_workflow_draft: async ({ steps, edges, settings, successGoals, ...which }, caller) =>
        await saveDraft(parts, which, { given: { steps, edges, settings, successGoals }, under: [] }, caller),

      update_workflow_draft: async ({ definition, ...which }, caller) => {
        const { steps, edges, settings, successGoals } = definition;
        const given = { steps, edges, settings, successGoals };
        return await saveDraft(parts, which, { given, under: ['definition'] }, caller);
      },

      delete_workflow: async ({ workflowId }, caller) => {
        const { organizationId } = caller;
        const { workflow } = await workflows.get(organizationId, workflowId, { lock: true });
        assertFresh(caller.ifMatch, workflow.updatedAt);
        if (workflow.publishedVersion === null) {
          await workflows.delete(organizationId, workflowId);
          return { deleted: true as const };
        }
        const archived = await archive(parts.context, workflow, caller);
        const answer = await workflowAnswer(view, organizationId, { workflow: archived, open: 0 });
        return { archived: true as const, workflow: answer.workflow };
      },
    },
    {
      delete_workflow: async ({ workflowId }, { organizationId, ifMatch }) => {
        const { workflow, open } = await workflows.get(organizationId, workflowId);
        assertFresh(ifMatch, workflow.updatedAt);
        const message =
          workflow.publishedVersion === null
            ? `The draft "${workflow.name}" is permanently deleted.`
            : `The workflow "${workflow.name}" is archived and ${open} of its runs are canceled; its history stays.`;
        const { name, publishedVersion, status } = workflow;
        const subject = { noun: 'workflow', id: workflowId, name, updatedAt: workflow.updatedAt.toISOString() };
        // Runs come and go while an approver reads: their number is shown, not bound.
        return { action: 'Delete the workflow', message, subject, content: { name, publishedVersion, status } };
      },
    },
  );
}
