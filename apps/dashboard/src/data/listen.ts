/** Listeners of one value that lives outside of React, for `useSyncExternalStore`. */
export function listen(): { add: (listener: () => void) => () => void; tell: () => void } {
  const listeners = new Set<() => void>();
  return {
    add: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell: () => {
      for (const listener of listeners) listener();
    },
  };
}
