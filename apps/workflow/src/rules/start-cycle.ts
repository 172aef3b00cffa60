import { isType } from './graph/graph.js';
import type { Graph } from './graph/graph.js';

export interface Starting {
  id: string;
  name: string;
  graph: Graph;
  reentry: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS';
}

/** Returns the effects of a graph's steps that can start workflows: tags added, fields set, other workflows. */
function effectsOf({ steps }: Graph): { keys: Set<string>; workflowIds: Set<string> } {
  const effects = { keys: new Set<string>(), workflowIds: new Set<string>() };
  for (const step of steps) {
    if (!isType(step, 'ACTION')) continue;
    const { config } = step;
    if (config.kind === 'ADD_TAGS') for (const tag of config.tags) effects.keys.add(`TAG_ADDED ${tag}`);
    if (config.kind === 'REMOVE_TAGS') for (const tag of config.tags) effects.keys.add(`TAG_REMOVED ${tag}`);
    if (config.kind === 'SET_FIELD') effects.keys.add(`FIELD_UPDATED ${config.field}`);
    if (config.kind === 'ADD_TO_WORKFLOW') effects.workflowIds.add(config.workflowId);
  }
  return effects;
}

const isStartedBy = (graph: Graph, keys: ReadonlySet<string>): boolean =>
  graph.steps.some((step) => {
    if (!isType(step, 'TRIGGER')) return false;
    const { kind, tags, fieldId } = step.config;
    const named = tags ?? (fieldId === undefined ? [] : [fieldId]);
    if (named.length > 0) return named.some((one) => keys.has(`${kind} ${one}`));
    return [...keys].some((key) => key.startsWith(`${kind} `));
  });

/**
 * Finds a circle of workflows that start each other for the same subscriber without end; those that take a subscriber
 * once end it.
 * @param own the workflow that is to be published
 * @param others the live versions of the organization's ACTIVE workflows
 * @returns the names of the circle in order, the own first
 */
export function findStartCycle(own: Starting, others: readonly Starting[]): string[] | null {
  const all = [own, ...others.filter(({ id }) => id !== own.id)].filter(({ reentry }) => reentry !== 'ONCE');
  if (all[0] !== own) return null;
  const cameFrom = new Map<string, Starting | null>();
  const open: Starting[] = [own];
  for (let from = open.shift(); from; from = open.shift()) {
    const { keys, workflowIds } = effectsOf(from.graph);
    for (const to of all) {
      // The effects of a workflow's own steps do not start it, except a step that adds to it.
      if (!workflowIds.has(to.id) && (to === from || !isStartedBy(to.graph, keys))) continue;
      if (to === own) return pathTo(from, cameFrom);
      if (cameFrom.has(to.id)) continue;
      cameFrom.set(to.id, from);
      open.push(to);
    }
  }
  return null;
}

/** Describes a cycle in words, from its first workflow back to it: `"A" starts "B" starts "A"`. */
export const describeCycle = (cycle: readonly string[]): string =>
  [...cycle, cycle[0]!].map((name) => `"${name}"`).join(' starts ');

function pathTo(last: Starting, cameFrom: ReadonlyMap<string, Starting | null>): string[] {
  const names: string[] = [];
  for (let at: Starting | null | undefined = last; at; at = cameFrom.get(at.id)) names.unshift(at.name);
  return names;
}
