import type { ServiceBus } from '#bus';
import { simulationDaysMax, simulationsMax, subscriberWorkflowRequests, workflowSimulationTools } from '#contracts';
import { newId } from '#database';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { WakeSignals } from '../../engine/loop/wake-signals.js';
import { SimulationRepository } from '../../engine/store/simulation.repository.js';
import type { NewSimulation, Simulation } from '../../engine/store/simulation.repository.js';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import { CompiledVersion } from '../../rules/compiled-version.js';
import type { Draft } from '../../rules/draft/draft.js';
import { resultOf } from '../../rules/simulation/simulation-result.js';
import { examplesOf } from '../../rules/simulation/simulation-totals.js';
import type { Workflow } from '../../rules/workflow.js';
import { hideSecrets } from '../../secret/webhook-secrets.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { checkSavedDraft } from '../draft/saved-draft.service.js';

interface Dependencies {
  context: CallContext;
  bus: ServiceBus;
  secrets: WebhookSecrets;
  wakeSignals: WakeSignals;
}

const dayMs = 86_400_000;

export function implementWorkflowSimulationTools(parts: Dependencies) {
  const { manager, transaction } = parts.context;
  const workflows = new WorkflowRepository(manager);
  return implement(workflowSimulationTools, {
    simulate_workflow: async ({ workflowId, version = null, ...asked }, caller) => {
      const { organizationId } = caller;
      const range = rangeOf(asked, caller.now);
      const { workflow } = await workflows.get(organizationId, workflowId);
      const draft = await chosenDraft(parts, { workflow, version }, caller);
      const simulation: NewSimulation = {
        organizationId,
        simulationId: newId('sim'),
        workflowId: workflow.id,
        version,
        draftAt: workflow.updatedAt,
        draft: { ...draft, graph: hideSecrets(draft.graph) },
        ...range,
      };
      const simulationId = await transaction(({ manager: sql }) => start(new SimulationRepository(sql), simulation));
      parts.wakeSignals.wake('simulations');
      const { status, from, to } = (await new SimulationRepository(manager).find(organizationId, simulationId))!;
      return { simulationId, workflowId, status, from: from.toISOString(), to: to.toISOString() };
    },

    get_workflow_simulation: async ({ simulationId, workflowId }, caller) => {
      const { organizationId } = caller;
      const simulations = new SimulationRepository(manager);
      if (workflowId !== undefined) await workflows.get(organizationId, workflowId);
      const found =
        simulationId === undefined
          ? await simulations.findLatest(organizationId, workflowId!)
          : await simulations.find(organizationId, simulationId);
      if (!found || (workflowId !== undefined && found.workflowId !== workflowId))
        throw new ToolError(
          'SIMULATION_NOT_FOUND',
          simulationId === undefined ? { id: workflowId!, by: 'workflowId' } : { id: simulationId },
        );
      const { workflow } = await workflows.get(organizationId, found.workflowId);
      return { simulation: await shown(parts, found, workflow, caller) };
    },
  });
}

/** @throws ToolError RANGE_TOO_LONG, RANGE_IN_FUTURE */
function rangeOf(asked: { from?: string | undefined; to?: string | undefined }, now: Date): { from: Date; to: Date } {
  const to = asked.to === undefined ? now : new Date(asked.to);
  const from = asked.from === undefined ? new Date(to.getTime() - simulationDaysMax * dayMs) : new Date(asked.from);
  if (to > now || from > now) throw new ToolError('RANGE_IN_FUTURE', {});
  if (to.getTime() - from.getTime() > simulationDaysMax * dayMs)
    throw new ToolError('RANGE_TOO_LONG', { spanDaysMax: simulationDaysMax });
  return { from, to };
}

async function chosenDraft(
  { context: { manager }, bus, secrets }: Dependencies,
  { workflow, version }: { workflow: Workflow; version: number | null },
  caller: Caller,
): Promise<Draft> {
  if (version === null) return (await checkSavedDraft({ sql: manager, bus, secrets }, workflow, caller)).draft;
  const found = await new WorkflowRepository(manager).findVersion(caller.organizationId, workflow.id, version);
  if (!found) throw new ToolError('VERSION_NOT_FOUND', { version, published: workflow.publishedVersion });
  const { graph, settings, successGoals } = found;
  return { graph, settings, successGoals };
}

/** @returns the id of the new simulation, or of the one of this workflow that is RUNNING */
async function start(simulations: SimulationRepository, simulation: NewSimulation): Promise<string> {
  const running = await simulations.listRunningLocked(simulation.organizationId);
  const own = running.find(({ workflowId }) => workflowId === simulation.workflowId);
  if (own) return own.simulationId;
  if (running.length >= simulationsMax) {
    const advice = 'Wait until one is COMPLETED (get_workflow_simulation).';
    const limit = { what: 'running simulations', limit: simulationsMax, used: running.length, advice };
    throw new ToolError('LIMIT_REACHED', limit);
  }
  await simulations.insert(simulation);
  return simulation.simulationId;
}

async function shown({ bus }: Dependencies, simulation: Simulation, workflow: Workflow, caller: Caller) {
  const { simulationId, workflowId, version, status, failure, read, total, draft, totals } = simulation;
  const compiled = new CompiledVersion(workflowId, version ?? 0, draft, {});
  const subscriberIds = [...new Set(examplesOf(totals).map(({ subscriberId }) => subscriberId))];
  const asked = { subscriberIds, conditions: [], fieldIds: [] };
  const { people } =
    subscriberIds.length === 0
      ? { people: [] }
      : await bus.client(subscriberWorkflowRequests).get_people(asked, caller);
  const emails = new Map(people.map(({ subscriberId, email }) => [subscriberId, email]));
  const isGrouped = workflow.groupId !== null;
  return {
    simulationId,
    workflowId,
    version,
    status,
    progress: status === 'COMPLETED' ? 1 : total ? Math.min(1, read / total) : 0,
    from: simulation.from.toISOString(),
    to: simulation.to.toISOString(),
    createdAt: simulation.createdAt.toISOString(),
    finishedAt: simulation.finishedAt?.toISOString() ?? null,
    ...(failure !== null && { failure }),
    draftChanged: version === null && workflow.updatedAt.getTime() !== simulation.draftAt.getTime(),
    graph: draft.graph,
    result: resultOf(totals, { version: compiled, read, isGrouped, emails }),
  };
}
