import { campaignLifeTools, subscriberRequests } from '#contracts';
import { uuidOf } from '#database';
import { assertFresh, implement, ToolError } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import { historyAnswer, historySource } from '../history/history.js';
import { HistoryRepository } from '../history/history.repository.js';
import { analyticsAnswer } from '../analytics/campaign-counters.js';
import type { CampaignCounterRepository } from '../analytics/campaign-counter.repository.js';
import { saveMail } from './campaign-editing.tools.js';
import {
  assertCan,
  assertRestorable,
  campaignAnswer,
  changes,
  copyName,
  lineOf,
  parameterProblem,
} from './campaign.js';
import type { Campaign } from './campaign.js';
import { approvedSend } from './campaign-scheduling.tools.js';
import { describeRestore } from './approved-send.service.js';
import { localTime } from '../schedule/schedule.js';
import type { CampaignDependencies } from './campaign.service.js';
import { getCampaign, retryOnConflict } from './campaign.service.js';
import { CampaignRepository } from './campaign.repository.js';

interface Dependencies extends CampaignDependencies {
  history: HistoryRepository;
  statistics: CampaignCounterRepository;
}
type Life = Handlers<typeof campaignLifeTools>;

async function move(parts: Dependencies, change: 'archive' | 'unarchive', id: string, caller: Caller) {
  const { campaigns, senders } = parts;
  const { organizationId, now } = caller;
  const read = await getCampaign(parts, id, caller);
  assertFresh(caller.ifMatch, read.updatedAt);
  assertCan(change, read);
  const sender = await senders.find(read.senderId, caller);
  const guarded = caller.ifMatch === undefined ? null : read.updatedAt;
  const moved = await campaigns.move(change, organizationId, { id, updatedAt: guarded }, now);
  if (moved) return campaignAnswer(moved, sender);
  const { status, updatedAt } = await campaigns.get(organizationId, id);
  assertFresh(caller.ifMatch, updatedAt);
  throw new ToolError(changes[change].refusal, { status });
}

/** Checks what restore_campaign_history requires. @returns the campaign as it is, and as it would be */
async function checkRestore(
  parts: Dependencies,
  { campaignId, historyId }: { campaignId: string; historyId: string },
  caller: Caller,
) {
  const read = await getCampaign(parts, campaignId, caller);
  assertFresh(caller.ifMatch, read.updatedAt);
  assertRestorable(read);
  const { subject, content, contentType } = await parts.history.get(caller.organizationId, read.id, historyId);
  const text: Campaign = { ...read, subject, content, contentType };
  const snippets = await parts.composer.snippets(text, caller);
  if (read.status === 'SCHEDULED' && !(await parts.composer.content.hasUnsubscribeLink(text, snippets, caller)))
    throw new ToolError('UNSUBSCRIBE_LINK_MISSING', {});
  return { read, text };
}

/** What the start of a restored campaign is compared with: what was approved with this call, else what was before. */
async function approvedRestore({ bus }: Dependencies, { status, filters, approved }: Campaign, caller: Caller) {
  if (status !== 'SCHEDULED' || !caller.approved) return approved;
  const seen = caller.approved.count ?? approved?.count;
  if (seen !== undefined) return approvedSend(caller, seen);
  return approvedSend(caller, (await bus.client(subscriberRequests).count_recipients({ filters }, caller)).total);
}

const historyHandlers = (
  parts: Dependencies,
): Pick<Life, 'list_campaign_history' | 'get_campaign_history_entry' | 'restore_campaign_history'> => ({
  list_campaign_history: async ({ campaignId, cursor = null, limit }, caller) => {
    if (cursor !== null && uuidOf('hst', cursor) === null) {
      throw parameterProblem('cursor', 'must be the nextCursor of the page before');
    }
    const { id } = await getCampaign(parts, campaignId, caller);
    const found = await parts.history.list(caller.organizationId, id, { cursor, limit });
    const entries = found.slice(0, limit);
    return { entries: entries.map(historyAnswer), nextCursor: found.length > limit ? entries.at(-1)!.id : null };
  },

  get_campaign_history_entry: async ({ campaignId, historyId }, caller) => {
    const { id } = await getCampaign(parts, campaignId, caller);
    const entry = await parts.history.get(caller.organizationId, id, historyId);
    return { entry: { ...historyAnswer(entry), contentType: entry.contentType, content: entry.content } };
  },

  restore_campaign_history: async (args, caller) =>
    await retryOnConflict(async () => {
      const { organizationId, now } = caller;
      const { read, text } = await checkRestore(parts, args, caller);
      // It became SCHEDULED since it was described: without an approval, nothing of it may change.
      if (read.status === 'SCHEDULED' && caller.asks && !caller.approved)
        throw new ToolError('CAMPAIGN_NOT_RESTORABLE', { status: read.status });
      const references = await parts.composer.references(text, caller);
      const sender = await parts.senders.find(read.senderId, caller);
      const approved = await approvedRestore(parts, read, caller);
      const release = caller.approved !== undefined;
      const change = { text, references, approved, release };
      const saved = await saveMail(parts, text, {
        caller,
        warnings: [],
        write: (repository) => repository.restoreText(organizationId, read, change, now),
      });
      return saved && { ...campaignAnswer(saved.campaign, sender), warnings: saved.warnings };
    }),
});

export const implementCampaignLifeTools = (parts: Dependencies) =>
  implement(
    campaignLifeTools,
    {
      duplicate_campaign: async ({ campaignId, newName }, caller) => {
        const { organizationId } = caller;
        const read = await getCampaign(parts, campaignId, caller);
        const name = newName === undefined ? copyName(read.name) : lineOf('newName', newName);
        const sender = await parts.senders.find(read.senderId, caller);
        const copy = await parts.transaction(async ({ manager }) => {
          const made = await new CampaignRepository(manager).insertCopy(organizationId, read.id, name);
          await new HistoryRepository(manager).insert(organizationId, made, historySource(caller));
          return made;
        });
        return campaignAnswer(copy, sender);
      },

      archive_campaign: ({ campaignId }, caller) => move(parts, 'archive', campaignId, caller),
      unarchive_campaign: ({ campaignId }, caller) => move(parts, 'unarchive', campaignId, caller),

      ...historyHandlers(parts),

      get_campaign_analytics: async ({ campaignId }, caller) => {
        const { id } = await getCampaign(parts, campaignId, caller);
        return analyticsAnswer(await parts.statistics.get(caller.organizationId, id));
      },
    },
    {
      restore_campaign_history: async (args, caller) => {
        const { read, text: restored } = await checkRestore(parts, args, caller);
        if (read.status !== 'SCHEDULED') return null;
        const shown = await describeRestore(parts, { read, restored }, caller);
        const when = localTime(read.scheduledAt!, read.timezone!);
        return {
          action: 'Restore an earlier text into a scheduled campaign',
          message: `Replaces the text of '${read.name}', scheduled for ${when}, by the version with subject '${restored.subject}'.`,
          subject: { noun: 'campaign', id: read.id, name: read.name, updatedAt: read.updatedAt.toISOString() },
          ...shown,
        };
      },

      archive_campaign: async ({ campaignId }, caller) => {
        const read = await getCampaign(parts, campaignId, caller);
        assertFresh(caller.ifMatch, read.updatedAt);
        assertCan('archive', read);
        return {
          action: 'Archive the campaign',
          message: `Archives '${read.name}': it leaves the lists until it is unarchived.`,
        };
      },
    },
  );
