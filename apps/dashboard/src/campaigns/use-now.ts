import { useEffect, useState } from 'react';

/** The present instant, read again at each interval while `isOn`. */
export function useNow(isOn: boolean, everyMs = 250): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isOn, everyMs]);
  return now;
}
