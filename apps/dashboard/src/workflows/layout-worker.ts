import { layoutGraph } from './layout-graph.js';
import type { LayoutRequest } from './layout-graph.js';

addEventListener('message', ({ data }: MessageEvent<LayoutRequest & { call: number }>) => {
  postMessage({ call: data.call, positions: layoutGraph(data) });
});
