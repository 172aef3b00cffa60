import { useLayoutEffect, useRef } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';

/**
 * Buttons that are one Tab stop together, after the toolbar pattern of ARIA: arrow keys, Home and End move between them. The
 * buttons are direct children; those in their popovers are none of them.
 */
export function Toolbar({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  const currentRef = useRef<HTMLButtonElement | null>(null);
  const items = () => [...(ref.current?.querySelectorAll<HTMLButtonElement>(':scope > button:not(:disabled)') ?? [])];
  const mark = () => {
    const all = items();
    const current = all.includes(currentRef.current!) ? currentRef.current : all[0];
    for (const item of all) item.tabIndex = item === current ? 0 : -1;
  };
  // After each render: buttons come, go and are disabled.
  useLayoutEffect(mark);
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const all = items();
    const now = all.indexOf(event.target as HTMLButtonElement);
    const place = now === -1 ? null : placeAfter(event.key, now, all.length);
    if (place === null) return;
    event.preventDefault();
    all[place]?.focus();
  };
  return (
    <div
      ref={ref}
      role="toolbar"
      aria-label={label}
      className={className}
      onKeyDown={press}
      onFocus={({ target }: { target: Element }) => {
        const item = items().find((one) => one === target);
        if (!item) return;
        currentRef.current = item;
        mark();
      }}
    >
      {children}
    </div>
  );
}

/** @returns null for a key that moves nothing */
function placeAfter(key: string, now: number, count: number): number | null {
  const isRtl = document.documentElement.dir === 'rtl';
  switch (key) {
    case 'ArrowRight':
    case 'ArrowLeft':
      return (now + ((key === 'ArrowRight') === isRtl ? -1 : 1) + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
