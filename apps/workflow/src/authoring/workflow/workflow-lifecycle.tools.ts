import { randomUUID } from 'node:crypto';
import type { ServiceBus } from '#bus';
import { subscriberWorkflowRequests, workflowLifeTools } from '#contracts';
import type { WorkflowStatus } from '#contracts';
import type { CallContext } from '#service-host';
import {
  assertFresh,
  boundedDifferences,
  implement,
  pluralize,
  requestHash,
  textDifferences,
  ToolError,
  valueDifferences,
} from '#tool-call';
import type { Caller, Description, Difference } from '#tool-call';
import { findSampleId, previewEmail } from '../../engine/run/email-preview.service.js';
import { differenceOf } from '../../rules/draft/draft.js';
import type { Draft } from '../../rules/draft/draft.js';
import { checkSavedDraft } from '../draft/saved-draft.service.js';
import { publishSummary } from '../../rules/draft/publish-summary.js';
import { EmailComposer } from '../email/email-composer.service.js';
import { emailName } from '../../rules/email.js';
import { EmailRepository } from '../email/email.repository.js';
import { isType } from '../../rules/graph/graph.js';
import type { VersionEmail } from '../../rules/compiled-version.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { changeStatus } from '../../engine/run/workflow-lifecycle.service.js';
import { VersionRepository } from '../../engine/store/version.repository.js';
import { startsAnHourMax } from '../../rules/enrolment.js';
import { describeCycle, findStartCycle } from '../../rules/start-cycle.js';
import { publishedStatus } from '../../rules/workflow.js';
import type { Workflow } from '../../rules/workflow.js';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import { changedSince, workflowAnswer } from './workflow-result.service.js';

interface Dependencies {
  context: CallContext;
  bus: ServiceBus;
  secrets: WebhookSecrets;
}

/** Warnings of a mail that no one has written yet. */
const untouchedCodes = ['CONTENT_UNTOUCHED', 'SUBJECT_UNTOUCHED'];

/** Names the emails that still hold what a new one begins with; empty when there is none. */
const untouchedWarning = (subjects: readonly string[]): string =>
  subjects.length === 0
    ? ''
    : ` Warning: subject or text of ${subjects.map((subject) => `'${subject}'`).join(', ')} is still the one that a new mail begins with.`;

async function publishable({ context: { manager }, bus, secrets }: Dependencies, workflow: Workflow, caller: Caller) {
  const emails = new EmailRepository(manager);
  const owner = { organizationId: caller.organizationId, workflowId: workflow.id };
  const { draft, organization } = await checkSavedDraft({ sql: manager, bus, secrets }, workflow, caller);
  const composer = new EmailComposer({ emails, bus });
  const own = await emails.listOfWorkflow(caller.organizationId, workflow.id);
  const frozen: Record<string, VersionEmail> = {};
  const untouched: string[] = [];
  for (const step of draft.graph.steps) {
    if (!isType(step, 'EMAIL')) continue;
    const email = own.find(({ id }) => id === step.config.campaignId);
    if (!email) throw new Error(`the email of step ${step.id} of ${workflow.id} is missing`);
    const sender = await composer.senderFor(email, caller);
    const { template, references, warnings } = await composer.compile(email, caller);
    if (warnings.some(({ code }) => untouchedCodes.includes(code))) untouched.push(email.subject);
    const { id: campaignId, subject, replyTo } = email;
    const name = emailName(workflow, email);
    const organizationName = organization.name;
    frozen[step.id] = {
      campaignId,
      name,
      subject,
      template,
      references,
      sender,
      replyTo,
      organizationName,
      sendKey: randomUUID(),
    };
  }
  const graph = secrets.seal(owner, draft.graph);
  return { draft: { ...draft, graph }, emails: frozen, untouched, bound: boundContent(draft, frozen) };
}

/** @returns null when the workflow was changed since it was read */
async function publish(parts: Dependencies, workflowId: string, activate: boolean | undefined, caller: Caller) {
  const { organizationId, now } = caller;
  const { workflow: read } = await new WorkflowRepository(parts.context.manager).get(organizationId, workflowId);
  assertFresh(caller.ifMatch, read.updatedAt);
  publishedStatus(read.status, activate);
  const { untouched: _said, ...made } = await publishable(parts, read, caller);
  return await parts.context.transaction(async ({ manager, outbox }) => {
    const workflows = new WorkflowRepository(manager);
    const { workflow } = await workflows.get(organizationId, workflowId, { lock: true });
    if (workflow.updatedAt.getTime() !== read.updatedAt.getTime()) return null;
    const version = (workflow.publishedVersion ?? 0) + 1;
    await new VersionRepository(manager).insert(organizationId, { workflowId, version, ...made }, now);
    const status = publishedStatus(workflow.status, activate);
    await changeStatus({ manager, outbox }, workflow, status, caller);
    return { version, activated: status === 'ACTIVE' };
  });
}

