import { subscriberRequests, subscriberTools } from '#contracts';
import type { Args, workflowRunTools } from '#contracts';
import { pluralize, requestHash, ToolError } from '#tool-call';
import type { Caller, Description, Descriptions } from '#tool-call';
import { manyHandlers } from '../enrolment/bulk-enrolment.tools.js';
import { RunRepository } from '../store/run.repository.js';
import { WorkflowRepository } from '../store/workflow.repository.js';
import { chooseWaiting } from './choose-waiting.js';
import { findSampleId, previewEmail } from './email-preview.service.js';
import { enrollable } from './run-context.service.js';
import type { RunDependencies } from './run-context.service.js';
import { shownStep } from './run-result.js';

interface Who {
  subscriberId?: string | undefined;
  email?: string | undefined;
}

export async function namedSubscriber({ bus }: RunDependencies, { subscriberId, email }: Who, caller: Caller) {
  const asked = { ...(subscriberId !== undefined && { subscriberId }), ...(email !== undefined && { email }) };
  return (await bus.client(subscriberTools).get_subscriber(asked, caller)).subscriber;
}

const subjectsOf =
  ({ context }: RunDependencies) =>
  async (workflowId: string, { organizationId }: Caller) => {
    const { workflow } = await new WorkflowRepository(context.manager).get(organizationId, workflowId);
    const { name, publishedVersion } = workflow;
    return { name, publishedVersion, subject: { noun: 'workflow', id: workflowId, name, updatedAt: null } };
  };

async function firstEmail(
  { bus, context, versions }: RunDependencies,
  { subscriberId, ...which }: { workflowId: string; version: number; subscriberId: string | null },
  caller: Caller,
): Promise<Pick<Description, 'preview'>> {
  const [email] = Object.values((await versions.get(context.manager, caller.organizationId, which)).emails);
  return email ? { preview: await previewEmail(bus, email, subscriberId, caller) } : {};
}

async function describeEnrolment(
  parts: RunDependencies,
  args: Args<(typeof workflowRunTools)['calls']['add_subscribers_to_workflow']>,
  caller: Caller,
): Promise<Description> {
  const { add_subscribers_to_workflow: enrol } = manyHandlers(parts);
  const { matched } = await enrol({ ...args, dryRun: true }, caller);
  const { name, publishedVersion: version, subject } = await subjectsOf(parts)(args.workflowId, caller);
  const message = `${pluralize(matched, 'subscriber')} match and enter version ${version} of the workflow "${name}", which sends them its emails.`;
  const facts = [
    { label: 'Subscribers', value: String(matched) },
    { label: 'Version', value: String(version) },
  ];
  const action = 'Enrol subscribers in the workflow';
  if (!caller.forApproval) return { action, message, subject, facts };
  const { filters } = args;
  const { segments } = await parts.bus.client(subscriberRequests).list_segment_definitions({ filters }, caller);
  const content = requestHash(version, segments);
  const subscriberId = await findSampleId(parts.bus, caller);
  const shown = await firstEmail(parts, { workflowId: args.workflowId, version: version!, subscriberId }, caller);
  return { action, message, subject, facts, content, ...shown };
}

export function runDescriptions(parts: RunDependencies): Descriptions<typeof workflowRunTools> {
  const { manager } = parts.context;
  const subjectOf = subjectsOf(parts);
  return {
    add_subscriber_to_workflow: async ({ workflowId, stepId, ...who }, caller) => {
      await enrollable(parts, { workflowId, stepId }, caller);
      const { id, email } = await namedSubscriber(parts, who, caller);
      const { name, publishedVersion: version, subject } = await subjectOf(workflowId, caller);
      const message = `${email} enters version ${version} of the workflow "${name}" and gets its emails.`;
      const content = { version, subscriberId: id };
      const facts = [
        { label: 'Subscriber', value: email },
        { label: 'Version', value: String(version) },
      ];
      const shown = caller.forApproval
        ? await firstEmail(parts, { workflowId, version: version!, subscriberId: id }, caller)
        : {};
      return { action: 'Start a run of the workflow', message, subject, facts, content, ...shown };
    },

    add_subscribers_to_workflow: (args, caller) => describeEnrolment(parts, args, caller),

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
      const facts = [
        { label: 'Subscriber', value: email },
        { label: 'Step', value: step.name ?? step.id },
      ];
      return { action: 'End the wait', message, subject, facts, content: { runId: run.id, stepId: run.stepId } };
    },
  };
}
