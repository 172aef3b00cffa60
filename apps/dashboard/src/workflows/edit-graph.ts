import type { FlowEdge, FlowGraph, FlowStep } from './flow-graph.js';
import { branchesOf, outlineOf, startsOf, stepsOf, Ways } from './outline.js';
import type { OutlineSequence } from './outline.js';

/** A place on a way: after a step, by one of its branches. */
export interface Place {
  after: string;
  branch?: string | undefined;
}

const isAt = ({ source, branch }: FlowEdge, place: Place): boolean => source === place.after && branch === place.branch;

export const targetAt = ({ edges }: FlowGraph, place: Place): string | null =>
  edges.find((edge) => isAt(edge, place))?.target ?? null;

/** An id for a new step, such as `wait-2`. */
export function newStepId({ steps }: FlowGraph, type: string): string {
  const known = new Set(steps.map(({ id }) => id));
  const base = type.toLowerCase().replaceAll('_', '-');
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!known.has(id)) return id;
  }
}

/** Adds a trigger, which leads where the first one does. */
export function withTrigger(graph: FlowGraph, step: FlowStep): FlowGraph {
  const ways = new Ways(graph);
  const [first] = startsOf(graph, ways);
  const isTrigger = first !== undefined && ways.steps.get(first)!.type === 'TRIGGER';
  const target = isTrigger ? ways.nextOf(first) : (first ?? null);
  return {
    steps: [step, ...graph.steps],
    edges: [...graph.edges, ...(target === null ? [] : [{ source: step.id, target }])],
  };
}

/** Adds a step on a way. What followed comes after it by each of its ways, so that nothing is cut off. */
export function withStep(graph: FlowGraph, step: FlowStep, place: Place): FlowGraph {
  return inserted({ ...graph, steps: [...graph.steps, step] }, { first: step.id, exits: openExits(step) }, place);
}

const openExits = (step: FlowStep): Place[] => {
  const branches = branchesOf(step);
  return branches === null ? [{ after: step.id }] : branches.map((branch) => ({ after: step.id, branch }));
};

function inserted(graph: FlowGraph, block: { first: string; exits: readonly Place[] }, place: Place): FlowGraph {
  const target = targetAt(graph, place);
  const next = {
    ...graph,
    edges: [
      ...graph.edges.filter((edge) => !isAt(edge, place)),
      edgeFrom(place, block.first),
      ...(target === null ? [] : block.exits.map((exit) => edgeFrom(exit, target))),
    ],
  };
  return pruned(graph, next);
}

const edgeFrom = ({ after, branch }: Place, target: string): FlowEdge => ({
  source: after,
  target,
  ...(branch !== undefined && { branch }),
});

/** Steps that stood on a way and no longer do leave the graph, such as those of an arm whose branch was removed. */
function pruned(before: FlowGraph, after: FlowGraph): FlowGraph {
  const had = reachedIn(before);
  const has = reachedIn(after);
  const gone = new Set(after.steps.flatMap(({ id }) => (had.has(id) && !has.has(id) ? [id] : [])));
  return gone.size === 0 ? after : without(after, gone);
}

/** Ids that a way of the graph leads to; a step that moves runs elsewhere leads there too. */
function reachedIn(graph: FlowGraph): Set<string> {
  const ways = new Ways(graph);
  const reached = new Set(startsOf(graph, ways));
  for (const id of reached) {
    for (const { target } of ways.out.get(id) ?? []) reached.add(target);
    const { type, config } = ways.steps.get(id)!;
    if (type === 'MOVE_TO_STEP' && ways.steps.has(String(config.stepId))) reached.add(String(config.stepId));
  }
  return reached;
}

const without = ({ steps, edges }: FlowGraph, ids: ReadonlySet<string>): FlowGraph => ({
  steps: steps.filter(({ id }) => !ids.has(id)),
  edges: edges.filter(({ source, target }) => !ids.has(source) && !ids.has(target)),
});

interface Block {
  /** All steps: the step itself, and those in its arms. */
  ids: ReadonlySet<string>;
  /** The step that follows the block. */
  next: string | null;
  /** The ways that leave the block for it. */
  exits: Place[];
}

/** A step with what stands in its arms. */
export function blockOf(graph: FlowGraph, id: string): Block {
  const found = findIn(outlineOf(graph), id)!;
  const { sequence, place } = found;
  const step = sequence.steps[place]!;
  const ids = new Set([id, ...step.arms.flatMap((arm) => stepsOf(arm.sequence))]);
  const after = sequence.steps[place + 1]?.id ?? sequence.tail;
  const leaving = graph.edges.filter(({ source, target }) => ids.has(source) && !ids.has(target));
  const meets = (target: string | null) => leaving.filter((edge) => edge.target === target).length;
  // An arm at the end of another arm goes on where that one does.
  const next = after ?? leaving.map(({ target }) => target).sort((a, b) => meets(b) - meets(a))[0] ?? null;
  const exits = leaving
    .filter(({ target }) => target === next)
    .map(({ source, branch }) => ({ after: source, branch }));
  return { ids, next, exits };
}

