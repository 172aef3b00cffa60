import type { Issue } from '#contracts';
import { describeIssues, safeParse, summarise, timezoneNamed, ToolError } from '#tool-call';
import { goalSchema, settingsSchema } from '../graph/step-config.js';
import type { Settings, SuccessGoal } from '../graph/step-config.js';
import type { Graph } from '../graph/graph.js';
import { readGraph } from '../graph/read-graph.js';
import type { GivenGraph, GraphWarning } from '../graph/read-graph.js';

export interface Draft {
  graph: Graph;
  settings: Settings;
  successGoals: SuccessGoal[];
}

/** A draft as given; absent settings and goals keep their values. */
export interface GivenDraft extends GivenGraph {
  settings?: unknown;
  successGoals?: readonly unknown[] | undefined;
}

export const emptyDraft = (): Draft => ({
  graph: { steps: [], edges: [] },
  settings: settingsSchema.parse({}),
  successGoals: [],
});

/** Index in the given lists for each accepted entry; a draft leaves out entries that could not be read. */
export interface Places {
  steps: number[];
  successGoals: number[];
}

/** Reads a draft by its own rules; references are looked up elsewhere. @param before the current draft */
export function readDraft(
  given: GivenDraft,
  before: Draft,
): { draft: Draft; places: Places; issues: Issue[]; warnings: GraphWarning[] } {
  const { graph, places: steps, issues, warnings } = readGraph(given);
  const settings =
    given.settings === undefined ? before.settings : readSettings(given.settings, before.settings, issues);
  const places: Places = { steps, successGoals: [] };
  const successGoals =
    given.successGoals === undefined ? before.successGoals : readGoals(given.successGoals, places.successGoals, issues);
  return { draft: { graph, settings, successGoals }, places, issues, warnings };
}

/** Moves an issue of a draft to the path in the caller's lists. */
export function placed(issue: Issue, places: Places): Issue {
  const [list, place, ...below] = issue.path;
  const given = list === 'steps' || list === 'successGoals' ? places[list][place as number] : undefined;
  return given === undefined ? issue : { ...issue, path: [list!, given, ...below] };
}

/** Applies given settings: omitted ones keep their values, null clears. */
function readSettings(given: unknown, before: Settings, issues: Issue[]): Settings {
  const all = Object.entries({ ...before, ...(given as object) });
  const whole = Object.fromEntries(all.filter(([, value]) => value !== null));
  const parsed = safeParse(settingsSchema, whole);
  if (!parsed.success) {
    const reported = describeIssues(settingsSchema, whole, parsed.error);
    issues.push(...reported.map(({ path, message }) => ({ path: ['settings', ...path], message })));
    return settingsSchema.parse({});
  }
  if (parsed.data.timezone) checkZone(parsed.data.timezone, ['settings', 'timezone'], issues);
  return parsed.data;
}

function readGoals(given: readonly unknown[], places: number[], issues: Issue[]): SuccessGoal[] {
  const goals = given.flatMap((raw, place): SuccessGoal[] => {
    const parsed = safeParse(goalSchema, raw);
    if (parsed.success) {
      places.push(place);
      const id = parsed.data.id ?? `goal-${place + 1}`;
      return [{ ...parsed.data, id, name: parsed.data.name ?? id }];
    }
    issues.push(
      ...describeIssues(goalSchema, raw, parsed.error).map(({ path, message }) =>
        issueAt(['successGoals', place, ...path], `goal ${place + 1}: ${message}`),
      ),
    );
    return [];
  });
  goals.forEach(({ id }, place) => {
    if (goals.findIndex((goal) => goal.id === id) < place)
      issues.push(
        issueAt(['successGoals', places[place]!, 'id'], `goal ${places[place]! + 1}: the id "${id}" is used twice`),
      );
  });
  return goals;
}

export function checkZone(name: string, path: Issue['path'], issues: Issue[]): void {
  try {
    timezoneNamed(name);
  } catch {
    issues.push(issueAt(path, `"${name}" is not an IANA time zone`));
  }
}

const issueAt = (path: readonly PropertyKey[], message: string): Issue => ({ path: path as Issue['path'], message });

/** Returns an issue with the step it is about, and its path in the caller's body. */
export function located(
  { path, message }: Issue,
  steps: readonly { id?: unknown }[],
  under: Issue['path'] = [],
): Issue {
  const stepId = path[0] === 'steps' ? steps[path[1] as number]?.id : undefined;
  return { path: [...under, ...path], message, ...(typeof stepId === 'string' && { stepId }) };
}

export function assertValid(
  issues: readonly Issue[],
  steps: readonly { id?: unknown }[],
  under: Issue['path'] = [],
): void {
  if (issues.length === 0) return;
  const reported = issues.map((issue) => located(issue, steps, under));
  throw new ToolError('GRAPH_INVALID', { summary: summarise(reported) }, { issues: reported });
}

/** Returns the changes of a version by publishing a draft. @param rewritten steps whose email was written since */
export function differenceOf(draft: Draft, live: Draft, rewritten: readonly string[] = []) {
  const before = new Map(live.graph.steps.map((step) => [step.id, bare(step)]));
  const after = new Map(draft.graph.steps.map((step) => [step.id, bare(step)]));
  const same = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
  const order = ({ graph }: Draft) => graph.edges.map((edge) => JSON.stringify(sorted(edge))).sort();
  // A draft without a time zone takes the organization's, which publishing writes into the version.
  const timezone = draft.settings.timezone ?? live.settings.timezone;
  return {
    stepsAdded: [...after.keys()].filter((id) => !before.has(id)),
    stepsRemoved: [...before.keys()].filter((id) => !after.has(id)),
    stepsChanged: [...after.keys()].filter(
      (id) => before.has(id) && (rewritten.includes(id) || !same(before.get(id), after.get(id))),
    ),
    edges: !same(order(draft), order(live)),
    settings: !same({ ...draft.settings, timezone }, live.settings),
    successGoals: !same(draft.successGoals, live.successGoals),
  };
}

const bare = (step: object) => ({ ...step, position: undefined });

/** Sorts the keys of JSON: the database returns them in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
