import { useRef } from 'react';

/**
 * Keys of the rows of a list whose items have no id. A row keeps its key when rows before it are removed, so that no value or
 * open list moves to another row.
 * @param count of the rows
 */
export function useRowKeys(count: number): { keys: readonly number[]; remove: (place: number) => void } {
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  while (keys.current.length < count) keys.current.push(next.current++);
  keys.current.length = count;
  return { keys: keys.current, remove: (place) => void keys.current.splice(place, 1) };
}
