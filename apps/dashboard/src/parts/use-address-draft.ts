import { useEffect, useRef, useState } from 'react';

/** Milliseconds between the last change and the address. */
const settledMs = 400;

/**
 * A value of the address that is edited on the page: what is typed shows at once, the address follows after a pause. A change
 * of the address by other means, such as Back or "Clear", replaces what is shown.
 * @param value as the address has it
 * @param write sets the address, best without an entry in the history
 * @param settle what of the draft goes into the address, such as the text without spaces around it
 */
export function useAddressDraft<V>(
  value: V,
  write: (value: V) => void,
  { ms = settledMs, settle = (draft) => draft }: { ms?: number; settle?: (draft: V) => V } = {},
): [V, (next: V) => void] {
  const [draft, setDraft] = useState(value);
  const key = JSON.stringify(value);
  const [seen, setSeen] = useState(key);
  const own = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const writeRef = useRef(write);
  useEffect(() => {
    writeRef.current = write;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  if (seen !== key) {
    setSeen(key);
    // The address may arrive after more was typed.
    if (!own.current.delete(key)) {
      clearTimeout(timer.current);
      own.current.clear();
      setDraft(value);
    }
  }
  const change = (next: V) => {
    setDraft(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const settled = settle(next);
      if (JSON.stringify(settled) !== seen) own.current.add(JSON.stringify(settled));
      writeRef.current(settled);
    }, ms);
  };
  return [draft, change];
}
