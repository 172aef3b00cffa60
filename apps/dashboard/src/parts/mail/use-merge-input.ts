import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ToolInput } from '#client';
import { queries } from '../../data/tools.calls.js';
import type { MailNeeds, MergeInput } from './render-source.js';

type MergeFilters = NonNullable<ToolInput<'get_merge_values'>['showIf']>;

/** Lists of filters that one call of get_merge_values takes. */
const listsMax = 50;

/**
 * The values that a subscriber's copy of a mail is rendered with.
 * @returns `merge` is undefined until they are read, and null without a subscriber or after a refusal
 */
export function useMergeInput(subscriberId: string | undefined, showIf: MailNeeds['showIf']) {
  const parts = Array.from({ length: Math.max(1, Math.ceil(showIf.length / listsMax)) }, (_, n) =>
    showIf.slice(n * listsMax, (n + 1) * listsMax),
  );
  const reads = useQueries({
    queries:
      subscriberId === undefined
        ? []
        : parts.map((lists) => ({
            ...queries.get_merge_values({ subscriberId, showIf: lists as MergeFilters }),
            // What was read for other lists answers none of these.
            placeholderData: undefined,
          })),
  });
  const error = reads.find((read) => read.error !== null)?.error ?? null;
  const all = reads.map(({ data }) => data);
  const key = JSON.stringify([subscriberId, showIf, reads.map(({ dataUpdatedAt }) => dataUpdatedAt)]);
  const merge = useMemo((): MergeInput | null | undefined => {
    if (subscriberId === undefined || error !== null) return null;
    const read = all.flatMap((data) => (data?.subscriberId === subscriberId ? [data] : []));
    if (read.length < all.length) return undefined;
    const shows = read.flatMap((data) => data.shows);
    return {
      values: read[0]!.values,
      shows: Object.fromEntries(showIf.map((filters, n) => [JSON.stringify(filters), shows[n] ?? true])),
    };
    // The reads are new objects at every render.
  }, [key, error]);
  return { merge, email: all[0]?.subscriberId === subscriberId ? all[0]?.email : undefined, error };
}
