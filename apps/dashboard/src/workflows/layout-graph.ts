import { graphlib, layout } from '@dagrejs/dagre';

export const nodeSize = { width: 240, height: 58 };
export const openEndSize = { width: 132, height: 36 };

const openEndMark = '+';
/** The id of the node at which a way that leads nowhere ends. Ids of steps begin with a letter or digit. */
export const openEndId = (stepId: string, branch: string | undefined): string =>
  `${openEndMark}${stepId}/${branch ?? ''}`;
const sizeOf = (id: string) => (id.startsWith(openEndMark) ? openEndSize : nodeSize);

export interface LayoutRequest {
  ids: readonly string[];
  edges: readonly (readonly [source: string, target: string])[];
}

/** The upper left corner of each node. */
export type Positions = Record<string, { x: number; y: number }>;

/** Places the nodes of a graph from above to below. */
export function layoutGraph({ ids, edges }: LayoutRequest): Positions {
  const graph = new graphlib.Graph({ multigraph: true });
  // Half the time of the default ranker for 500 steps, of which most stand one below the other.
  graph.setGraph({ rankdir: 'TB', ranker: 'tight-tree', nodesep: 36, ranksep: 64, marginx: 24, marginy: 24 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...sizeOf(id) });
  edges.forEach(([source, target], place) => graph.setEdge(source, target, {}, String(place)));
  layout(graph);
  return Object.fromEntries(
    ids.map((id) => {
      const { width, height } = sizeOf(id);
      const { x, y } = graph.node(id) as { x: number; y: number };
      return [id, { x: x - width / 2, y: y - height / 2 }];
    }),
  );
}
