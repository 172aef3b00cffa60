import type { SimGraph, SimStep, Stimulus } from './reference-model.js';

/** Numbers that a seed decides (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

/** Tags that come from outside, and tags that steps give and take: kept apart, so that no order of the two matters. */
export const outerTags = ['outer 0', 'outer 1', 'outer 2'];
export const innerTags = ['inner 0', 'inner 1', 'inner 2'];

const branchesOf = ({ type, config }: SimStep): (string | undefined)[] => {
  if (type === 'CONDITION') return ['TRUE', 'FALSE'];
  if (type === 'WAIT_UNTIL') return ['MATCHED', 'TIMEOUT'];
  if (type === 'SPLIT') return config.branches!.map(({ name }) => name);
  return type === 'MOVE_TO_STEP' || type === 'EXIT' ? [] : [undefined];
};

function randomStep(id: string, waits: readonly string[], random: Random): SimStep {
  const type = random.pick([
    'WAIT',
    'WAIT_UNTIL',
    'CONDITION',
    'SPLIT',
    'ACTION',
    'ACTION',
    'EMAIL',
    'GOAL',
    'MOVE_TO_STEP',
    'EXIT',
  ]);
  switch (type) {
    case 'WAIT':
      return { id, type, config: { hours: 1 + random.below(4) } };
    case 'WAIT_UNTIL':
      return {
        id,
        type,
        config: {
          tag: random.pick(outerTags),
          by: random.pick(['event', 'filters']),
          timeoutHours: 1 + random.below(4),
        },
      };
    case 'CONDITION':
      return { id, type, config: { tag: random.pick([...outerTags, ...innerTags]) } };
    case 'SPLIT':
      return { id, type, config: { branches: ['a', 'b', 'c'].map((name) => ({ name, weight: 1 + random.below(3) })) } };
    case 'ACTION':
      return { id, type, config: { tag: random.pick(innerTags), add: random.next() < 0.7 } };
    case 'GOAL':
      return { id, type, config: { tag: random.pick(outerTags) } };
    case 'MOVE_TO_STEP':
      return waits.length > 0
        ? { id, type, config: { stepId: random.pick(waits) } }
        : { id, type: 'EMAIL', config: {} };
    default:
      return { id, type, config: {} };
  }
}

/** A valid graph: each step hangs on an open way of one before it; moves lead back to waits. */
export function randomGraph(random: Random): SimGraph {
  const steps: SimStep[] = [{ id: 'start', type: 'TRIGGER', config: {} }];
  const edges: SimGraph['edges'] = [];
  const open: { source: string; branch?: string }[] = [{ source: 'start' }];
  const size = 6 + random.below(9);
  for (let n = 1; n <= size && open.length > 0; n++) {
    const waits = steps.filter(({ type }) => type === 'WAIT').map(({ id }) => id);
    const drawn = randomStep(`s${n}`, waits, random);
    // The last way out is no end, while there are steps to come.
    const step =
      branchesOf(drawn).length === 0 && open.length === 1 && n < size ? { ...drawn, type: 'EMAIL', config: {} } : drawn;
    steps.push(step);
    edges.push({ ...open.splice(random.below(open.length), 1)[0]!, target: step.id });
    if (open.length > 1 && random.next() < 0.3)
      edges.push({ ...open.splice(random.below(open.length), 1)[0]!, target: step.id });
    for (const branch of branchesOf(step)) open.push({ source: step.id, ...(branch && { branch }) });
  }
  for (const step of [...steps]) {
    const [branch] = branchesOf(step);
    if (branch === undefined || edges.some(({ source }) => source === step.id)) continue;
    steps.push({ id: `end-${step.id}`, type: 'EXIT', config: {} });
    edges.push({ source: step.id, target: `end-${step.id}`, branch });
  }
  const drawn =
    random.next() < 0.4 ? { tag: random.pick(outerTags), by: random.pick(['event', 'filters'] as const) } : null;
  // Where the tag moves the run too, filters may be tested before or after it moved on: both are right.
  const moves = steps.some(
    ({ type, config }) => (type === 'GOAL' || type === 'WAIT_UNTIL') && config.tag === drawn?.tag,
  );
  const exit = drawn && moves ? { ...drawn, by: 'event' as const } : drawn;
  return { steps, edges, exit, success: random.next() < 0.5 ? random.pick(outerTags) : null };
}

/** Draws the outer tags a subscriber receives, and when: some minutes past hours, at which no timer ends. */
export function randomStimuli(random: Random): Stimulus[] {
  return outerTags.flatMap((tag, n) =>
    random.next() < 0.6 ? [{ tag, minute: random.below(6) * 60 + 7 + 13 * n }] : [],
  );
}
