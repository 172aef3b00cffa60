import { useCallback, useReducer } from 'react';

export interface History<S> {
  past: readonly S[];
  present: S;
  future: readonly S[];
  /** What the last change was about: typing in one field is one step back. */
  about: string | null;
}

export type HistoryEvent<S> =
  | { kind: 'change'; state: S; about: string | null }
  | { kind: 'undo' | 'redo' }
  /** Changes all states alike; it cannot be undone. */
  | { kind: 'map'; take: (state: S) => S }
  | { kind: 'reset'; state: S };

const statesMax = 200;

/** Changes a history; it holds the last 200 states. */
export function nextHistory<S>(history: History<S>, event: HistoryEvent<S>): History<S> {
  const { past, present, future, about } = history;
  switch (event.kind) {
    case 'change': {
      if (event.state === present) return history;
      const isSame = event.about !== null && event.about === about;
      return {
        past: isSame ? past : [...past, present].slice(-statesMax),
        present: event.state,
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
    case 'map':
      return { past: past.map(event.take), present: event.take(present), future: future.map(event.take), about };
    case 'reset':
      return { past: [...past, present], present: event.state, future: [], about: null };
  }
}

/** A state that can be changed, and taken back. */
export function useHistory<S>(start: () => S) {
  const [history, tell] = useReducer(nextHistory<S>, null, () => ({
    past: [],
    present: start(),
    future: [],
    about: null,
  }));
  const change = useCallback((state: S, about: string | null = null) => tell({ kind: 'change', state, about }), []);
  return { history, change, tell };
}
