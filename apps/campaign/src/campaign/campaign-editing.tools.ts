import { subscriberRequests } from '#contracts';
import type { Args, campaignRequests, campaignTools } from '#contracts';
import type { Warning } from '#content';
import { assertFresh } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import type { Mail } from '../content/content.js';
import { historySource } from '../history/history.js';
import { HistoryRepository } from '../history/history.repository.js';
import { SnippetRepository } from '../snippet/snippet.repository.js';
import { WorkflowEmailClient } from '../workflow-email/workflow-email.client.js';
import { assertCan, assertEdit, campaignAnswer, editedText, newText } from './campaign.js';
import type { Campaign, CampaignText } from './campaign.js';
import type { CampaignDependencies } from './campaign.service.js';
import { getMail, getCampaign, retryOnConflict } from './campaign.service.js';
import { CampaignRepository } from './campaign.repository.js';

type Editing = Pick<Handlers<typeof campaignTools>, 'create_campaign' | 'edit_campaign' | 'update_campaign_filters'>;

type Autosave = Args<(typeof campaignRequests)['calls']['autosave_campaign']>;

interface Save {
  caller: Caller;
  warnings: Warning[];
  write: (repository: CampaignRepository) => Promise<Campaign | null>;
}

/** Null when `write` returns null, or when one of the mail's snippets has been renamed. */
export async function saveMail(
  { composer, transaction }: CampaignDependencies,
  mail: Mail,
  { caller, warnings, write }: Save,
) {
  const snippets = await composer.snippets(mail, caller);
  const composed = await composer.compose(mail, snippets, caller);
  const found = await composer.warnings(composed, caller);
  const campaign = await transaction(async ({ manager }) => {
    if (!(await new SnippetRepository(manager).lockNames(caller.organizationId, snippets))) return null;
    const saved = await write(new CampaignRepository(manager));
    if (!saved) return null;
    await new HistoryRepository(manager).insert(caller.organizationId, saved, historySource(caller));
    await new SnippetRepository(manager).updateUses(caller.organizationId, saved.id, Object.keys(snippets));
    return saved;
  });
  return campaign && { campaign, warnings: [...warnings, ...found] };
}

/** Saves the new text of a campaign or of a workflow's email; null when it was changed since it was read. */
export async function saveText(
  parts: CampaignDependencies,
  read: Campaign,
  { text, references, warnings }: { text: CampaignText; references: string[] | null; warnings: Warning[] },
  caller: Caller,
) {
  if (!read.isInternal) {
    const write: Save['write'] = (repository) =>
      repository.updateText(caller.organizationId, read, { text, references }, caller.now);
    return await saveMail(parts, text, { caller, warnings, write });
  }
  const { composer, bus } = parts;
  const composed = await composer.compose(text, await composer.snippets(text, caller), caller);
  const campaign = await new WorkflowEmailClient(bus).save(read, text, caller);
  return campaign && { campaign, warnings: [...warnings, ...(await composer.warnings(composed, caller))] };
}

export function editingHandlers(parts: CampaignDependencies): Editing {
  const { campaigns, composer, senders, bus } = parts;
  return {
    create_campaign: async (args, caller) => {
      const written = await composer.content.read(args.contentType, args.content, caller);
      const sender = args.senderId ? await senders.get(args.senderId, caller) : await senders.findUsual(caller);
      const text = newText(args, written, sender?.id ?? null);
      const references = await composer.references(text, caller);
      const write: Save['write'] = (repository) => repository.insert(caller.organizationId, text, references);
      const save = () => saveMail(parts, text, { caller, warnings: written.warnings, write });
      const saved = await retryOnConflict(save);
      return { ...campaignAnswer(saved.campaign, sender), warnings: saved.warnings };
    },

    edit_campaign: async (args, caller) => {
      assertEdit(args);
      return await retryOnConflict(async () => {
        const read = await getMail(parts, args.id, caller);
        assertFresh(caller.ifMatch, read.updatedAt);
        assertCan('edit', read);
        const edited = await composer.content.edit(read, args, caller);
        const sender = args.senderId
          ? await senders.get(args.senderId, caller)
          : await senders.find(read.senderId, caller);
        const text = editedText(read, args, edited);
        const references = edited && (await composer.references(text, caller));
        const saved = await saveText(parts, read, { text, references, warnings: edited?.warnings ?? [] }, caller);
        if (!saved) return null;
        const operations = edited?.operations && { operations: edited.operations };
        return { ...campaignAnswer(saved.campaign, sender), ...operations, warnings: saved.warnings };
      });
    },

    update_campaign_filters: async (args, caller) => {
      const subscribers = bus.client(subscriberRequests);
      return await retryOnConflict(async () => {
        const read = await getCampaign(parts, args.campaignId, caller);
        assertFresh(caller.ifMatch, read.updatedAt);
        assertCan('edit', read);
        const checked = await subscribers.check_filters({ filters: args.filters }, caller);
        const { total } = await subscribers.count_recipients({ filters: checked.filters }, caller);
        const sender = await senders.find(read.senderId, caller);
        const saved = await campaigns.updateFilters(caller.organizationId, read, checked, caller.now);
        return saved && { ...campaignAnswer(saved, sender), recipientCount: total };
      });
    },
  };
}

/** Saves what an editor has so far; the history calls it an autosave. */
export async function autosaveCampaign(parts: CampaignDependencies, edit: Autosave, caller: Caller) {
  const saved = await editingHandlers(parts).edit_campaign(edit, { ...caller, source: 'editor' });
  const { campaignId, campaign, warnings } = saved;
  return { campaignId, updatedAt: campaign.updatedAt, warnings };
}
