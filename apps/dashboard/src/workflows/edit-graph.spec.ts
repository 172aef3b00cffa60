import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placesOf, withChanged, withMoved, withoutStep, withShifted, withStep, withTrigger } from './edit-graph.js';
import type { FlowEdge, FlowGraph, FlowStep } from './flow-graph.js';
import { edgesOf, outlineOf, startsOf, stepsOf, Ways } from './outline.js';

const types = ['EMAIL', 'WAIT', 'CONDITION', 'SPLIT', 'WAIT_UNTIL', 'EXIT', 'MOVE_TO_STEP', 'GOAL'];
const stepOf = (id: string, type: string): FlowStep => ({
  id,
  type,
  config: type === 'SPLIT' ? { branches: [{ name: 'A' }, { name: 'B' }, { name: 'C' }] } : {},
});
const trigger = stepOf('start', 'TRIGGER');
const text = ({ source, target, branch = '' }: FlowEdge) => `${source}>${target}:${branch}`;
const texts = (edges: readonly FlowEdge[]) => edges.map(text).sort();

/** A graph as the outline makes it, by any sequence of its own operations. */
const edited = fc
  .array(fc.record({ type: fc.constantFrom(...types), at: fc.nat(), deed: fc.nat(9) }), { maxLength: 25 })
  .map((deeds) => {
    let graph: FlowGraph = { steps: [trigger], edges: [] };
    deeds.forEach(({ type, at, deed }, n) => {
      const places = placesOf(graph);
      const place = places[at % places.length];
      const others = graph.steps.filter((step) => step.type !== 'TRIGGER');
      const step = others[at % Math.max(1, others.length)];
      if (deed === 0 && step) graph = withoutStep(graph, step.id);
      else if (deed === 1 && step) graph = withShifted(graph, step.id, at % 2 === 0 ? 1 : -1) ?? graph;
      else if (deed === 2) graph = withTrigger(graph, stepOf(`trigger${n}`, 'TRIGGER'));
      else if (place) graph = withStep(graph, stepOf(`s${n}`, type), place);
    });
    return graph;
  });

/** Any graph at all: joins, cycles, edges that no branch names, steps that no way leads to. */
const anyGraph = fc
  .record({
    kinds: fc.array(fc.constantFrom('TRIGGER', ...types), { minLength: 1, maxLength: 14 }),
    ways: fc.array(fc.record({ from: fc.nat(), to: fc.nat(), branch: fc.nat(4) }), { maxLength: 24 }),
  })
  .map(({ kinds, ways }): FlowGraph => {
    const steps = kinds.map((type, n) => stepOf(`s${n}`, type));
    const names = [undefined, 'TRUE', 'FALSE', 'A', 'MATCHED'];
    const edges = new Map<string, FlowEdge>();
    for (const { from, to, branch } of ways) {
      const edge = { source: `s${from % steps.length}`, target: `s${to % steps.length}`, branch: names[branch] };
      const { branch: name, ...bare } = edge;
      edges.set(text(edge), name === undefined ? bare : { ...bare, branch: name });
    }
    return { steps, edges: [...edges.values()] };
  });

/** Steps that no run can come to, though a start exists. */
function lost(graph: FlowGraph): string[] {
  const ways = new Ways(graph);
  const reached = new Set(startsOf(graph, ways).flatMap((id) => ways.reach(id)));
  return graph.steps.map(({ id }) => id).filter((id) => !reached.has(id));
}

describe('the outline of a graph', () => {
  it('holds each step once and says every edge, whatever the graph', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const outline = outlineOf(graph);
        expect(outline.flatMap(stepsOf).sort()).toEqual(graph.steps.map(({ id }) => id).sort());
        expect(texts(edgesOf(outline))).toEqual(texts(graph.edges));
      }),
      { numRuns: 500 },
    );
  });

  it('puts the step at which both arms meet after them, not into one', () => {
    const graph: FlowGraph = {
      steps: [trigger, stepOf('if', 'CONDITION'), stepOf('yes', 'EMAIL'), stepOf('after', 'WAIT')],
      edges: [
        { source: 'start', target: 'if' },
        { source: 'if', target: 'yes', branch: 'TRUE' },
        { source: 'yes', target: 'after' },
        { source: 'if', target: 'after', branch: 'FALSE' },
      ],
    };
    const [sequence] = outlineOf(graph);
    expect(sequence!.steps.map(({ id }) => id)).toEqual(['start', 'if', 'after']);
    expect(sequence!.steps[1]!.arms.map((arm) => stepsOf(arm.sequence))).toEqual([['yes'], []]);
  });
});

describe('editing a graph', () => {
  it('cuts no step off, and gives no way two edges', () => {
    fc.assert(
      fc.property(edited, (graph) => {
        expect(lost(graph)).toEqual([]);
        const ways = graph.edges.map(({ source, branch = '' }) => `${source}:${branch}`);
        expect(new Set(ways).size).toBe(ways.length);
      }),
      { numRuns: 300 },
    );
  });

  it('moves a step without losing another, and back again', () => {
    fc.assert(
      fc.property(edited, fc.nat(), fc.nat(), (graph, which, where) => {
        const movable = graph.steps.filter(({ type }) => type !== 'TRIGGER');
        const places = placesOf(graph);
        if (movable.length === 0 || places.length === 0) return;
        const moved = withMoved(graph, movable[which % movable.length]!.id, places[where % places.length]!);
        if (!moved) return;
        expect(moved.steps).toEqual(graph.steps);
        expect(lost(moved)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('removes an arm with its steps, and joins what is left', () => {
    let graph: FlowGraph = { steps: [trigger], edges: [] };
    graph = withStep(graph, stepOf('mail', 'EMAIL'), { after: 'start' });
    graph = withStep(graph, stepOf('if', 'CONDITION'), { after: 'start' });
    graph = withStep(graph, stepOf('inside', 'WAIT'), { after: 'if', branch: 'TRUE' });
    expect(withoutStep(graph, 'if')).toEqual({
      steps: [trigger, stepOf('mail', 'EMAIL')],
      edges: [{ source: 'start', target: 'mail' }],
    });
  });

  it('moves a step down into an arm, through it and out of it', () => {
    let graph: FlowGraph = { steps: [trigger], edges: [] };
    graph = withStep(graph, stepOf('if', 'CONDITION'), { after: 'start' });
    graph = withStep(graph, stepOf('wait', 'WAIT'), { after: 'start' });
    const inArm = withShifted(graph, 'wait', 1)!;
    expect(texts(inArm.edges)).toEqual(['if>wait:TRUE', 'start>if:']);
    const inOther = withShifted(inArm, 'wait', 1)!;
    expect(texts(inOther.edges)).toEqual(['if>wait:FALSE', 'start>if:']);
    expect(texts(withShifted(inArm, 'wait', -1)!.edges)).toEqual(['start>wait:', 'wait>if:']);
  });

  it('renames edges with the branches of a split', () => {
    let graph: FlowGraph = { steps: [trigger], edges: [] };
    graph = withStep(graph, stepOf('split', 'SPLIT'), { after: 'start' });
    graph = withStep(graph, stepOf('a', 'EMAIL'), { after: 'split', branch: 'A' });
    graph = withChanged(graph, 'split', { config: { branches: [{ name: 'Half' }, { name: 'B' }, { name: 'C' }] } });
    expect(texts(graph.edges)).toEqual(['split>a:Half', 'start>split:']);
    expect(withChanged(graph, 'split', { config: { branches: [{ name: 'B' }] } }).steps.map(({ id }) => id)).toEqual([
      'start',
      'split',
    ]);
  });
});
