import { listen } from './listen.js';

/** Longer than this no call waits: the refusal is shown instead. */
const waitMsMax = 120_000;

let waits: readonly Date[] = [];
const changes = listen();

/** Until when calls wait that came too fast; null where none does. The same instant is the same object. */
export const waitingUntil = (): Date | null => waits.at(-1) ?? null;

export const onWaits = changes.add;

/**
 * Waits for an instant, visibly.
 * @returns false for one that is too far away
 * @throws what the signal says
 */
export async function waitUntil(at: Date, signal?: AbortSignal): Promise<boolean> {
  const ms = at.getTime() - Date.now();
  if (ms > waitMsMax) return false;
  signal?.throwIfAborted();
  waits = [...waits, at];
  changes.tell();
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, Math.max(ms, 250));
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    });
  } finally {
    waits = waits.filter((one) => one !== at);
    changes.tell();
  }
  return true;
}