function findIn(
  sequences: readonly OutlineSequence[],
  id: string,
): { sequence: OutlineSequence; place: number } | null {
  for (const sequence of sequences) {
    const place = sequence.steps.findIndex((step) => step.id === id);
    if (place >= 0) return { sequence, place };
    const inner = findIn(
      sequence.steps.flatMap(({ arms }) => arms.map((arm) => arm.sequence)),
      id,
    );
    if (inner) return inner;
  }
  return null;
}

/** Removes a step and what stands in its arms; what led to it leads to what followed. */
export function withoutStep(graph: FlowGraph, id: string): FlowGraph {
  const { ids, next } = blockOf(graph, id);
  const joined = graph.edges.flatMap((edge) => {
    if (edge.target !== id || ids.has(edge.source)) return [edge];
    return next === null || next === edge.source ? [] : [{ ...edge, target: next }];
  });
  return pruned(graph, without({ ...graph, edges: joined }, ids));
}

/**
 * Moves a step, with what stands in its arms, to another place.
 * @returns null where it cannot stand there: inside itself, or where it would cut off what follows
 */
export function withMoved(graph: FlowGraph, id: string, place: Place): FlowGraph | null {
  const { ids, next, exits } = blockOf(graph, id);
  const ways = new Ways(graph);
  if (ways.steps.get(id)!.type === 'TRIGGER' || ids.has(place.after) || targetAt(graph, place) === id) return null;
  const target = targetAt(graph, place);
  const free = exits.length > 0 ? exits : freeExits(graph, ids);
  if (target !== null && free.length === 0) return null;
  const led = graph.edges.filter((edge) => edge.target === id && !ids.has(edge.source));
  const taken = new Set<FlowEdge>([
    ...led,
    ...graph.edges.filter((edge) => exits.some((exit) => isAt(edge, exit)) && edge.target === next),
  ]);
  const detached = {
    ...graph,
    edges: [
      ...graph.edges.filter((edge) => !taken.has(edge)),
      ...(next === null ? [] : led.map((edge) => ({ ...edge, target: next }))),
    ],
  };
  const moved = inserted(detached, { first: id, exits: free }, place);
  return moved.steps.length === graph.steps.length ? moved : null;
}

/** Ways out of a block that lead nowhere yet. */
function freeExits(graph: FlowGraph, ids: ReadonlySet<string>): Place[] {
  return graph.steps
    .filter((step) => ids.has(step.id))
    .flatMap((step) => openExits(step).filter((exit) => targetAt(graph, exit) === null));
}

/** All places of an outline in the order in which they are read, at which a step may stand. */
export function placesOf(graph: FlowGraph): Place[] {
  const ways = new Ways(graph);
  const places: Place[] = [];
  const walk = ({ steps }: OutlineSequence) =>
    steps.forEach(({ id, arms }) => {
      for (const { branch, sequence } of arms) {
        places.push({ after: id, branch });
        walk(sequence);
      }
      const branches = branchesOf(ways.steps.get(id)!);
      if (arms.length === 0 && branches === null) places.push({ after: id });
    });
  outlineOf(graph).forEach(walk);
  return places;
}

/** Moves a step to the next place up or down at which it can stand; null where there is none. */
export function withShifted(graph: FlowGraph, id: string, by: -1 | 1): FlowGraph | null {
  const places = placesOf(graph);
  const here = places.findIndex((place) => targetAt(graph, place) === id);
  if (here < 0) return null;
  const before = orderOf(graph);
  for (let at = here + by; at >= 0 && at < places.length; at += by) {
    const moved = withMoved(graph, id, places[at]!);
    if (moved && orderOf(moved) !== before) return moved;
  }
  return null;
}

/** The shape of a graph as a text, whatever the order of its lists. */
const orderOf = ({ edges }: FlowGraph): string =>
  edges
    .map(({ source, target, branch = '' }) => `${source}>${target}:${branch}`)
    .sort()
    .join();

/** Changes a step. Edges follow the names of a SPLIT's branches; an arm whose branch is gone leaves with its steps. */
export function withChanged(
  graph: FlowGraph,
  id: string,
  change: Partial<Pick<FlowStep, 'name' | 'config'>>,
): FlowGraph {
  const old = graph.steps.find((step) => step.id === id)!;
  const step = { ...old, ...change };
  const steps = graph.steps.map((one) => (one.id === id ? step : one));
  const [before, after] = [branchesOf(old) ?? [], branchesOf(step) ?? []];
  if (before.join('\n') === after.join('\n')) return { ...graph, steps };
  const renamed = new Map(
    before.map((name, place) => [
      name,
      after.includes(name) ? name : before.length === after.length ? after[place] : undefined,
    ]),
  );
  const edges = graph.edges.flatMap((edge) => {
    if (edge.source !== id || edge.branch === undefined || !renamed.has(edge.branch)) return [edge];
    const branch = renamed.get(edge.branch);
    return branch === undefined ? [] : [{ ...edge, branch }];
  });
  return pruned(graph, { steps, edges });
}

/** Leads a way to another step, or ends it. */
export function withWay(graph: FlowGraph, place: Place, target: string | null): FlowGraph {
  const edges = graph.edges.filter((edge) => !isAt(edge, place));
  return { ...graph, edges: target === null ? edges : [...edges, edgeFrom(place, target)] };
}
