import { useEffect } from 'react';
import { announce } from '../data/announcements.js';
import { buildText } from '../messages/en/workflow-build.js';
import { isTyping } from '../parts/page-keys.js';
import type { useHistory } from './use-history.js';

/** Undo and redo of a history, by buttons and by keys. */
export interface Undo {
  undo: () => void;
  redo: () => void;
  canUndo: boolean;
  canRedo: boolean;
}

/** Undo and redo of a history; Mod+Z undoes, Mod+Shift+Z and Mod+Y redo. */
export function useUndo<S>({ history: { past, future }, tell }: ReturnType<typeof useHistory<S>>): Undo {
  const undo = () => {
    if (past.length > 0) announce(buildText('undone'));
    tell({ kind: 'undo' });
  };
  const redo = () => {
    if (future.length > 0) announce(buildText('redone'));
    tell({ kind: 'redo' });
  };
  useUndoKeys(undo, redo);
  return { undo, redo, canUndo: past.length > 0, canRedo: future.length > 0 };
}

/** Fields keep the keys of the platform. */
function useUndoKeys(undo: () => void, redo: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event)) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) redo();
      else undo();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
