import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { classNames } from '../ui/class-names.js';

/**
 * The frame of a screen: its heading, what acts on the whole of it, and its content. The heading takes the focus when the
 * screen opens, so that screen readers say where they are.
 * @param fill the content fills the window and scrolls by itself, as lists do
 */
export function Page({
  title,
  heading,
  lead,
  actions,
  fill = false,
  wide = true,
  children,
}: {
  /** Of the document; also the heading where `heading` is not given. */
  title: string;
  heading?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  fill?: boolean;
  wide?: boolean;
  children: ReactNode;
}) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Tidings`;
  }, [title]);
  // Another record on the same screen is another page, too.
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname });
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div
      className={classNames(
        'mx-auto flex w-full flex-col px-4 sm:px-8',
        wide ? 'max-w-7xl' : 'max-w-3xl',
        fill ? 'h-full min-h-0' : 'pb-16',
      )}
    >
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 pt-5 pb-4 sm:pt-7">
        <div className="min-w-0 flex-1">
          <h1 ref={ref} tabIndex={-1} className="text-xl font-semibold tracking-tight wrap-anywhere">
            {heading ?? title}
          </h1>
          {lead !== undefined && <p className="mt-0.5 max-w-prose text-soft">{lead}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
