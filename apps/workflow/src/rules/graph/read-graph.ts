import type { Issue } from '#contracts';
import { describeIssues, safeParse } from '#tool-call';
import { configs, upperKind } from './step-config.js';
import { branchesOf, entryOf, followersOf, isType } from './graph.js';
import type { Edge, Graph, Step, StepType } from './graph.js';

/** A valid construct that its author may not have intended. */
export interface GraphWarning {
  stepId: string | null;
  message: string;
}

/** A graph as a caller sends it: only its outer shape has been checked. */
export interface GivenGraph {
  steps: readonly Record<string, unknown>[];
  edges: readonly Record<string, unknown>[];
}

export interface ReadGraph {
  /** The steps that could be read; complete only without issues. */
  graph: Graph;
  /** Index in the given list for each step that could be read. */
  places: number[];
  issues: Issue[];
  warnings: GraphWarning[];
}

const idPattern = /^[A-Za-z0-9_-]{1,64}$/;
const types = Object.keys(configs) as StepType[];

export const aboutStep = (step: { id: string; type: string }): string => `step "${step.id}" (${step.type})`;

/** Reads a graph as given, and reports all its problems at once, each with its place, step and rule. */
export function readGraph(given: GivenGraph): ReadGraph {
  const issues: Issue[] = [];
  const places = new Map<string, number>();
  const steps = given.steps.flatMap((raw, place) => readStep(raw, { place, places, issues }) ?? []);
  if (given.steps.length === 0) issues.push({ path: ['steps'], message: 'the graph has no step' });
  const edges = given.edges.flatMap((raw, place) => readEdge(raw, { place, steps, places, issues }) ?? []);
  const graph = { steps, edges };
  for (const step of steps) {
    if (isType(step, 'MOVE_TO_STEP') && !places.has(step.config.stepId))
      issues.push({
        path: ['steps', places.get(step.id)!, 'config', 'stepId'],
        message: `${aboutStep(step)}: there is no step "${step.config.stepId}"`,
      });
  }
  // Issues of the whole graph would be misleading while steps could not be read.
  if (issues.length === 0) issues.push(...shapeIssues(graph));
  const understood = steps.map(({ id }) => places.get(id)!);
  return { graph, places: understood, issues, warnings: issues.length === 0 ? warningsOf(graph) : [] };
}

interface Reading {
  place: number;
  places: Map<string, number>;
  issues: Issue[];
}

function readStep(raw: Record<string, unknown>, { place, places, issues }: Reading): Step | null {
  const { id, name, position } = raw as { id: string; name?: string; position?: unknown };
  const type = (raw.type as string).trim().toUpperCase() as StepType;
  const reported = issues.length;
  const step = { id, type };
  const tell = (path: Issue['path'], message: string) =>
    issues.push({ path: ['steps', place, ...path], message: `${aboutStep(step)}: ${message}` });
  if (!idPattern.test(id)) tell(['id'], 'an id has 1 to 64 letters, digits, _ and -');
  if (places.has(id)) tell(['id'], 'the id is used twice');
  else places.set(id, place);
  if (!types.includes(type)) {
    tell(['type'], `unknown type; the types are ${types.join(', ')}`);
    return null;
  }
  const config = upperKind(raw.config ?? {});
  const parsed = safeParse(configs[type], config);
  if (!parsed.success) {
    for (const { path, message } of describeIssues(configs[type], config, parsed.error))
      tell(['config', ...path], message);
    return null;
  }
  if (issues.length > reported) return null;
  return { ...step, config: parsed.data, ...(name && { name }), ...(position !== undefined && { position }) } as Step;
}

function readEdge(
  raw: Record<string, unknown>,
  { place, steps, places, issues }: Reading & { steps: readonly Step[] },
): Edge | null {
  const { source, target } = raw as unknown as Edge;
  const given = (raw.branch as string | null | undefined) || undefined;
  const tell = (key: string, message: string) => issues.push({ path: ['edges', place, key], message });
  if (!places.has(source)) tell('source', `the edge leaves from "${source}", which is no step`);
  if (!places.has(target)) tell('target', `the edge leads to "${target}", which is no step`);
  const from = steps.find(({ id }) => id === source);
  if (!from || !places.has(target)) return null;
  const names = branchesOf(from);
  if (names === null) {
    if (given !== undefined && given.toUpperCase() !== 'DEFAULT') {
      tell('branch', `${aboutStep(from)}: unknown branch "${given}"; it has one way out, without a name`);
    }
    return { source, target };
  }
  const branch = given ?? (from.type === 'WAIT_UNTIL' ? 'MATCHED' : undefined);
  const named = names.find((name) => name === branch) ?? names.find((name) => name === branch?.toUpperCase());
  if (named === undefined) {
    const problem = branch === undefined ? 'missing branch' : `unknown branch "${branch}"`;
    tell('branch', `${aboutStep(from)}: ${problem}; its branches are ${names.join(', ')}`);
    return null;
  }
  return { source, target, branch: named };
}

