import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { accountText } from '../messages/en/account.js';

/** The frame of the pages for people without a session. */
export function SignedOutFrame({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${accountText('product')}`;
  }, [title]);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col px-6 pt-[12vh] pb-12">
      <p className="mb-8 flex items-center gap-2.5 text-lg font-semibold tracking-tight">
        <Mark />
        {accountText('product')}
      </p>
      <h1 className="text-xl font-semibold tracking-tight text-balance wrap-anywhere">{title}</h1>
      {lead !== undefined && <p className="mt-1 text-soft text-pretty">{lead}</p>}
      <div className="mt-6">{children}</div>
    </main>
  );
}

function Mark() {
  return (
    <svg aria-hidden="true" width="28" height="28" viewBox="0 0 32 32" fill="none">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g className="stroke-accent-ink" strokeWidth="2.2" strokeLinecap="round" strokeLinejoin="round">
        <rect x="7" y="10" width="18" height="12.5" rx="2.5" />
        <path d="m7.500 11.500 8.500 6.500 8.500-6.500" />
      </g>
    </svg>
  );
}
