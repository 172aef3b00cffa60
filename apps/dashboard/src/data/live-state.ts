import { listen } from './listen.js';

/** How the page learns of changes: by the stream, or by asking every ten seconds. */
export type LiveState = 'connecting' | 'live' | 'polling';

let state: LiveState = 'connecting';
const changes = listen();

export const liveState = (): LiveState => state;

export const onLiveState = changes.add;

export function setLiveState(next: LiveState): void {
  if (state === next) return;
  state = next;
  changes.tell();
}
