import { useId, useRef } from 'react';
import type { ReactNode, ToggleEvent } from 'react';
import { classNames } from './class-names.js';

/**
 * A button that opens a panel below or above it, on the platform's popover: Esc and a click elsewhere close it, and it
 * stands above everything. Items that end it call `close`.
 */
export function Popover({
  label,
  button,
  buttonClassName,
  align = 'start',
  above = false,
  children,
}: {
  /** The name of the button where its content does not say it. */
  label?: string;
  button: ReactNode;
  buttonClassName: string;
  align?: 'start' | 'end';
  above?: boolean;
  children: (close: () => void) => ReactNode;
}) {
  const id = useId();
  const buttonRef = useRef<HTMLButtonElement>(null);
  const panelRef = useRef<HTMLDivElement>(null);
  const place = ({ newState }: ToggleEvent<HTMLDivElement>) => {
    const panel = panelRef.current;
    const at = buttonRef.current?.getBoundingClientRect();
    if (newState !== 'open' || !panel || !at) return;
    const width = panel.offsetWidth;
    const isRtl = document.documentElement.dir === 'rtl';
    const left = (align === 'end') === isRtl ? at.left : at.right - width;
    panel.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    const height = panel.offsetHeight;
    panel.style.top = above
      ? `${Math.max(8, at.top - height - 6)}px`
      : `${Math.max(8, Math.min(at.bottom + 6, innerHeight - height - 8))}px`;
    panel.querySelector<HTMLElement>('[data-autofocus], a, button')?.focus();
  };
  const move = (by: number) => {
    const items = [...(panelRef.current?.querySelectorAll<HTMLElement>('a, button:not(:disabled)') ?? [])];
    const now = items.indexOf(document.activeElement as HTMLElement);
    items[(now + by + items.length) % items.length]?.focus();
  };
  return (
    <>
      <button
        ref={buttonRef}
        type="button"
        popoverTarget={id}
        aria-label={label}
        title={label}
        className={buttonClassName}
      >
        {button}
      </button>
      <div
        id={id}
        ref={panelRef}
        popover="auto"
        onToggle={place}
        onKeyDown={(event) => {
          if (event.target instanceof HTMLInputElement) return;
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          move(event.key === 'ArrowDown' ? 1 : -1);
        }}
        className={classNames(
          'fixed inset-auto m-0 max-h-[80dvh] max-w-[calc(100vw-1rem)] min-w-56 overflow-auto rounded-lg border border-line bg-paper p-1 text-ink shadow-float',
        )}
      >
        {children(() => panelRef.current?.hidePopover())}
      </div>
    </>
  );
}

/** The classes of a line in a popover that acts or leads somewhere. */
export const menuItemClass =
  'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-start text-base hover:bg-sunk focus-visible:bg-sunk focus-visible:outline-offset-[-2px]';
