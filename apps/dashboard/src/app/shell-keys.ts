import { useEffect } from 'react';
import { isTyping, lettersAct } from '../parts/page-keys.js';
import { useGo } from '../parts/screen-link.js';
import type { ScreenTarget } from '../parts/screen-link.js';
import { navigation } from './navigation.js';
import { isOffered } from './sidebar.js';

const pairMs = 1_500;

/** The keys of the frame: Mod+K, `g` and a letter, `/`, `c` or `n`, `z`, `?`, and Mod+Enter in forms. */
export function useShellKeys({ onHelp, onPalette }: { onHelp: () => void; onPalette: () => void }): void {
  const go = useGo();
  useEffect(() => {
    let pairedAt = 0;
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        if (document.querySelector('dialog[open]') === null) onPalette();
        return;
      }
      if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') return submitForm(event);
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || !lettersAct()) return;
      const target = navigation
        .flatMap(({ items }) => items)
        .find(({ key, screen }) => key === event.key && isOffered(screen));
      if (Date.now() - pairedAt < pairMs && target) {
        pairedAt = 0;
        go({ screen: target.screen } as ScreenTarget);
      } else if (event.key === 'g') pairedAt = Date.now();
      else if (event.key === '?') onHelp();
      else if (event.key === 'z') document.querySelector<HTMLElement>('[data-undo]')?.click();
      else if (event.key === '/') focusSearch(onPalette);
      else if (event.key === 'c' || event.key === 'n') document.querySelector<HTMLElement>('[data-compose]')?.click();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

/** Sends the form of the field that has the focus, as Enter does in one line of text. */
function submitForm(event: KeyboardEvent): void {
  if (!(event.target instanceof Element) || event.defaultPrevented) return;
  event.target.closest('form')?.requestSubmit();
}

/** Where a page has no search, the palette finds records and pages. */
function focusSearch(otherwise: () => void): void {
  const field = document.querySelector<HTMLElement>('main input[type=search]');
  if (field) field.focus();
  else otherwise();
}
