import type { Edge, Node } from '@xyflow/react';
import type { FlowGraph } from './flow-graph.js';
import type { Place } from './edit-graph.js';
import { targetAt } from './edit-graph.js';
import { nodeSize, openEndId, openEndSize } from './layout-graph.js';
import type { Positions } from './layout-graph.js';
import { branchesOf } from './outline.js';

export type StepNode = Node<{ stepId: string }, 'step'>;
export type OpenEndNode = Node<{ place: Place }, 'openEnd'>;
export type WayEdge = Edge<{ branch: string | undefined; isMove: boolean; isOpen?: boolean }, 'way'>;

/** The nodes of a graph at their places; steps that the layout does not know yet are left out. */
export const nodesOf = ({ steps }: FlowGraph, positions: Positions): StepNode[] =>
  steps.flatMap(({ id }) =>
    positions[id]
      ? [{ id, type: 'step' as const, position: positions[id], data: { stepId: id }, ...nodeSize, measured: nodeSize }]
      : [],
  );

/** The edges of a graph, and a dashed one for each step that moves runs elsewhere. */
export function wayEdgesOf({ steps, edges }: FlowGraph, positions: Positions): WayEdge[] {
  const isShown = ({ source, target }: { source: string; target: string }) =>
    positions[source] !== undefined && positions[target] !== undefined;
  const ways = edges.map(({ source, target, branch }): WayEdge => ({
    id: `${source}>${target}:${branch ?? ''}`,
    type: 'way',
    source,
    target,
    data: { branch, isMove: false },
  }));
  const moves = steps.flatMap(({ id, type, config }): WayEdge[] =>
    type === 'MOVE_TO_STEP'
      ? [
          {
            id: `${id}>>`,
            type: 'way',
            source: id,
            target: String(config.stepId),
            data: { branch: undefined, isMove: true },
          },
        ]
      : [],
  );
  return [...ways, ...moves].filter(isShown);
}

/** The ways of a graph that lead nowhere: by each branch, or after a step without branches. */
export const openEndsOf = (graph: FlowGraph): Place[] =>
  graph.steps
    .flatMap((step): Place[] => {
      const branches = branchesOf(step);
      return branches === null
        ? [{ after: step.id, branch: undefined }]
        : branches.map((branch) => ({ after: step.id, branch }));
    })
    .filter((place) => targetAt(graph, place) === null);

const endOf = ({ after, branch }: Place): string => openEndId(after, branch);

/** Ids and edges of open ends, as the layout takes them. */
export const openEndLayout = (ends: readonly Place[]) => ({
  ids: ends.map(endOf),
  edges: ends.map((end) => [end.after, endOf(end)] as const),
});

/** A node for each open end, at which a step can be added. */
export const openEndNodes = (ends: readonly Place[], positions: Positions): OpenEndNode[] =>
  ends.flatMap((place) => {
    const [id, position] = [endOf(place), positions[endOf(place)]];
    return position
      ? [{ id, type: 'openEnd' as const, position, data: { place }, ...openEndSize, measured: openEndSize }]
      : [];
  });

/** The edge to each open end, with the name of its branch. */
export const openEndEdges = (ends: readonly Place[], positions: Positions): WayEdge[] =>
  ends.flatMap((end) =>
    positions[end.after] && positions[endOf(end)]
      ? [
          {
            id: endOf(end),
            type: 'way' as const,
            source: end.after,
            target: endOf(end),
            data: { branch: end.branch, isMove: false, isOpen: true },
          },
        ]
      : [],
  );
