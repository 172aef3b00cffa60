import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { OutlineRow } from './outline-rows.js';

/** Pixels of a row until it is measured. */
const heights: Record<OutlineRow['kind'], number> = { loose: 24, step: 71, arm: 32, goOn: 24 };

/**
 * Draws the rows of an outline that are in sight of the element that scrolls around it, and those that may hold the focus.
 * @param keep ids of steps that are drawn wherever they are
 */
export function useOutlineRows(
  ref: RefObject<HTMLElement | null>,
  rows: readonly OutlineRow[],
  keep: readonly (string | undefined)[],
) {
  const [scroller, setScroller] = useState<{ element: Element; margin: number } | null>(null);
  useLayoutEffect(() => {
    const element = scroller?.element ?? scrollerOf(ref.current!);
    const margin = Math.round(
      ref.current!.getBoundingClientRect().top - element.getBoundingClientRect().top + element.scrollTop,
    );
    if (element !== scroller?.element || margin !== scroller.margin) setScroller({ element, margin });
  });
  const kept = rows.flatMap((row, place) => (row.kind === 'step' && keep.includes(row.id) ? [place] : []));
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller?.element ?? null,
    estimateSize: (place) => heights[rows[place]!.kind],
    getItemKey: (place) => rows[place]!.key,
    scrollMargin: scroller?.margin ?? 0,
    initialRect: { width: 0, height: window.innerHeight },
    overscan: 8,
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b),
  });
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const line = ref.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(wanted.current)}"]`);
    if (!line) return;
    wanted.current = null;
    line.focus();
  });
  return {
    virtual,
    margin: scroller?.margin ?? 0,
    /** Moves the focus to a step once its row is drawn; `keep` has to hold it by then. */
    focus: (id: string) => {
      wanted.current = id;
    },
  };
}

/** The nearest element around one that scrolls; the page where there is none. */
function scrollerOf(element: HTMLElement): Element {
  for (let one = element.parentElement; one; one = one.parentElement)
    if (/auto|scroll/.test(getComputedStyle(one).overflowY)) return one;
  return document.documentElement;
}
