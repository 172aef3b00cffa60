import { flowBucketsMax, subscriberWorkflowRequests, timestamp, workflowInsightTools } from '#contracts';
import type { ServiceBus } from '#bus';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import type { PublicFetcher } from '#public-fetch';
import type { CallContext } from '#service-host';
import { implement, summarise, ToolError } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import { shownStep } from '../../engine/run/run-result.js';
import type { VersionCache } from '../../engine/run/version-cache.service.js';
import { RunViewRepository } from '../../engine/store/run-view.repository.js';
import type { RunSummary } from '../../engine/store/run-view.repository.js';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import { WorkflowSearchRepository } from '../../engine/store/workflow-search.repository.js';
import type { WorkflowPage } from '../../engine/store/workflow-search.repository.js';
import { located } from '../../rules/draft/draft.js';
import { stepSchemas } from '../../rules/graph/step-schemas.js';
import { bucketsOf, flowOf } from '../../rules/step-flow.js';
import { summaryOf } from '../../rules/workflow.js';
import type { ListedWorkflow } from '../../rules/workflow.js';
import { hideSecrets } from '../../secret/webhook-secrets.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { DraftReader } from '../draft/draft-reader.service.js';
import { GroupRepository } from '../group/group.repository.js';

interface Dependencies {
  context: CallContext;
  bus: ServiceBus;
  versions: VersionCache;
  fetcher: PublicFetcher;
  secrets: WebhookSecrets;
}

const dayMs = 86_400_000;
const defaultDays = 30;

export const implementWorkflowInsightTools = (parts: Dependencies) =>
  implement(workflowInsightTools, {
    ...searchHandlers(parts),
    ...runHandlers(parts),
    ...draftHandlers(parts),
  });

type InsightHandlers = Handlers<typeof workflowInsightTools>;

function searchHandlers({ context: { manager } }: Dependencies): Pick<InsightHandlers, 'search_workflows'> {
  const search = new WorkflowSearchRepository(manager);
  return {
    search_workflows: async ({ query = null, statuses, groupId, counts, sort, order, limit, cursor }, caller) => {
      const { organizationId } = caller;
      if (groupId) await new GroupRepository(manager).get(organizationId, groupId);
      const selection = { query, statuses, groupId };
      const page = { sort, order, limit, after: placeOf(cursor, sort) };
      const { workflows: found, more } = await search.list(organizationId, selection, page);
      const byStatus = await search.countByStatus(organizationId, selection);
      const selected = Object.entries(byStatus).filter(([status]) => isOneOf(statuses, status));
      return {
        workflows: found.map(({ workflow, open }) => summaryOf(workflow, open)),
        total: selected.reduce((sum, [, n]) => sum + n, 0),
        ...(counts && { counts: byStatus }),
        nextCursor: more ? cursorOf(found.at(-1)!.workflow, sort) : null,
      };
    },
  };
}

function runHandlers(parts: Dependencies): Pick<InsightHandlers, 'list_workflow_runs' | 'get_workflow_flow'> {
  const { manager } = parts.context;
  const workflows = new WorkflowRepository(manager);
  const runs = new RunViewRepository(manager);
  return {
    list_workflow_runs: async ({ workflowId, status = null, stepId, version, limit, cursor }, caller) => {
      const { organizationId } = caller;
      await assertStep(manager, organizationId, { workflowId, stepId, version });
      if (cursor !== undefined && !uuidOf('run', cursor)) throw cursorInvalid();
      const selection = { workflowId, status, stepId: stepId ?? null, version: version ?? null };
      const { runs: page, more } = await runs.list(organizationId, selection, { after: cursor ?? null, limit });
      return {
        runs: await shownRuns(parts, workflowId, page, caller),
        ...(await runs.count(organizationId, selection)),
        nextCursor: more ? page.at(-1)!.id : null,
      };
    },

    get_workflow_flow: async ({ workflowId, version, ...asked }, { organizationId, now }) => {
      const { workflow } = await workflows.get(organizationId, workflowId);
      const today = now.toISOString().slice(0, 10);
      const to = asked.to ?? (asked.from !== undefined && asked.from > today ? asked.from : today);
      const from = asked.from ?? new Date(Date.parse(to) - (defaultDays - 1) * dayMs).toISOString().slice(0, 10);
      const counts =
        version === undefined
          ? await runs.listFlow(organizationId, workflowId, { from, to })
          : await runs.listFlowOfVersion(organizationId, { workflowId, version }, { from, to });
      const found = await workflows.findVersion(organizationId, workflowId, version ?? workflow.publishedVersion);
      const divided = bucketsOf(from, to, flowBucketsMax);
      return {
        ...divided,
        steps: flowOf(counts, divided, found?.graph.steps.map(({ id }) => id) ?? []),
        ...(version !== undefined && { graph: found && hideSecrets(found.graph) }),
      };
    },
  };
}

