import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { callTool } from '../data/call-tool.js';
import { refresh } from '../data/make-stale.js';
import { Refusal } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { campaignText } from '../messages/en/campaigns.js';
import { Autosave, ChangedElsewhere } from './autosave.js';
import type { SaveState, StoredDraft } from './autosave.js';
import type { Campaign } from './campaign-status.js';
import { draftOf } from './draft.js';
import type { Changes, Draft } from './draft.js';

/**
 * Saves a draft while it is written, and before the screen is left. Leaving with changes that could not be saved asks.
 * @returns the state, `base` (the stored draft), `save` (at once) and `resolve` (after a comparison)
 */
export function useAutosave(campaign: Campaign, draft: Draft) {
  const [state, setState] = useState<SaveState>({ kind: 'saved', at: null });
  const write = useWrite(campaign.id);
  const writeRef = useRef(write);
  const [autosave] = useState(
    () =>
      new Autosave(
        { draft: draftOf(campaign), updatedAt: campaign.updatedAt },
        {
          write: async (changes, updatedAt) => await writeRef.current(changes, updatedAt),
          read: async () => await readStored(campaign.id),
          report: setState,
        },
      ),
  );
  useEffect(() => {
    writeRef.current = write;
    autosave.change(draft);
  });
  useEffect(() => () => void autosave.flush(), [autosave]);
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await autosave.flush()) && !confirm(campaignText('leave')),
    enableBeforeUnload: () => autosave.isUnsaved,
  });
  return {
    state,
    base: () => autosave.base,
    save: () => void autosave.flush(),
    resolve: (chosen: Draft, theirs: StoredDraft) => void autosave.resolve(chosen, theirs),
  };
}

async function readStored(campaignId: string): Promise<StoredDraft> {
  const { campaign } = await callTool('get_campaign', { campaignId });
  return { draft: draftOf(campaign), updatedAt: campaign.updatedAt };
}

function useWrite(id: string) {
  const client = useQueryClient();
  const autosave = useAction(actions.autosave_campaign());
  const edit = useAction(actions.edit_campaign());
  const write = async (changes: Changes, updatedAt: string): Promise<string> => {
    if ('senderId' in changes || 'replyTo' in changes)
      return (await edit.run({ id, ...changes }, { ifMatch: updatedAt })).campaign.updatedAt;
    // `autosave_campaign` takes no If-Match, so the page looks before it writes.
    const { campaign } = await callTool('get_campaign', { campaignId: id });
    if (campaign.updatedAt !== updatedAt) throw new ChangedElsewhere();
    return (await autosave.run({ id, ...changes })).updatedAt;
  };
  return async (changes: Changes, updatedAt: string): Promise<string> => {
    try {
      const savedAt = await write(changes, updatedAt);
      void refresh(client, ['search_campaigns', 'preview_send', 'list_campaign_history']);
      return savedAt;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'STALE_UPDATE') throw new ChangedElsewhere();
      throw error;
    }
  };
}
