import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { isUnavailable } from '../data/refusal.js';
import { currentSession, onSession, readSession } from '../data/session.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { router } from './router.js';

// Dialogs and notices come after the first paint.
const Overlays = lazy(async () => ({ default: (await import('./overlays.js')).Overlays }));

/** Milliseconds between two reads of what cannot be answered. */
const awayMs = 5_000;

const queryClient = new QueryClient({
  defaultOptions: {
    // Changes of others come as events, so that nothing is asked for while nothing changes.
    // A server on this machine or this network answers whatever the browser thinks of the internet.
    queries: {
      staleTime: 60_000,
      retry: false,
      networkMode: 'always',
      // What a service could not answer is asked for again until it is back.
      refetchInterval: ({ state }) => (isUnavailable(state.error) ? awayMs : false),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** The whole page: session first, then the screen of the address. */
export function App() {
  const [state, setState] = useState<{ ready: boolean; error?: unknown }>({ ready: false });
  const load = () => {
    readSession()
      .then(() => setState({ ready: true }))
      .catch((error: unknown) => setState({ ready: false, error }));
  };
  useEffect(load, []);
  useEffect(follow, []);
  if (state.error !== undefined)
    return (
      <div className="mx-auto max-w-md p-6">
        <ErrorNotice error={state.error} onRetry={load} />
      </div>
    );
  if (!state.ready) return null;
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Suspense fallback={null}>
        <Overlays />
      </Suspense>
    </QueryClientProvider>
  );
}

/** Follows events from sign-in to sign-out; another user's data never stays. */
function follow(): () => void {
  let stop: (() => void) | null = null;
  let user: string | null = null;
  let isFollowing = false;
  const update = () => {
    const next = currentSession()?.user.id ?? null;
    if (next === user) return;
    if (user !== null && next !== null) queryClient.clear();
    user = next;
    if (next === null || isFollowing) return;
    isFollowing = true;
    void import('../data/live.events.js').then(({ followEvents }) => {
      if (isFollowing) stop = followEvents(queryClient);
    });
  };
  const end = onSession(update);
  update();
  return () => {
    end();
    isFollowing = false;
    stop?.();
  };
}
