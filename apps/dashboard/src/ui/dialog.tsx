import { useId, useLayoutEffect, useRef } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { classNames } from './class-names.js';

/**
 * A modal dialog on the platform's own element: it keeps the focus inside, returns it, and asks to be closed by Esc. It is
 * open while it is rendered, whatever the browser closes by itself.
 * @param light a click beside it closes it: only where nothing can be lost
 * @param side slides in from the edge, for navigation and details on a phone
 */
export function Dialog({
  title,
  titleHidden = false,
  onClose,
  children,
  footer,
  wide = false,
  light = false,
  side,
}: {
  title: string;
  titleHidden?: boolean;
  onClose: () => void;
  children?: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
  light?: boolean;
  side?: 'start' | 'end';
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the next key, and before the element leaves the page: afterwards nothing returns the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      dialog?.close();
      returnFocus(before);
    };
  }, []);
  const press = (event: KeyboardEvent<HTMLDialogElement>) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    // What is open inside closes first.
    if (event.currentTarget.querySelector(':popover-open') !== null) return;
    // Browsers close a dialog at the second Esc without asking, unless the key itself is taken.
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onKeyDown={press}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onClose={(event) => {
        // By the browser itself, such as by the gesture that goes back.
        const dialog = event.currentTarget;
        if (event.target !== dialog || dialog.open || !dialog.isConnected) return;
        dialog.showModal();
        onClose();
      }}
      onMouseDown={(event) => light && event.target === event.currentTarget && onClose()}
      className={classNames(
        'bg-paper p-0 shadow-float backdrop:bg-veil',
        side
          ? classNames('m-0 h-dvh max-h-none w-72 max-w-[85vw]', side === 'end' && 'ms-auto')
          : classNames(
              // Only the part between title and buttons scrolls: the border counts in the height of the dialog.
              'mx-auto mt-[12vh] mb-auto max-h-[80dvh] overflow-hidden w-[calc(100vw-2rem)] rounded-lg border border-line',
              wide ? 'max-w-3xl' : 'max-w-md',
            ),
      )}
    >
      <div className={classNames('flex flex-col', side ? 'max-h-[inherit]' : 'max-h-[calc(80dvh-2px)]')}>
        <h2 id={id} className={titleHidden ? 'sr-only' : 'px-5 pt-5 text-lg font-semibold'}>
          {title}
        </h2>
        <div className={classNames('min-h-0 overflow-auto', !titleHidden && 'px-5 py-3')}>{children}</div>
        {footer !== undefined && (
          <div className="flex flex-wrap justify-end gap-2 border-t border-line bg-ground/50 px-5 py-3">{footer}</div>
        )}
      </div>
    </dialog>
  );
}

/** Where the platform did not return the focus: to the button of the menu that was chosen from, else to the heading. */
function returnFocus(before: Element | null): void {
  if (document.activeElement !== document.body || !before) return;
  const menu = before.closest('[popover]');
  const button = menu && document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(menu.id)}"]`);
  (button ?? document.querySelector<HTMLElement>('main h1'))?.focus();
}
