import { subscriberTools } from '#contracts';
import type { workflowRunTools } from '#contracts';
import { pluralize, ToolError } from '#tool-call';
import type { Caller, Descriptions } from '#tool-call';
import { manyHandlers } from '../enrolment/bulk-enrolment.tools.js';
import { RunRepository } from '../store/run.repository.js';
import { WorkflowRepository } from '../store/workflow.repository.js';
import { chooseWaiting } from './choose-waiting.js';
import { enrollable } from './run-context.service.js';
import type { RunDependencies } from './run-context.service.js';
import { shownStep } from './run-result.js';

interface Who {
  subscriberId?: string | undefined;
  email?: string | undefined;
}

/**
 * Returns the subscriber that a caller names.
 * @throws RemoteFailure SUBSCRIBER_NOT_FOUND, IDENTIFIER_MISSING, IDENTIFIERS_DISAGREE
 */
export async function namedSubscriber({ bus }: RunDependencies, { subscriberId, email }: Who, caller: Caller) {
  const asked = { ...(subscriberId !== undefined && { subscriberId }), ...(email !== undefined && { email }) };
  return (await bus.client(subscriberTools).get_subscriber(asked, caller)).subscriber;
}

/** What the tools that start runs or end waits would do, for callers who need an approval. */
export function runDescriptions(parts: RunDependencies): Descriptions<typeof workflowRunTools> {
  const { manager } = parts.context;
  const subjectOf = async (workflowId: string, { organizationId }: Caller) => {
    const { workflow } = await new WorkflowRepository(manager).get(organizationId, workflowId);
    const { name, publishedVersion } = workflow;
    return { name, publishedVersion, subject: { noun: 'workflow', id: workflowId, name, updatedAt: null } };
  };
  return {
    add_subscriber_to_workflow: async ({ workflowId, stepId, ...who }, caller) => {
      await enrollable(parts, { workflowId, stepId }, caller);
      const { id, email } = await namedSubscriber(parts, who, caller);
      const { name, publishedVersion: version, subject } = await subjectOf(workflowId, caller);
      const message = `${email} enters version ${version} of the workflow "${name}" and gets its emails.`;
      return { action: 'Start a run of the workflow', message, subject, content: { version, subscriberId: id } };
    },

    add_subscribers_to_workflow: async (args, caller) => {
      const { add_subscribers_to_workflow: enrol } = manyHandlers(parts);
      const { matched } = await enrol({ ...args, dryRun: true }, caller);
      const { name, publishedVersion: version, subject } = await subjectOf(args.workflowId, caller);
      const message = `${pluralize(matched, 'subscriber')} match and enter version ${version} of the workflow "${name}", which sends them its emails.`;
      const facts = [{ label: 'Subscribers', value: String(matched) }];
      return { action: 'Enrol subscribers in the workflow', message, subject, facts, content: { version } };
    },

    fast_forward_workflow_subscriber: async ({ workflowId, workflowSubscriberId, ...who }, caller) => {
      const { organizationId } = caller;
      const runs = new RunRepository(manager);
      const { name, subject } = await subjectOf(workflowId, caller);
      const subscriberId =
        who.subscriberId === undefined && who.email === undefined && workflowSubscriberId !== undefined
          ? await runs.findSubscriberId(organizationId, workflowId, workflowSubscriberId)
          : (await namedSubscriber(parts, who, caller)).id;
      const open = subscriberId === null ? [] : await runs.listOpen(organizationId, subscriberId, workflowId);
      const run = chooseWaiting(open, workflowSubscriberId);
      if (!run || subscriberId === null) throw new ToolError('RUN_NOT_FOUND', { id: workflowSubscriberId! });
      const { email } = await namedSubscriber(parts, { subscriberId }, caller);
      const step = shownStep(await parts.versions.get(manager, organizationId, run), run.stepId);
      const message = `The wait "${step.name ?? step.id}" of ${email} in the workflow "${name}" ends now; the steps after it run.`;
      return { action: 'End the wait', message, subject, content: { runId: run.id, stepId: run.stepId } };
    },
  };
}
