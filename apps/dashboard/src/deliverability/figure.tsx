import type { ReactNode } from 'react';
import { Skeleton } from '../ui/states.js';

/** One number with what belongs to it. */
export function Figure({
  label,
  value,
  note,
  hint,
  hasFailed,
}: {
  label: string;
  /** Undefined while it is read. */
  value: string | undefined;
  note?: ReactNode;
  hint?: string;
  hasFailed: boolean;
}) {
  return (
    <div className="bg-paper px-4 py-3 max-lg:first:col-span-2">
      <dt className="text-sm text-soft">{label}</dt>
      <dd className="flex flex-wrap items-baseline gap-x-2 text-xl font-semibold tracking-tight tabular">
        {value ?? (hasFailed ? '–' : <Skeleton className="h-7 w-20" />)}
        {note !== undefined && <span className="text-sm font-normal tracking-normal text-soft">{note}</span>}
      </dd>
      {hint !== undefined && <dd className="text-sm text-soft">{hint}</dd>}
    </div>
  );
}
