import { useEffect } from 'react';
import type { RefObject } from 'react';
import { isTyping, lettersAct } from './page-keys.js';
import type { Selection } from './use-selection.js';

/**
 * `j` and `k` move the focus from row to row, `x` selects the row with the focus, Esc clears. Enter is the link's own; while
 * the focus is on no control, it opens the first row.
 */
export function useListKeys<R>({
  scrollRef,
  rows,
  scrollTo,
  selection,
}: {
  scrollRef: RefObject<HTMLDivElement | null>;
  rows: readonly R[];
  scrollTo: (place: number) => void;
  selection: Selection<R>;
}): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || !lettersAct()) return;
      const place = placeOfFocus();
      if (event.key === 'j' || event.key === 'k') {
        const next = place === null ? 0 : place + (event.key === 'j' ? 1 : -1);
        if (next < 0 || next >= rows.length) return;
        scrollTo(next);
        // A row out of view is drawn in the next frame.
        if (!focusRow(scrollRef.current, next)) requestAnimationFrame(() => focusRow(scrollRef.current, next));
      } else if (event.key === 'Enter' && isAtHeading()) firstRow(scrollRef.current)?.click();
      else if (event.key === 'x' && place !== null) selection.toggle(rows[place]!);
      else if (event.key === 'Escape' && selection.count > 0) selection.clear();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

/** Where the focus is after a page has opened. */
const isAtHeading = (): boolean => document.activeElement?.matches('body, main, main h1') ?? true;

const firstRow = (list: HTMLElement | null): HTMLElement | null =>
  list?.querySelector<HTMLElement>('[data-place="0"] [data-row]') ?? null;

function placeOfFocus(): number | null {
  const row = document.activeElement?.closest<HTMLElement>('[data-place]');
  return row ? Number(row.dataset.place) : null;
}

function focusRow(list: HTMLElement | null, place: number): boolean {
  const row = list?.querySelector<HTMLElement>(`[data-place="${place}"] [data-row]`);
  row?.focus({ preventScroll: true });
  return row != null;
}