function draftHandlers({
  context: { manager },
  bus,
  fetcher,
  secrets,
}: Dependencies): Pick<InsightHandlers, 'validate_workflow_draft' | 'get_step_schemas'> {
  return {
    validate_workflow_draft: async ({ workflowId, ...given }, caller) => {
      const workflows = new WorkflowRepository(manager);
      const found = workflowId === undefined ? null : await workflows.get(caller.organizationId, workflowId);
      const workflow = found?.workflow ?? null;
      const reader = new DraftReader({ sql: manager, bus, fetcher, secrets });
      const checked = await reader.read(given, { workflow, ...(workflowId !== undefined && { workflowId }) }, caller);
      const issues =
        checked.issues.length > 0 ? checked.issues : await reader.listPublishIssues(checked, workflow, caller);
      return {
        valid: issues.length === 0,
        issues: issues.map((issue) => ({ stepId: null, ...located(issue, given.steps) })),
        warnings: checked.warnings,
      };
    },

    get_step_schemas: ({ types }) => Promise.resolve({ steps: stepSchemas.filter(({ type }) => isOneOf(types, type)) }),
  };
}

async function assertStep(sql: Sql, organizationId: string, { workflowId, stepId, version }: StepPlace): Promise<void> {
  const workflows = new WorkflowRepository(sql);
  const { workflow } = await workflows.get(organizationId, workflowId);
  if (stepId === undefined) return;
  const live = await workflows.findVersion(organizationId, workflowId, version ?? workflow.publishedVersion);
  const steps = live?.graph.steps.map(({ id }) => id) ?? [];
  if (steps.includes(stepId)) return;
  // Runs of earlier versions may be at a step that the published version lacks.
  const selection = { workflowId, stepId, version: version ?? null, status: null };
  const { runs } = await new RunViewRepository(sql).list(organizationId, selection, { after: null, limit: 1 });
  if (runs.length === 0) throw new ToolError('STEP_NOT_FOUND', { stepId, steps });
}

async function shownRuns(
  { context: { manager }, bus, versions }: Dependencies,
  workflowId: string,
  page: readonly RunSummary[],
  caller: Caller,
) {
  const subscriberIds = [...new Set(page.map(({ subscriberId }) => subscriberId))];
  const asked = { subscriberIds, conditions: [], fieldIds: [] };
  const { people } = await bus.client(subscriberWorkflowRequests).get_people(asked, caller);
  const byId = new Map(people.map((person) => [person.subscriberId, person]));
  const shown = [];
  for (const { id, state, stepId, nextActionAt, startedAt, finishedAt, ...run } of page) {
    const compiled = await versions.get(manager, caller.organizationId, { workflowId, version: run.version });
    const person = byId.get(run.subscriberId);
    shown.push({
      ...run,
      workflowSubscriberId: id,
      workflowId,
      status: state,
      currentStep: shownStep(compiled, stepId),
      nextActionAt: nextActionAt?.toISOString() ?? null,
      startedAt: startedAt.toISOString(),
      finishedAt: finishedAt?.toISOString() ?? null,
      subscriber: person ? { id: person.subscriberId, email: person.email, status: person.status } : null,
    });
  }
  return shown;
}

interface StepPlace {
  workflowId: string;
  stepId: string | undefined;
  version: number | undefined;
}

const isOneOf = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);

const valueOf: Record<WorkflowPage['sort'], (workflow: ListedWorkflow) => string> = {
  createdAt: () => '',
  updatedAt: ({ updatedAt }) => updatedAt.toISOString(),
  name: ({ name }) => name,
};
const cursorOf = (workflow: ListedWorkflow, sort: WorkflowPage['sort']): string =>
  `${valueOf[sort](workflow)}/${workflow.id}`;

/** The place after which a page begins; the workflow there need not exist any more. @throws ToolError PARAMETERS_INVALID */
function placeOf(cursor: string | undefined, sort: WorkflowPage['sort']): WorkflowPage['after'] {
  if (cursor === undefined) return null;
  const at = cursor.lastIndexOf('/');
  const [value, id] = [cursor.slice(0, Math.max(at, 0)), cursor.slice(at + 1)];
  const isValue = sort === 'updatedAt' ? timestamp.safeParse(value).success : sort === 'name' || value === '';
  if (at < 0 || !isValue || !uuidOf('wf', id)) throw cursorInvalid();
  return { value, id };
}

function cursorInvalid(): ToolError {
  const issues = [{ path: ['cursor'], message: 'must be the nextCursor of the page before' }];
  return new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}
