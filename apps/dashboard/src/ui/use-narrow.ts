import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(width < 768px)');

export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
