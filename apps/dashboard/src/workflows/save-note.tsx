import { buildText } from '../messages/en/workflow-build.js';
import { currentLanguage } from '../messages/text.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { classNames } from '../ui/class-names.js';
import type { SaveState } from './draft-saver.js';

const time = (at: Date): string =>
  new Intl.DateTimeFormat(currentLanguage() === 'en' ? 'en-GB' : currentLanguage(), {
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);

/** Whether the draft is saved. */
export function SaveNote({ state, onRetry }: { state: SaveState; onRetry: () => void }) {
  if (state.kind === 'failed') return <ErrorNotice error={state.error} onRetry={onRetry} />;
  return (
    <p role="status" className={classNames('text-sm tabular', state.kind === 'invalid' ? 'text-warn' : 'text-soft')}>
      {state.kind === 'saved' && state.at !== null
        ? buildText('save.at', { time: time(state.at) })
        : buildText(`save.${state.kind}`)}
    </p>
  );
}
