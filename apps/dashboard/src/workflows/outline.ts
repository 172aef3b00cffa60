import type { FlowEdge, FlowGraph, FlowStep } from './flow-graph.js';

/** A step in the outline, with the ways that leave it by a branch. */
export interface OutlineStep {
  id: string;
  arms: readonly OutlineArm[];
  /** Where all arms meet again: the step that follows in the sequence, if any does. */
}

/** One way out of a step: by a branch, or by one of several edges without a name. */
export interface OutlineArm {
  branch: string | undefined;
  sequence: OutlineSequence;
}

/** Steps one after the other. */
export interface OutlineSequence {
  steps: readonly OutlineStep[];
  /** The step at which the way goes on elsewhere; null where it ends, or its last step has arms of its own. */
  tail: string | null;
}

/** All steps, each once: a sequence for each start, then those that no way leads to. */
export type Outline = readonly OutlineSequence[];

/** The names of the ways out of a step; null for one way without a name, empty for none. */
export function branchesOf({ type, config }: FlowStep): readonly string[] | null {
  switch (type) {
    case 'CONDITION':
      return ['TRUE', 'FALSE'];
    case 'WAIT_UNTIL':
      return ['MATCHED', 'TIMEOUT'];
    case 'SPLIT':
      return Array.isArray(config.branches)
        ? (config.branches as { name?: unknown }[]).map(({ name }) => String(name ?? ''))
        : [];
    case 'EXIT':
    case 'MOVE_TO_STEP':
      return [];
    default:
      return null;
  }
}

/** Looks up what leaves and what enters each step. */
export class Ways {
  readonly out = new Map<string, FlowEdge[]>();
  readonly into = new Map<string, FlowEdge[]>();
  readonly steps: ReadonlyMap<string, FlowStep>;

  constructor({ steps, edges }: FlowGraph) {
    this.steps = new Map(steps.map((step) => [step.id, step]));
    for (const edge of edges) {
      if (!this.steps.has(edge.source) || !this.steps.has(edge.target)) continue;
      push(this.out, edge.source, edge);
      push(this.into, edge.target, edge);
    }
  }

  /** The arms of a step in order: its branches, then edges that no branch names; empty for a step with one way. */
  armsOf(id: string): { branch: string | undefined; target: string | null }[] {
    const edges = this.out.get(id) ?? [];
    const branches = branchesOf(this.steps.get(id)!);
    const isPlain = (branches === null || branches.length === 0) && edges.length <= 1;
    if (isPlain && edges.every(({ branch }) => branch === undefined)) return [];
    const named = (branches ?? []).map((branch) => ({
      branch,
      target: edges.find((edge) => edge.branch === branch)?.target ?? null,
    }));
    const taken = new Set((branches ?? []).map((branch) => edges.find((edge) => edge.branch === branch)));
    const others = edges.filter((edge) => !taken.has(edge)).map(({ branch, target }) => ({ branch, target }));
    return [...named, ...others];
  }

  /** The step after one that has a single way out without a name. */
  nextOf(id: string): string | null {
    return this.armsOf(id).length > 0 ? null : (this.out.get(id)?.[0]?.target ?? null);
  }

  /** Steps that can be reached from one, itself included, nearest first. */
  reach(from: string): string[] {
    const found = new Set([from]);
    for (const id of found) for (const { target } of this.out.get(id) ?? []) found.add(target);
    return [...found];
  }
}

const push = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
};

/** Steps at which runs begin: triggers, else steps that no edge leads to. */
export function startsOf({ steps }: FlowGraph, ways: Ways): string[] {
  const triggers = steps.filter(({ type }) => type === 'TRIGGER');
  return (triggers.length > 0 ? triggers : steps.filter(({ id }) => !ways.into.has(id))).map(({ id }) => id);
}

/** The outline of a graph of any form; no step and no edge is lost. */
export function outlineOf(graph: FlowGraph): Outline {
  const ways = new Ways(graph);
  const writer = new OutlineWriter(ways);
  const sequences = startsOf(graph, ways).map((id) => writer.sequence(id, new Set()));
  for (const { id } of graph.steps) if (!writer.placed.has(id)) sequences.push(writer.sequence(id, new Set()));
  return sequences;
}

class OutlineWriter {
  readonly placed = new Set<string>();

  constructor(private readonly ways: Ways) {}

  /** @param stops steps that stand further below, after the arms that are being written */
  sequence(start: string | null, stops: ReadonlySet<string>): OutlineSequence {
    const steps: OutlineStep[] = [];
    let at = start;
    while (at !== null && !this.placed.has(at) && !stops.has(at)) {
      const id = at;
      this.placed.add(id);
      const arms = this.ways.armsOf(id);
      if (arms.length === 0) {
        steps.push({ id, arms: [] });
        at = this.ways.nextOf(id);
        continue;
      }
      const join = this.#joinOf(arms.map(({ target }) => target));
      const below = join === null ? stops : new Set([...stops, join]);
      steps.push({
        id,
        arms: arms.map(({ branch, target }) => ({ branch, sequence: this.sequence(target, below) })),
      });
      if (join === null || stops.has(join) || this.placed.has(join)) return { steps, tail: null };
      at = join;
    }
    return { steps, tail: at };
  }

  /** The nearest step at which most of the arms meet; null where no two do. */
  #joinOf(targets: readonly (string | null)[]): string | null {
    const reaches = targets.flatMap((target) => (target === null ? [] : [this.ways.reach(target)]));
    const counts = new Map<string, number>();
    for (const reach of reaches) for (const id of reach) counts.set(id, (counts.get(id) ?? 0) + 1);
    let best: string | null = null;
    for (const reach of reaches)
      for (const id of reach)
        if (!this.placed.has(id) && counts.get(id)! > (best === null ? 1 : counts.get(best)!)) best = id;
    return best;
  }
}

/** The edges that an outline says. */
export function edgesOf(outline: Outline): FlowEdge[] {
  const edges: FlowEdge[] = [];
  const way = (source: string, target: string | null, branch?: string) => {
    if (target !== null) edges.push({ source, target, ...(branch !== undefined && { branch }) });
  };
  const walk = ({ steps, tail }: OutlineSequence) => {
    steps.forEach(({ id, arms }, place) => {
      if (arms.length === 0) way(id, steps[place + 1]?.id ?? tail);
      for (const { branch, sequence } of arms) {
        way(id, sequence.steps[0]?.id ?? sequence.tail, branch);
        walk(sequence);
      }
    });
  };
  outline.forEach(walk);
  return edges;
}

/** Every step of a sequence, in the order of the outline. */
export const stepsOf = ({ steps }: OutlineSequence): string[] =>
  steps.flatMap(({ id, arms }) => [id, ...arms.flatMap(({ sequence }) => stepsOf(sequence))]);