/** Finds issues of the whole graph: ways out, starts of runs, unreachable steps, cycles. */
function shapeIssues(graph: Graph): Issue[] {
  const issues: Issue[] = [];
  const placeOf = new Map(graph.steps.map(({ id }, place) => [id, place]));
  const tell = (step: Step, message: string) =>
    issues.push({ path: ['steps', placeOf.get(step.id)!], message: `${aboutStep(step)}: ${message}` });
  const targets = new Set(graph.edges.map(({ target }) => target));
  for (const step of graph.steps) {
    const ways = graph.edges.filter(({ source }) => source === step.id);
    const twice = ways.find((way, place) => ways.findIndex(({ branch }) => branch === way.branch) < place);
    if (twice) tell(step, `two edges leave by ${twice.branch ?? 'its one way out'}`);
    if (isType(step, 'EXIT') && ways.length > 0) tell(step, 'no edge leaves an EXIT');
    if (isType(step, 'MOVE_TO_STEP') && ways.length > 0) tell(step, 'it leads where its config says, and by no edge');
    if (isType(step, 'TRIGGER') && targets.has(step.id)) tell(step, 'no edge leads to a TRIGGER');
    if (branchesOf(step) && ways.length === 0)
      tell(step, `missing branch: none of ${branchesOf(step)!.join(', ')} leads on`);
  }
  const starts = startsOf(graph);
  if (starts.length === 0) {
    issues.push({
      path: ['steps'],
      message: 'without a TRIGGER exactly one step must have no edge leading to it: runs begin there',
    });
    return issues;
  }
  const reached = reachedFrom(starts, followersOf(graph));
  for (const step of graph.steps) if (!reached.has(step.id)) tell(step, 'unreachable: no way leads here');
  for (const step of looping(graph)) tell(step, 'is on a cycle with no WAIT or WAIT_UNTIL in it');
  return issues;
}

function startsOf(graph: Graph): string[] {
  const triggers = graph.steps.filter(({ type }) => type === 'TRIGGER').map(({ id }) => id);
  const entry = triggers.length > 0 ? null : entryOf(graph);
  return entry === null ? triggers : [entry];
}

function reachedFrom(starts: readonly string[], ways: Map<string, string[]>): Set<string> {
  const reached = new Set<string>();
  for (const open = [...starts]; open.length > 0;) {
    const id = open.pop()!;
    if (reached.has(id)) continue;
    reached.add(id);
    open.push(...(ways.get(id) ?? []));
  }
  return reached;
}

function looping(graph: Graph): Step[] {
  const waits = new Set(graph.steps.filter(({ type }) => type === 'WAIT' || type === 'WAIT_UNTIL').map(({ id }) => id));
  const ways = new Map(
    [...followersOf(graph)].map(([id, next]) => [id, waits.has(id) ? [] : next.filter((to) => !waits.has(to))]),
  );
  return graph.steps.filter(({ id }) => reachedFrom(ways.get(id)!, ways).has(id));
}

function warningsOf(graph: Graph): GraphWarning[] {
  const warnings: GraphWarning[] = [];
  const warn = (step: Step, message: string) =>
    warnings.push({ stepId: step.id, message: `${aboutStep(step)}: ${message}` });
  const sources = new Map(graph.steps.map(({ id }) => [id, graph.edges.filter(({ source }) => source === id)]));
  for (const step of graph.steps) {
    const ways = sources.get(step.id)!;
    const open = (branchesOf(step) ?? []).filter((name) => !ways.some(({ branch }) => branch === name));
    const shut = isType(step, 'WAIT_UNTIL') && step.config.timeout === undefined ? ['TIMEOUT'] : [];
    const ends = open.filter((name) => !shut.includes(name));
    if (ends.length > 0) warn(step, `runs that leave by ${ends.join(' or ')} complete here`);
    if (isType(step, 'WAIT_UNTIL') && step.config.timeout === undefined)
      warn(step, 'without a timeout a run may wait here for ever');
    if (isType(step, 'WAIT') && (step.config.duration === 0 || step.config.amount === 0))
      warn(step, 'waits for no time');
    if (isType(step, 'TRIGGER') && ways.length === 0) warn(step, 'starts runs that complete at once');
    if (isType(step, 'SPLIT') && step.config.branches.filter(({ weight }) => weight > 0).length === 1)
      warn(step, 'one branch takes all runs');
  }
  if (!graph.steps.some(({ type }) => type === 'EMAIL' || type === 'ACTION'))
    warnings.push({ stepId: null, message: 'The workflow has neither an EMAIL nor an ACTION: it does nothing.' });
  return warnings;
}
