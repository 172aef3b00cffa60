import { useState } from 'react';
import type { ReactNode } from 'react';
import { commonText } from '../messages/en/common.js';
import { compareText } from '../messages/en/compare.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';

export type Side = 'theirs' | 'mine';

/** One part of a record of which both versions are shown. */
export interface ComparedPart<K extends string> {
  key: K;
  label: string;
  theirs: ReactNode;
  mine: ReactNode;
  /** The side that is chosen at first; default: mine. */
  side?: Side;
}

/** Both versions of a record after a stale write: of each part, one is saved. */
export function CompareDialog<K extends string>({
  title,
  parts,
  busy = false,
  onClose,
  onSave,
}: {
  title: string;
  parts: readonly ComparedPart<K>[];
  busy?: boolean;
  onClose: () => void;
  /** @param sides the chosen side of each part */
  onSave: (sides: Record<K, Side>) => void;
}) {
  const [sides, setSides] = useState(
    () => Object.fromEntries(parts.map(({ key, side = 'mine' }) => [key, side])) as Record<K, Side>,
  );
  return (
    <Dialog
      wide
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{commonText('cancel')}</Button>
          <Button look="primary" busy={busy} data-autofocus="" onClick={() => onSave(sides)}>
            {compareText('button')}
          </Button>
        </>
      }
    >
      <p className="text-soft">{compareText('lead')}</p>
      <div className="mt-3 flex flex-col gap-4">
        {parts.map((part) => (
          <fieldset key={part.key} className="min-w-0">
            <legend className="pb-1 text-sm font-medium">{part.label}</legend>
            {(['theirs', 'mine'] as const).map((side) => (
              <label key={side} className="flex items-start gap-2 py-1">
                <input
                  type="radio"
                  name={part.key}
                  checked={sides[part.key] === side}
                  onChange={() => setSides({ ...sides, [part.key]: side })}
                  className="mt-0.5 size-4 shrink-0 accent-accent"
                />
                <span className="min-w-14 shrink-0 text-soft">{compareText(side)}</span>
                <span className="min-w-0 flex-1 wrap-anywhere" dir="auto">
                  {part[side]}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </Dialog>
  );
}
