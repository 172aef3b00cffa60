import type { Edge, Node } from '@xyflow/react';
import type { FlowGraph } from './flow-graph.js';
import { nodeSize } from './layout-graph.js';
import type { Positions } from './layout-graph.js';

export type StepNode = Node<{ stepId: string }, 'step'>;
export type WayEdge = Edge<{ branch: string | undefined; isMove: boolean }, 'way'>;

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
