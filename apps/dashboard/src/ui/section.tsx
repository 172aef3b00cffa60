import { useId } from 'react';
import type { ReactNode } from 'react';

/** A part of a page under a heading of its own. */
export function Section({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-2.5 flex flex-wrap items-end gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="text-base font-semibold wrap-anywhere">
            {title}
          </h2>
          {lead !== undefined && <p className="max-w-prose text-soft">{lead}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}
