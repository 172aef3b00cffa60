import type { WorkflowStatus } from '#contracts';
import { isType } from '../graph/graph.js';
import type { Graph } from '../graph/graph.js';
import { aboutStep } from '../graph/read-graph.js';
import type { GraphWarning } from '../graph/read-graph.js';

export interface Destination {
  id: string;
  name: string;
  status: WorkflowStatus;
  /** The steps of its live version; empty before the first. */
  stepIds: readonly string[];
}

/** Returns the workflows that the graph's steps add subscribers to, each once. */
export const destinationsOf = ({ steps }: Graph): string[] => [...new Set(additions(steps).map((to) => to.workflowId))];

/**
 * Warns of steps that add to workflows which cannot enrol now. A run passes such a step silently; only the other
 * workflow counts it.
 * @param ownId the graph's own workflow, which is as the graph says once it is published
 */
export function destinationWarnings(graph: Graph, known: readonly Destination[], ownId: string): GraphWarning[] {
  return additions(graph.steps).flatMap(({ step, workflowId, stepId }) => {
    const own = workflowId === ownId;
    const found = known.find(({ id }) => id === workflowId);
    if (!own && !found) return [];
    const { name, status, stepIds } = { name: '', status: 'ACTIVE', stepIds: [], ...found };
    const warn = (problem: string) => [{ stepId: step.id, message: `${aboutStep(step)}: ${problem}` }];
    if (!own && status !== 'ACTIVE')
      return warn(`the workflow "${name}" is ${status} and enrols no subscribers until it is ACTIVE`);
    const steps = own ? graph.steps.map(({ id }) => id) : stepIds;
    if (stepId === undefined || steps.includes(stepId)) return [];
    return warn(`the workflow "${name}" has no step "${stepId}", so no subscriber is added to it`);
  });
}

/**
 * Warns of webhooks that would fail every run that reaches them.
 * @param problemOf the problem of an address that is never called; null when it may be called
 */
export function webhookWarnings({ steps }: Graph, problemOf: (url: string) => string | null): GraphWarning[] {
  return steps.flatMap((step) => {
    if (!isType(step, 'ACTION') || step.config.kind !== 'WEBHOOK') return [];
    const problem = problemOf(step.config.url);
    if (problem === null) return [];
    return [{ stepId: step.id, message: `${aboutStep(step)}: ${problem}; runs that come here fail` }];
  });
}

const additions = (steps: Graph['steps']) =>
  steps.flatMap((step) => {
    if (!isType(step, 'ACTION') || step.config.kind !== 'ADD_TO_WORKFLOW') return [];
    const { workflowId, stepId } = step.config;
    return [{ step, workflowId, stepId }];
  });
