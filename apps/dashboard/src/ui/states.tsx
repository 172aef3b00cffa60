import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.js';
import { Icon } from './icon.js';
import type { IconName } from './icon.js';

/** What a place would hold, and the one action that fills it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  isPage = false,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** It is all of the page, so that its title is the heading. */
  isPage?: boolean;
}) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-1 px-6 py-16 text-center">
      <span className="mb-3 grid size-11 place-items-center rounded-lg border border-line bg-ground text-soft">
        <Icon name={icon} size={20} />
      </span>
      <Heading className="text-base font-semibold">{title}</Heading>
      {children !== undefined && <div className="text-soft text-pretty">{children}</div>}
      {action !== undefined && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** A grey bar of the size of what comes; it shows only where the wait is felt (150 ms). */
export function Skeleton({ className }: { className?: string }) {
  const isFelt = useDelay(150);
  return (
    <span
      aria-hidden="true"
      data-skeleton=""
      className={classNames('block rounded-sm', isFelt && 'animate-pulse bg-sunk', className ?? 'h-4 w-full')}
    />
  );
}

function useDelay(ms: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isOver;
}

const tones = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  plain: 'bg-sunk text-soft',
} as const;
export type Tone = keyof typeof tones;

/** A state as a word on a tint. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 max-w-full items-center rounded-full px-2 text-xs font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

/** A message inside the page. */
export function Callout({ tone = 'info', children, action }: { tone?: Tone; children: ReactNode; action?: ReactNode }) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : undefined}
      className={classNames('flex flex-wrap items-start gap-2 rounded-md px-3 py-2 text-base', tones[tone])}
    >
      <Icon
        name={tone === 'good' ? 'check' : tone === 'info' || tone === 'plain' ? 'info' : 'warning'}
        className="mt-0.5 shrink-0"
      />
      <div className="min-w-0 flex-1 wrap-anywhere">{children}</div>
      {action}
    </div>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center rounded-sm border border-line bg-ground px-1 font-sans text-xs text-soft">
      {children}
    </kbd>
  );
}
