import { number } from '../messages/format.js';
import { classNames } from '../ui/class-names.js';

/** One of the tabs over a list. */
export interface StatusTab<V extends string> {
  value: V;
  label: string;
  count?: number | undefined;
  /** There are more than `count`. */
  isMinimum?: boolean;
}

/** Narrows a list to one state; the counts say where something is. */
export function StatusTabs<V extends string>({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string;
  tabs: readonly StatusTab<V>[];
  value: V;
  onChange: (value: V) => void;
}) {
  return (
    <div role="group" aria-label={label} className="flex min-w-0 gap-1 overflow-x-auto py-0.5">
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          aria-pressed={tab.value === value}
          onClick={() => onChange(tab.value)}
          className={classNames(
            'flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2.5 text-sm font-medium focus-visible:-outline-offset-2',
            tab.value === value ? 'bg-sunk text-ink' : 'text-soft hover:bg-sunk/60 hover:text-ink',
          )}
        >
          {tab.label}
          {tab.count !== undefined && (
            <span className="font-normal text-soft tabular">
              {number(tab.count)}
              {tab.isMinimum && '+'}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
