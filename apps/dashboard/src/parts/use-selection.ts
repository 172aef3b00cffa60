import { useCallback, useEffect, useState } from 'react';
import { announce } from '../data/announcements.js';
import { commonText } from '../messages/en/common.js';

export interface Selection<R> {
  count: number;
  rows: readonly R[];
  has: (row: R) => boolean;
  toggle: (row: R) => void;
  selectAll: () => void;
  clear: () => void;
}

/** @param list names the list: a selection ends with it, since its rows may be out of sight in another */
export function useSelection<R>(rows: readonly R[], idOf: (row: R) => string, list: string): Selection<R> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, R>>(new Map());
  const [known, setKnown] = useState(list);
  if (known !== list) {
    setKnown(list);
    setChosen(new Map());
  }
  useEffect(() => {
    if (chosen.size > 0) announce(commonText('list.selected', { count: chosen.size }));
  }, [chosen.size]);
  const toggle = useCallback(
    (row: R) =>
      setChosen((before) => {
        const next = new Map(before);
        if (!next.delete(idOf(row))) next.set(idOf(row), row);
        return next;
      }),
    [idOf],
  );
  return {
    count: chosen.size,
    rows: [...chosen.values()],
    has: (row) => chosen.has(idOf(row)),
    toggle,
    selectAll: () => setChosen(new Map(rows.map((row) => [idOf(row), row]))),
    clear: () => setChosen(new Map()),
  };
}
