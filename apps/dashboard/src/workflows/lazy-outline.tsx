import { lazy, Suspense } from 'react';
import { Skeleton } from '../ui/states.js';
import type { OutlineProps } from './outline-list.js';

const OutlineList = lazy(async () => ({ default: (await import('./outline-list.js')).OutlineList }));

/** The outline, whose code comes once it is shown. */
export function LazyOutline(props: OutlineProps) {
  return (
    <Suspense fallback={<Skeleton className="h-96" />}>
      <OutlineList {...props} />
    </Suspense>
  );
}
