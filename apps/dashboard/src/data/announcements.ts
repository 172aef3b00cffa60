import { listen } from './listen.js';

/** So long screen readers are left alone after an announcement. */
const quietMs = 5_000;

let text = '';
let spokenAt = -Infinity;
let timer: ReturnType<typeof setTimeout> | null = null;
const changes = listen();

export const announcement = (): string => text;
export const onAnnouncement = changes.add;

/** Has a text read out, at most once in five seconds: of several meanwhile, the last. */
export function announce(next: string): void {
  if (timer !== null) clearTimeout(timer);
  const speak = () => {
    timer = null;
    spokenAt = Date.now();
    text = next;
    changes.tell();
  };
  const waitMs = spokenAt + quietMs - Date.now();
  if (waitMs <= 0) return speak();
  timer = setTimeout(speak, waitMs);
}