/** Describes a cycle that publishing would close; empty when there is none. */
async function cycleWarning(workflows: WorkflowRepository, { id, name }: Workflow, draft: Draft, caller: Caller) {
  const own = { id, name, graph: draft.graph, reentry: draft.settings.reentry };
  const cycle = findStartCycle(own, await workflows.listStarting(caller.organizationId));
  if (cycle === null) return '';
  return ` Warning: ${describeCycle(cycle)} again, without end, for the same subscriber. After ${startsAnHourMax} starts within an hour further ones are skipped as LOOP, and the workflow is PAUSED.`;
}

const consequences: Record<Exclude<WorkflowStatus, 'DRAFT'>, (open: number) => string> = {
  ACTIVE: (open) => `It enrols subscribers and continues ${pluralize(open, 'run')}.`,
  PAUSED: (open) => `It enrols no subscribers and holds the timers of ${pluralize(open, 'run')}.`,
  ARCHIVED: (open) => `It permanently cancels ${pluralize(open, 'run')}.`,
};

const subjectOf = ({ id, name, updatedAt }: Workflow) => ({
  noun: 'workflow',
  id,
  name,
  updatedAt: updatedAt.toISOString(),
});

/**
 * What an approval of a publication binds: graph, settings, goals, and the emails as they would be frozen.
 * @param draft with its secrets open: sealed ones differ each time
 */
function boundContent(draft: Draft, emails: Readonly<Record<string, VersionEmail>>): string {
  const mails = Object.entries(emails).map(([stepId, { sendKey: _made, sender, ...email }]) => ({
    ...email,
    stepId,
    sender: { id: sender.id, email: sender.email, displayName: sender.displayName, replyTo: sender.replyTo },
  }));
  return requestHash(draft, mails);
}

async function shownPublication(
  { context: { manager }, bus }: Dependencies,
  workflow: Workflow,
  { emails, status, open, live }: Publishing,
  caller: Caller,
): Promise<Pick<Description, 'facts' | 'preview' | 'diff'>> {
  const { id: workflowId, publishedVersion } = workflow;
  const sample = await findSampleId(bus, caller);
  const [first] = Object.values(emails);
  const version = { workflowId, version: publishedVersion ?? 0 };
  const before = live && (await new VersionRepository(manager).find(caller.organizationId, version));
  const texts = async (stepId: string, email: VersionEmail): Promise<Difference[]> => {
    const former = before?.emails[stepId];
    if (!former) return [];
    const [was, is] = [await previewEmail(bus, former, sample, caller), await previewEmail(bus, email, sample, caller)];
    const subject = valueDifferences({ subject: was.subject }, { subject: is.subject });
    return [...subject, ...textDifferences('text', was.text, is.text)].map((one) => ({
      ...one,
      path: `${stepId}.${one.path}`,
    }));
  };
  const changed: Difference[] = live ? [{ path: 'difference', before: null, after: live }] : [];
  for (const [stepId, email] of live ? Object.entries(emails) : []) changed.push(...(await texts(stepId, email)));
  return {
    facts: [
      { label: 'Version', value: String((publishedVersion ?? 0) + 1) },
      { label: 'Status', value: status },
      { label: 'Open runs', value: String(open) },
      ...Object.values(emails).map(({ subject, sender }) => ({
        label: 'Email',
        value: `${subject} (from ${sender.email})`,
      })),
    ],
    ...(first && { preview: await previewEmail(bus, first, sample, caller) }),
    diff: boundedDifferences(changed),
  };
}

interface Publishing {
  emails: Readonly<Record<string, VersionEmail>>;
  status: WorkflowStatus;
  open: number;
  /** The difference from the live version; null when none is published. */
  live: ReturnType<typeof differenceOf> | null;
}

