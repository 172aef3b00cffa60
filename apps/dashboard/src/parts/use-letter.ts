import { useEffect } from 'react';
import { isTyping, lettersAct } from './page-keys.js';

/** Acts when a letter is pressed outside of fields, dialogs and menus, unless the person switched letters off. */
export function useLetter(letter: string, act: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== letter || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event) || !lettersAct()) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
