import type { z } from 'zod';
import type { configs } from './step-config.js';

export type StepType = keyof typeof configs;
/**
 * A WEBHOOK step's secret and header values as stored. It is an object, so that a process of the previous version
 * cannot sign with it: the call fails, and the run is tried again.
 */
export interface SealedSecrets {
  sealed: string;
}
type Given<T extends StepType> = z.output<(typeof configs)[T]>;
type Stored<C> = C extends { kind: 'WEBHOOK'; secret?: infer S }
  ? Omit<C, 'secret'> & { secret?: S | SealedSecrets }
  : C;
export type WebhookConfig = Stored<Extract<Given<'ACTION'>, { kind: 'WEBHOOK' }>>;
type Configs = { [T in StepType]: Stored<Given<T>> };

type StepOf<T extends StepType> = {
  id: string;
  type: T;
  name?: string;
  config: Configs[T];
  position?: unknown;
};
export type Step<T extends StepType = StepType> = { [K in T]: StepOf<K> }[T];

export type Edge = {
  source: string;
  target: string;
  branch?: string;
};

export interface Graph {
  steps: Step[];
  edges: Edge[];
}

/** Returns the branches of a step; null for a step with a single outgoing edge. */
export function branchesOf(step: Step): readonly string[] | null {
  if (step.type === 'CONDITION') return ['TRUE', 'FALSE'];
  if (step.type === 'WAIT_UNTIL') return ['MATCHED', 'TIMEOUT'];
  if (step.type === 'SPLIT') return step.config.branches.map(({ name }) => name);
  return null;
}

export const isType = <T extends StepType>(step: Step, type: T): step is Extract<Step, { type: T }> =>
  step.type === type;

/**
 * Returns the start of runs without a trigger: the only step without an incoming edge; null when there is none or
 * several.
 */
export function entryOf({ steps, edges }: Graph): string | null {
  const targets = new Set(edges.map(({ target }) => target));
  const roots = steps.filter(({ id }) => !targets.has(id));
  return roots.length === 1 ? roots[0]!.id : null;
}

/** Returns the steps that follow each step by any branch; a MOVE_TO_STEP leads to its target. */
export function followersOf(graph: Graph): Map<string, string[]> {
  const ways = new Map<string, string[]>(graph.steps.map(({ id }) => [id, []]));
  for (const { source, target } of graph.edges) ways.get(source)?.push(target);
  for (const step of graph.steps) if (isType(step, 'MOVE_TO_STEP')) ways.get(step.id)!.push(step.config.stepId);
  return ways;
}

export function upstreamOf(graph: Graph, stepId: string): Set<string> {
  const before = new Map<string, string[]>(graph.steps.map(({ id }) => [id, []]));
  for (const [id, next] of followersOf(graph)) for (const to of next) before.get(to)?.push(id);
  const found = new Set<string>();
  for (const open = [stepId]; open.length > 0;) {
    for (const id of before.get(open.pop()!) ?? []) {
      if (found.has(id)) continue;
      found.add(id);
      open.push(id);
    }
  }
  return found;
}