async function describePublication(
  parts: Dependencies,
  { workflowId, activate }: { workflowId: string; activate?: boolean | undefined },
  caller: Caller,
): Promise<Description> {
  const { manager } = parts.context;
  const workflows = new WorkflowRepository(manager);
  const { organizationId } = caller;
  const { workflow, open: openRuns } = await workflows.get(organizationId, workflowId);
  assertFresh(caller.ifMatch, workflow.updatedAt);
  const status = publishedStatus(workflow.status, activate);
  const { draft, emails: frozen, untouched, bound: content } = await publishable(parts, workflow, caller);
  const { name, publishedVersion } = workflow;
  const live = await workflows.findVersion(organizationId, workflowId, publishedVersion);
  const emails = await new EmailRepository(manager).listOfWorkflow(organizationId, workflowId);
  const difference = live ? differenceOf(draft, live, changedSince(emails, live.publishedAt)) : null;
  const version = (publishedVersion ?? 0) + 1;
  const warning = await cycleWarning(workflows, workflow, draft, caller);
  const tagNames = await tagNamesOf(parts.bus, draft, caller);
  const summary = publishSummary({ name, draft, version, status, difference, openRuns, tagNames });
  const message = summary + warning + untouchedWarning(untouched);
  const publishing = { emails: frozen, status, open: openRuns, live: difference };
  const shown = caller.forApproval ? await shownPublication(parts, workflow, publishing, caller) : {};
  return { action: 'Publish the workflow', message, subject: subjectOf(workflow), content, ...shown };
}

/** Reads the names of the tags that start the workflow, by id. */
async function tagNamesOf(bus: ServiceBus, { graph }: Draft, caller: Caller): Promise<ReadonlyMap<string, string>> {
  const tags = graph.steps.flatMap((step) => (isType(step, 'TRIGGER') ? (step.config.tags ?? []) : []));
  if (tags.length === 0) return new Map();
  const { find_tags_and_fields } = bus.client(subscriberWorkflowRequests);
  const found = await find_tags_and_fields({ tags: [...new Set(tags)].slice(0, 1000), fields: [] }, caller);
  return new Map(found.tags.flatMap((tag) => (tag ? [[tag.id, tag.name] as const] : [])));
}

export function implementWorkflowLifecycleTools(parts: Dependencies) {
  const { manager, outbox } = parts.context;
  const workflows = new WorkflowRepository(manager);
  const answer = async (organizationId: string, workflowId: string) =>
    await workflowAnswer(
      { manager, secrets: parts.secrets },
      organizationId,
      await workflows.get(organizationId, workflowId),
    );
  const published = async (organizationId: string, workflowId: string, lock: boolean) => {
    const found = await workflows.get(organizationId, workflowId, { lock });
    if (found.workflow.publishedVersion === null) throw new ToolError('WORKFLOW_NOT_PUBLISHED', {});
    return found;
  };
  return implement(
    workflowLifeTools,
    {
      publish_workflow: async ({ workflowId, activate }, caller) => {
        for (;;) {
          const done = await publish(parts, workflowId, activate, caller);
          if (done) return { ...(await answer(caller.organizationId, workflowId)), ...done };
        }
      },

      update_workflow_status: async ({ workflowId, status }, caller) => {
        const { workflow } = await published(caller.organizationId, workflowId, true);
        assertFresh(caller.ifMatch, workflow.updatedAt);
        if (workflow.status !== status) await changeStatus({ manager, outbox }, workflow, status, caller);
        return await answer(caller.organizationId, workflowId);
      },
    },
    {
      publish_workflow: (args, caller) => describePublication(parts, args, caller),

      update_workflow_status: async ({ workflowId, status }, caller) => {
        const { workflow, open } = await published(caller.organizationId, workflowId, false);
        assertFresh(caller.ifMatch, workflow.updatedAt);
        const paused = workflow.pausedReason === null ? '' : ` It was paused by the system: ${workflow.pausedReason}`;
        const message = `The workflow "${workflow.name}" becomes ${status} (it is ${workflow.status}). ${consequences[status](open)}${paused}`;
        const content = { version: workflow.publishedVersion, from: workflow.status };
        const facts = [
          { label: 'Status', value: `${workflow.status} → ${status}` },
          { label: 'Version', value: String(workflow.publishedVersion) },
          { label: 'Open runs', value: String(open) },
        ];
        return { action: 'Change the status of the workflow', message, subject: subjectOf(workflow), facts, content };
      },
    },
  );
}
