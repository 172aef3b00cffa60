import { useCallback, useReducer } from 'react';
import { adopted } from './draft.js';
import type { FlowGraph } from './flow-graph.js';

export interface History {
  past: readonly FlowGraph[];
  present: FlowGraph;
  future: readonly FlowGraph[];
  /** What the last change was about: typing in one field is one step back. */
  about: string | null;
}

export type HistoryEvent =
  | { kind: 'change'; graph: FlowGraph; about: string | null }
  | { kind: 'undo' | 'redo' }
  | { kind: 'adopt' | 'reset'; graph: FlowGraph };

const statesMax = 200;

/** Changes a history; it holds the last 200 states. */
export function nextHistory(history: History, event: HistoryEvent): History {
  const { past, present, future, about } = history;
  switch (event.kind) {
    case 'change': {
      if (event.graph === present) return history;
      const isSame = event.about !== null && event.about === about;
      return {
        past: isSame ? past : [...past, present].slice(-statesMax),
        present: event.graph,
        future: [],
        about: event.about,
      };
    }
    case 'undo':
      return past.length === 0
        ? history
        : { past: past.slice(0, -1), present: past.at(-1)!, future: [present, ...future], about: null };
    case 'redo':
      return future.length === 0
        ? history
        : { past: [...past, present], present: future[0]!, future: future.slice(1), about: null };
    case 'adopt': {
      const take = (graph: FlowGraph) => adopted(graph, event.graph);
      return { past: past.map(take), present: take(present), future: future.map(take), about };
    }
    case 'reset':
      return { past: [...past, present], present: event.graph, future: [], about: null };
  }
}

/** A graph that can be changed, and taken back. */
export function useHistory(start: () => FlowGraph) {
  const [history, tell] = useReducer(nextHistory, null, () => ({
    past: [],
    present: start(),
    future: [],
    about: null,
  }));
  const change = useCallback(
    (graph: FlowGraph, about: string | null = null) => tell({ kind: 'change', graph, about }),
    [],
  );
  return { history, change, tell };
}
