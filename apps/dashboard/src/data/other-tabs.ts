import type { ToolName } from '#client';

/** What a tab reports to the others of this browser. */
export type TabReport =
  | { kind: 'stale'; organization: number; tools: readonly ToolName[] }
  /** The session is new, or its sign-in is recent again. */
  | { kind: 'signedIn' }
  | { kind: 'signedOut' };

const name = 'tidings.tabs';

let channel: BroadcastChannel | null = null;

export const reportToTabs = (report: TabReport): void => channel?.postMessage(report);

/** Receives the reports of other tabs, and opens the way for those of this one. @returns a function that ends it */
export function followTabs(take: (report: TabReport) => void): () => void {
  const own = new BroadcastChannel(name);
  own.addEventListener('message', ({ data }: MessageEvent<TabReport>) => take(data));
  channel = own;
  return () => {
    own.close();
    if (channel === own) channel = null;
  };
}

/** Reports from a tab that follows no reports itself. */
export function reportOnce(report: TabReport): void {
  const own = new BroadcastChannel(name);
  own.postMessage(report);
  own.close();
}
