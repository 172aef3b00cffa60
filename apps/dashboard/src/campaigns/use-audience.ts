import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { callTool } from '../data/call-tool.js';
import { refresh } from '../data/make-stale.js';
import { Refusal } from '../data/refusal.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import type { Filter } from '../parts/filter/filter.js';
import { filterFields } from '../parts/filter/filter.js';
import { isWholeAudience } from './audience.js';
import type { Campaign } from './campaign-status.js';
import { keepUnfinished, unfinishedAudience } from './unfinished-audience.js';

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * The filters of a draft: each change that is whole is saved at once, one after the other. Filters that lack a value are kept
 * on the page and saved once they are complete; until then `isUnfinished`. A change elsewhere that leaves the
 * filters alone, such as an autosave of the text, is no conflict.
 */
export function useAudience(campaign: Campaign) {
  const client = useQueryClient();
  const [filters, setFilters] = useState<readonly Filter[]>(
    () => unfinishedAudience(campaign.id) ?? campaign.recipientFilters,
  );
  const update = useAction(actions.update_campaign_filters());
  const { data: available } = useQuery({ ...queries.get_available_filters({}), staleTime: 300_000 });
  const fields = available ? filterFields(available) : null;
  const known = useRef({ saved: campaign.recipientFilters, updatedAt: campaign.updatedAt });
  const latest = useRef(filters);
  const queue = useRef(Promise.resolve());
  const [error, setError] = useState<unknown>(null);

  const save = async (next: readonly Filter[]): Promise<void> => {
    const now = known.current;
    const write = async () =>
      await update.run({ campaignId: campaign.id, filters: [...next] }, { ifMatch: now.updatedAt });
    try {
      const { campaign: saved } = await write().catch(async (failure: unknown) => {
        if (!(failure instanceof Refusal) || failure.code !== 'STALE_UPDATE') throw failure;
        const { campaign: theirs } = await callTool('get_campaign', { campaignId: campaign.id });
        if (!same(theirs.recipientFilters, now.saved)) throw failure;
        now.updatedAt = theirs.updatedAt;
        return await write();
      });
      known.current = { saved: saved.recipientFilters, updatedAt: saved.updatedAt };
      setError(null);
      await refresh(client, ['preview_send', 'explain']);
    } catch (failure) {
      setError(failure);
    }
  };

  const change = (next: readonly Filter[]) => {
    setFilters(next);
    latest.current = next;
    const isWhole = isWholeAudience(next, fields);
    keepUnfinished(campaign.id, isWhole ? null : next);
    if (!isWhole) return;
    // Of changes that wait for one another only the last is saved.
    queue.current = queue.current.then(async () => (latest.current === next ? await save(next) : undefined));
  };
  return { filters, change, isSaving: update.isPending, isUnfinished: !isWholeAudience(filters, fields), error };
}
