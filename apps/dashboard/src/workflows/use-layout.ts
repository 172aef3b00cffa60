import { useEffect, useState } from 'react';
import { startWorker } from '../parts/own-worker.js';
import type { Place } from './edit-graph.js';
import type { FlowGraph } from './flow-graph.js';
import { openEndLayout } from './flow-nodes.js';
import type { LayoutRequest, Positions } from './layout-graph.js';
import workerAddress from './layout-worker.ts?worker&url';

let worker: Worker | undefined;
let calls = 0;

/** Starts the worker, so that it is there when the graph is read. */
export const warmLayout = (): void => void (worker ??= startWorker(workerAddress));

function ask(request: LayoutRequest): Promise<Positions> {
  const running = (worker ??= startWorker(workerAddress));
  const call = ++calls;
  return new Promise((resolve, reject) => {
    const hear = ({ data }: MessageEvent<{ call: number; positions: Positions }>) => {
      if (data.call !== call) return;
      running.removeEventListener('message', hear);
      resolve(data.positions);
    };
    running.addEventListener('message', hear);
    running.addEventListener('error', ({ message }) => reject(new Error(message)), { once: true });
    running.postMessage({ ...request, call });
  });
}

/** The newest layouts by the shape of their graph. */
const known = new Map<string, Positions>();
const knownMax = 20;

async function layoutOf(shape: string): Promise<Positions> {
  const before = known.get(shape);
  if (before) return before;
  const positions = await ask(JSON.parse(shape) as LayoutRequest);
  known.set(shape, positions);
  if (known.size > knownMax) known.delete(known.keys().next().value!);
  return positions;
}

/**
 * The place of each step and open end, computed beside the page; null until the first layout is there. Its failure is
 * thrown.
 */
export function useLayout({ steps, edges }: FlowGraph, ends: readonly Place[]): Positions | null {
  const open = openEndLayout(ends);
  const ids = steps.map(({ id }) => id);
  const isStep = new Set(ids);
  const shape = JSON.stringify({
    ids: [...ids, ...open.ids],
    edges: [
      ...edges.flatMap(({ source, target }) => (isStep.has(source) && isStep.has(target) ? [[source, target]] : [])),
      ...open.edges,
    ],
  });
  const [state, setState] = useState<{ positions: Positions | null; error?: unknown }>(() => ({
    positions: known.get(shape) ?? null,
  }));
  useEffect(() => {
    let isCurrent = true;
    layoutOf(shape).then(
      (positions) => isCurrent && setState({ positions }),
      (error: unknown) => isCurrent && setState({ positions: null, error }),
    );
    return () => void (isCurrent = false);
  }, [shape]);
  if (state.error !== undefined) throw state.error;
  return state.positions;
}
