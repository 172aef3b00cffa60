import { workflowEmailRequests } from '#contracts';
import type { WorkflowEmailFacts } from '#contracts';
import { createdAtOf, uuidOf } from '#database';
import type { CallContext } from '#service-host';
import { implement } from '#tool-call';
import type { Workflow } from '../../rules/workflow.js';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import { emailName } from '../../rules/email.js';
import type { OwnedEmail } from '../../rules/email.js';
import { EmailRepository } from './email.repository.js';

export function implementEmailRequests({ manager }: Pick<CallContext, 'manager'>) {
  const [workflows, emails] = [new WorkflowRepository(manager), new EmailRepository(manager)];
  return implement(workflowEmailRequests, {
    find_workflow_email: async ({ campaignId }, { organizationId }) => {
      const [email] = await emails.listByIds(organizationId, [campaignId]);
      if (!email) return { email: null };
      const { workflow } = await workflows.get(organizationId, email.workflowId);
      return { email: factsOf(email, workflow) };
    },

    save_workflow_email: async ({ campaignId, expectedUpdatedAt, ...text }, { organizationId, now }) => {
      const [known] = await emails.listByIds(organizationId, [campaignId]);
      if (!known) return { email: null };
      // Locks the workflow first, in the same order as saving its draft. Touching it changes its updatedAt, so that a
      // save based on the former one is refused.
      const { workflow } = await workflows.get(organizationId, known.workflowId, { lock: true });
      const read = { ...known, updatedAt: new Date(expectedUpdatedAt) };
      const saved = await emails.update(organizationId, read, { ...known, ...text }, now);
      if (saved) await workflows.updateTouched(organizationId, workflow.id, now);
      return { email: saved && factsOf(saved, workflow) };
    },
  });
}

function factsOf(email: OwnedEmail, workflow: Workflow): WorkflowEmailFacts {
  const { id, subject, preview, content, contentType, senderId, replyTo, updatedAt } = email;
  return {
    campaignId: id,
    subject,
    preview,
    content,
    contentType,
    senderId,
    replyTo,
    name: emailName(workflow, email),
    createdAt: createdAtOf(uuidOf('cmp', id)!).toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
