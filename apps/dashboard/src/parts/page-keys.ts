const key = 'tidings.letters';

/** Whether single letters act in this browser (WCAG 2.1.4: they can be switched off). */
export const lettersAct = (): boolean => localStorage.getItem(key) !== 'off';

export const switchLetters = (on: boolean): void => localStorage.setItem(key, on ? 'on' : 'off');

/** Whether a key belongs to a field, an open dialog or a menu rather than to the page; notices take no keys. */
export function isTyping({ target }: { target: EventTarget | null }): boolean {
  return (
    !(target instanceof HTMLElement) ||
    target.isContentEditable ||
    target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select') ||
    document.querySelector('dialog[open], [popover="auto"]:popover-open') !== null
  );
}
