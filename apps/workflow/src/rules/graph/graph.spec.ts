import { describe, expect, it } from '@jest/globals';
import { upstreamOf } from './graph.js';
import type { Graph } from './graph.js';

const graphOf = (...ids: string[]): Graph => ({
  steps: ids.map((id) => ({ id, type: 'EXIT', config: {} })),
  edges: ids.slice(1).map((target, place) => ({ source: ids[place]!, target })),
});

describe('upstreamOf', () => {
  it('returns the steps that lead to a step, itself only if it is on a cycle', () => {
    const graph = graphOf('a', 'b', 'c', 'd');
    expect(upstreamOf(graph, 'c')).toEqual(new Set(['a', 'b']));
    graph.edges.push({ source: 'd', target: 'b' });
    expect(upstreamOf(graph, 'c')).toEqual(new Set(['a', 'b', 'c', 'd']));
  });

  it('answers for every step of the largest graph without holding up the process', () => {
    const graph = graphOf(...Array.from({ length: 500 }, (_, n) => `s${n}`));
    // Measures CPU time, since a busy machine may delay the process.
    const begin = process.cpuUsage();
    for (const { id } of graph.steps) upstreamOf(graph, id);
    const { user, system } = process.cpuUsage(begin);
    expect((user + system) / 1_000).toBeLessThan(1_500);
  });
});
