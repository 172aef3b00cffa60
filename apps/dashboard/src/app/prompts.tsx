import { useSyncExternalStore } from 'react';
import { onPrompts, waitingPrompts } from '../data/prompts.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { PasswordDialog } from './password-dialog.js';

/** The dialogs that calls wait for, one at a time. */
export function Prompts() {
  const [prompt] = useSyncExternalStore(onPrompts, waitingPrompts);
  if (!prompt) return null;
  return prompt.kind === 'confirm' ? (
    <ConfirmDialog key={prompt.id} {...prompt} />
  ) : (
    <PasswordDialog key={prompt.id} kind={prompt.kind} onAnswer={prompt.answer} />
  );
}
