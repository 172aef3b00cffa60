import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { LiveRefresh } from './live-refresh.js';

const page = { visibilityState: 'visible' };
let client: QueryClient;
let refresh: LiveRefresh;
let reads: string[];
let ends: (() => void)[];

/** Watches a read as a page does, and notes each time it is carried out. */
function watch(key: readonly unknown[]): void {
  const queryFn = () => {
    reads.push(key.join(' '));
    return { total: 10, pending: 10, paused: false };
  };
  const observer = new QueryObserver(client, { queryKey: key, queryFn, staleTime: Infinity });
  ends.push(observer.subscribe(() => undefined));
}

beforeEach(async () => {
  jest.useFakeTimers();
  Object.assign(globalThis, { document: page });
  page.visibilityState = 'visible';
  reads = [];
  ends = [];
  client = new QueryClient();
  refresh = new LiveRefresh(client);
  watch([1, 'get_campaign_progress', { campaignId: 'cmp_1' }]);
  watch([1, 'list_approvals', {}]);
  watch([2, 'list_approvals', {}]);
  watch([null, 'sessions']);
  await jest.advanceTimersByTimeAsync(0);
  reads.length = 0;
});
afterEach(() => {
  for (const end of ends) end();
  refresh.stop();
  client.clear();
  delete (globalThis as { document?: unknown }).document;
  jest.useRealTimers();
});

describe('LiveRefresh', () => {
  it('reads once for many events, in their organization only', async () => {
    for (let n = 0; n < 50; n++) refresh.reads(1, ['list_approvals']);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(reads).toEqual(['1 list_approvals [object Object]']);
  });

  it('reads nothing in the background, but knows it as stale', async () => {
    page.visibilityState = 'hidden';
    refresh.everything();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(reads).toEqual([]);
    const isStale = (key: readonly unknown[]) => client.getQueryState(key)!.isInvalidated;
    expect(isStale([1, 'list_approvals', {}])).toBe(true);
    expect(isStale([null, 'sessions'])).toBe(false);
  });

  it('repeats a slow read every three seconds at most, and once after the last event', async () => {
    for (let ms = 0; ms < 9_000; ms += 250) {
      refresh.readsSlowly(1, ['list_approvals']);
      await jest.advanceTimersByTimeAsync(250);
    }
    expect(reads).toHaveLength(3);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(reads).toHaveLength(4);
  });

  it('shows numbers at once without another read', async () => {
    const key = [1, 'get_campaign_progress', { campaignId: 'cmp_1' }];
    refresh.show(key, { pending: 3 });
    expect(client.getQueryData(key)).toEqual({ total: 10, pending: 3, paused: false });
    refresh.show([1, 'get_campaign_progress', { campaignId: 'cmp_2' }], { pending: 3 });
    expect(client.getQueryData([1, 'get_campaign_progress', { campaignId: 'cmp_2' }])).toBeUndefined();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(reads).toEqual([]);
  });
});
