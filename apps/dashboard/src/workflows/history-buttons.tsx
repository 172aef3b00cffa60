import { buildText } from '../messages/en/workflow-build.js';
import { IconButton } from '../ui/button.js';
import type { Undo } from './use-undo.js';

/** Undoes and redoes changes of a draft. */
export function HistoryButtons({ draft }: { draft: Undo }) {
  return (
    <>
      <IconButton icon="undo" label={buildText('undo')} disabled={!draft.canUndo} onClick={draft.undo} />
      <IconButton
        icon="undo"
        label={buildText('redo')}
        disabled={!draft.canRedo}
        onClick={draft.redo}
        className="-scale-x-100"
      />
    </>
  );
}
