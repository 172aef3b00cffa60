import { useSyncExternalStore } from 'react';
import { onPrompts, waitingPrompts } from '../data/prompts.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Boundary } from '../ui/boundary.js';
import { PasswordDialog } from './password-dialog.js';

/** The dialogs that calls wait for, one at a time. */
export function Prompts() {
  const [prompt] = useSyncExternalStore(onPrompts, waitingPrompts);
  if (!prompt) return null;
  return (
    // A question that cannot be shown is declined: its call would wait for ever, and all later ones with it.
    <Boundary key={prompt.id} onFail={() => prompt.answer(false)}>
      {prompt.kind === 'confirm' ? (
        <ConfirmDialog {...prompt} />
      ) : (
        <PasswordDialog kind={prompt.kind} onAnswer={prompt.answer} />
      )}
    </Boundary>
  );
}
