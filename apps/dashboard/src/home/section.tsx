import { useId } from 'react';
import type { ReactNode } from 'react';

/** A part of home with its heading. */
export function HomeSection({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-2 flex items-baseline justify-between gap-4">
        <h2 id={id} className="text-sm font-medium text-soft">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** The frame of lines that belong together. */
export const cardClass = 'divide-y divide-line rounded-lg border border-line';
