import type { ToolData, ToolInput } from '#client';
import { reasonText } from '../messages/en/api-words.js';
import { simulationText } from '../messages/en/workflow-simulation.js';
import { dateTime } from '../messages/format.js';
import type { FlowGraph } from './flow-graph.js';

export type Simulation = ToolData<'get_workflow_simulation'>['simulation'];
export type Example = Simulation['result']['examples'][number];
export type PathLine = Example['path'][number];

export const periods = ['7', '14', '31', 'days'] as const;
export type Period = (typeof periods)[number];

/** What the user chose to simulate; days as YYYY-MM-DD in the browser's time zone. */
export interface SimulationChoice {
  /** Empty: the draft. */
  version: string;
  period: Period;
  from: string;
  to: string;
}

const dayMs = 86_400_000;

/**
 * The call for a choice. The longest period is the default of the server: counted by this clock, it might end too late.
 * Certain days count from the first one's midnight to the last one's end, or to now.
 */
export function inputOf(
  workflowId: string,
  { version, period, from, to }: SimulationChoice,
  now: number,
): ToolInput<'simulate_workflow'> {
  const which = { workflowId, ...(version !== '' && { version: Number(version) }) };
  if (period === '31') return which;
  if (period !== 'days') return { ...which, from: new Date(now - Number(period) * dayMs).toISOString() };
  const [first, last] = [new Date(`${from}T00:00`), new Date(`${to}T23:59:59.999`)];
  return { ...which, from: first.toISOString(), ...(last.getTime() < now && { to: last.toISOString() }) };
}

/** The simulated graph; the names of its steps are those of the time. */
export const simulatedGraph = ({ graph }: Simulation): FlowGraph => ({
  steps: graph.steps.map(({ id, type, name, config = {} }) => ({ id, type, ...(name != null && { name }), config })),
  edges: graph.edges.map(({ source, target, branch }) => ({ source, target, ...(branch != null && { branch }) })),
});

export const stepOf = ({ result }: Simulation, id: string) => result.steps.find(({ stepId }) => stepId === id);

export const mailedOf = ({ result }: Simulation): number =>
  result.steps.reduce((sum, { mailed = 0 }) => sum + mailed, 0);

/** One sentence that says why a line of a path is as it is. */
export function whyOf({ outcome, data, stepId }: PathLine, { startedBy }: Example, graph: FlowGraph): string {
  const reason = typeof data.reason === 'string' ? reasonText(data.reason) : '';
  const date = typeof data.until === 'string' ? dateTime(data.until) : null;
  const waits = (key: 'why.wait' | 'why.until') =>
    date === null ? simulationText(`${key}.open`) : simulationText(key, { date });
  switch (outcome) {
    case 'GOAL_MET':
      return simulationText('why.goalMet');
    case 'JUMPED':
      return simulationText('why.jumped');
    case 'FAILED':
      return simulationText('why.failed', { reason: String(data.reason ?? '') });
    case 'CANCELED':
      if (data.reason === 'EXIT_RULE') return simulationText('why.exitRule');
      return data.reason === 'UNSUBSCRIBED'
        ? simulationText('why.unsubscribed')
        : simulationText('why.canceled', { reason });
    case 'SKIPPED':
      return simulationText('why.skipped', { reason });
  }
  switch (graph.steps.find(({ id }) => id === stepId)?.type) {
    case 'TRIGGER':
      return startedBy === 'DATE_FIELD'
        ? simulationText('why.date')
        : simulationText('why.started', { event: startedBy });
    case 'WAIT':
      if (outcome === 'WAITING') return waits('why.wait');
      if (data.reason === 'NO_DATE') return simulationText('why.noDate');
      return simulationText(data.reason === 'PAST' ? 'why.past' : 'why.over');
    case 'WAIT_UNTIL':
      if (outcome === 'WAITING') return waits('why.until');
      return simulationText(outcome === 'MATCHED' ? 'why.matched' : 'why.timeout');
    case 'CONDITION':
      return simulationText(outcome === 'TRUE' ? 'why.true' : 'why.false');
    case 'SPLIT':
      return simulationText('why.split', { branch: outcome });
    case 'EMAIL':
      return outcome === 'WAITING' ? simulationText('why.window', { date: date ?? '' }) : simulationText('why.sent');
    case 'MOVE_TO_STEP':
      return simulationText('why.moved');
    case 'GOAL':
      return simulationText('why.goal');
    case 'EXIT':
      return simulationText('why.exit');
    default:
      return simulationText('why.action');
  }
}
