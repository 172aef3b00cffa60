import { useEffect, useSyncExternalStore } from 'react';
import { announce } from '../data/announcements.js';
import { liveState, onLiveState } from '../data/live-state.js';
import { shellText } from '../messages/en/shell.js';
import { classNames } from '../ui/class-names.js';

/** Whether changes of others arrive at once, or every ten seconds. */
export function LiveStatus() {
  const state = useSyncExternalStore(onLiveState, liveState);
  const text = shellText(state);
  useEffect(() => {
    if (state === 'polling') announce(text);
  }, [state, text]);
  return (
    <span title={text} className="ms-auto grid size-8 place-items-center">
      <span
        className={classNames(
          'size-2 rounded-full',
          state === 'live' ? 'bg-good' : state === 'polling' ? 'bg-warn' : 'border border-edge',
        )}
      />
      <span className="sr-only">{text}</span>
    </span>
  );
}
