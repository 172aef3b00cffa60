import type { LiveEvent } from './live-event.js';

type TabMessage = { kind: 'event'; event: LiveEvent } | { kind: 'leads'; isOpen: boolean } | { kind: 'joins' };

const name = 'tidings.events';
/** How often the leading tab says that it is there. */
const signMs = 10_000;
/** So long without its sign, and a tab that is seen takes over. */
const goneMs = 25_000;
/** A server without a stream is asked again. */
const againMs = 60_000;

interface Listeners {
  types: readonly string[];
  hear: (event: LiveEvent) => void;
  /** The stream is open, here or in the leading tab. */
  alive: () => void;
}

/**
 * Holds the stream of events in one tab of this browser, which hands them to the others. A tab leads while it holds the lock;
 * one that is suspended holds it on, so that another which is seen takes it away.
 */
export function leadLiveTabs({ types, hear, alive }: Listeners): { stop: () => void } {
  const channel = new BroadcastChannel(name);
  const stop = new AbortController();
  let ledAt = Date.now();
  let isOpen = false;
  let isLeading = false;
  const sign = () => {
    ledAt = Date.now();
    if (isOpen) alive();
    channel.postMessage({ kind: 'leads', isOpen } satisfies TabMessage);
  };
  const share = (event: LiveEvent) => {
    hear(event);
    channel.postMessage({ kind: 'event', event } satisfies TabMessage);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'joins') return isLeading ? sign() : undefined;
    ledAt = Date.now();
    if (data.kind === 'event') hear(data.event);
    if (data.kind === 'event' || data.isOpen) alive();
  });
  const lead = async (options: LockOptions): Promise<boolean> => {
    const lost = new AbortController();
    let wasGranted = false;
    const onOpen = (next: boolean) => {
      isOpen = next;
      sign();
    };
    try {
      await navigator.locks.request(name, options, async () => {
        wasGranted = isLeading = true;
        sign();
        await holdStream({ types, share, onOpen, signal: AbortSignal.any([lost.signal, stop.signal]) });
      });
    } catch {
      // Another tab took the lock away, the page ends, or the browser lets no lock be taken: then it polls.
    }
    if (wasGranted) isLeading = isOpen = false;
    lost.abort();
    return wasGranted;
  };
  const queue = async () => {
    while (!stop.signal.aborted && (await lead({ signal: stop.signal })));
  };
  channel.postMessage({ kind: 'joins' } satisfies TabMessage);
  void queue();
  const timer = setInterval(() => {
    if (isLeading) sign();
    else if (Date.now() - ledAt >= goneMs && document.visibilityState === 'visible') {
      ledAt = Date.now();
      void lead({ steal: true });
    }
  }, signMs);
  return {
    stop: () => {
      stop.abort();
      clearInterval(timer);
      channel.close();
    },
  };
}

/** Holds the stream until the signal. The browser connects again by itself, but not after a refusal. */
async function holdStream({
  types,
  share,
  onOpen,
  signal,
}: {
  types: readonly string[];
  share: (event: LiveEvent) => void;
  onOpen: (isOpen: boolean) => void;
  signal: AbortSignal;
}): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((ended) => {
      const source = new EventSource('/api/events');
      const close = () => {
        source.close();
        ended();
      };
      signal.addEventListener('abort', close, { once: true });
      source.addEventListener('open', () => onOpen(true));
      source.addEventListener('error', () => {
        onOpen(false);
        if (source.readyState === EventSource.CLOSED) close();
      });
      for (const type of types)
        source.addEventListener(type, ({ data }: MessageEvent<string>) => share({ type, ...parse(data) }));
    });
    await pause(againMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function parse(data: string): Omit<LiveEvent, 'type'> {
  try {
    return JSON.parse(data) as LiveEvent;
  } catch {
    return { noun: '', id: '', at: '' };
  }
}
