import { useEffect, useState } from 'react';

/** A value once it has not changed for a while, so that typing does not call at each key. @param ms milliseconds */
export function useSettled<V>(value: V, ms: number): V {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
