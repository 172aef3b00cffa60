import { campaignText } from '../messages/en/campaigns.js';
import { dateLocale } from '../messages/text.js';
import { ErrorNotice } from '../parts/error-notice.js';
import type { SaveState } from './autosave.js';

const time = (at: Date): string =>
  new Intl.DateTimeFormat(dateLocale(), {
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);

/** Whether what was typed is saved. */
export function SaveLine({ state, onRetry }: { state: SaveState; onRetry: () => void }) {
  if (state.kind === 'failed') return <ErrorNotice error={state.error} onRetry={onRetry} />;
  return (
    <p role="status" className="-mb-2 text-end text-sm text-soft tabular">
      {state.kind === 'saved'
        ? state.at
          ? campaignText('save.at', { time: time(state.at) })
          : campaignText('save.saved')
        : state.kind === 'stale'
          ? campaignText('save.failed')
          : campaignText(`save.${state.kind}`)}
    </p>
  );
}
