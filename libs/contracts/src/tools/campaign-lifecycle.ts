import { z } from 'zod';
import { idText, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { campaign, contentType, contentWarnings } from './campaign.js';

const one = { campaign, campaignId: z.string() };
const byId = { campaignId: idText };
const byEntry = { ...byId, historyId: idText.describe('The id of an entry, from list_campaign_history') };

const historyEntry = z.object({
  id: z.string(),
  savedAt: timestamp,
  source: z.enum(['autosave', 'manual', 'ai']),
  subject: z.string(),
});
const counted = z.object({ unique: z.int(), total: z.int(), rate: z.number() });

export const campaignLifeTools = defineTools('campaign', {
  duplicate_campaign: {
    summary: 'Copies a campaign in any state to a new DRAFT, with content, sender, reply address and filters.',
    category: 'campaigns',
    scope: 'write',
    rules: ['Without newName the copy is called "<name> (copy)".'],
    input: z.strictObject({ ...byId, newName: z.string().trim().min(1).max(255).optional() }),
    output: z.object(one),
    errors: ['CAMPAIGN_NOT_FOUND', 'PARAMETERS_INVALID'],
    transaction: 'own',
    keywords:
      'copy a newsletter, reuse, clone, same again, another like this, template from, basis for a new one, use again, based on',
    example: { campaignId: '{campaignId}', newName: 'Summer news' },
  },
  archive_campaign: {
    summary:
      'Archives a DRAFT campaign. It is hidden from lists and cannot be changed or scheduled until it is unarchived.',
    category: 'campaigns',
    scope: 'write',
    locks: true,
    confirm: true,
    input: z.strictObject(byId),
    output: z.object(one),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_DRAFT'],
    transaction: 'own',
    keywords: 'put a newsletter away, hide, remove a draft from the list, discard, delete a mailing, tidy up',
    example: { campaignId: '{spareCampaignId}' },
  },
  unarchive_campaign: {
    summary: 'Returns an ARCHIVED campaign to DRAFT.',
    category: 'campaigns',
    scope: 'write',
    locks: true,
    input: z.strictObject(byId),
    output: z.object(one),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_ARCHIVED'],
    transaction: 'own',
    keywords: 'get a hidden newsletter back, bring back, show again, undelete, recover a draft',
    example: { campaignId: '{spareCampaignId}' },
  },
  list_campaign_history: {
    summary: 'Lists the saved states of a campaign, newest first. Each entry holds the state after that save.',
    category: 'campaigns',
    scope: 'read',
    rules: ['The newest 200 entries of a campaign are kept.'],
    input: z.strictObject({
      ...byId,
      cursor: z.string().max(320).optional().describe('nextCursor of the previous page: the id of its last entry'),
      limit: pageSize(100, 20),
    }),
    output: z.object({ entries: z.array(historyEntry), nextCursor: z.string().nullable() }),
    errors: ['CAMPAIGN_NOT_FOUND', 'PARAMETERS_INVALID'],
    transaction: 'read',
    keywords: 'earlier versions of a newsletter, who changed, when, revisions, saves, older drafts, changes',
    example: { campaignId: '{campaignId}', limit: 10 },
  },
  get_campaign_history_entry: {
    summary: "Returns one entry of a campaign's history with its full content.",
    category: 'campaigns',
    scope: 'read',
    input: z.strictObject(byEntry),
    output: z.object({
      entry: historyEntry.extend({
        contentType,
        content: z.unknown().describe('A document object, or text for MARKDOWN'),
      }),
    }),
    errors: ['CAMPAIGN_NOT_FOUND', 'HISTORY_ENTRY_NOT_FOUND'],
    transaction: 'read',
    keywords:
      'one older version of a newsletter, what did it say, yesterday, revision, look at a save, text as it was on, before',
    example: { campaignId: '{campaignId}', historyId: '{historyId}' },
  },
  restore_campaign_history: {
    summary: 'Restores subject and content of a history entry and adds a new entry. The status does not change.',
    category: 'campaigns',
    scope: 'write',
    asksByState: true,
    locks: true,
    rules: [
      'Works on DRAFT, SCHEDULED and ARCHIVED campaigns.',
      'A SCHEDULED campaign keeps its schedule, so the restored content must contain an unsubscribe link.',
    ],
    input: z.strictObject(byEntry),
    output: z.object({ ...one, warnings: contentWarnings }),
    errors: [
      'CAMPAIGN_NOT_FOUND',
      'HISTORY_ENTRY_NOT_FOUND',
      'CAMPAIGN_NOT_RESTORABLE',
      'UNSUBSCRIBE_LINK_MISSING',
      'CONTENT_INVALID',
      'SNIPPET_NOT_FOUND',
    ],
    transaction: 'own',
    keywords: 'bring back an earlier version, undo edits, go back, revert, roll back a newsletter, recover',
    example: { campaignId: '{campaignId}', historyId: '{historyId}' },
  },
  get_campaign_analytics: {
    summary: "Returns a campaign's results: deliveries, opens, clicks by link and hour, unsubscriptions and bounces.",
    category: 'campaigns',
    scope: 'read',
    rules: [
      'Rates are fractions of delivered. opens.machine counts openings by scanners, which no other number includes.',
      'Links are the 1,000 most clicked. The timeline omits hours without an opening or click.',
    ],
    input: z.strictObject(byId),
    output: z.object({
      sent: z.int(),
      delivered: z.int(),
      opens: counted.extend({ machine: z.int() }),
      clicks: counted,
      unsubscribed: z.int(),
      bounced: z.object({ hard: z.int(), soft: z.int() }),
      complained: z.int(),
      links: z.array(z.object({ url: z.string(), unique: z.int(), total: z.int() })),
      timeline: z.array(z.object({ hour: timestamp, opens: z.int(), clicks: z.int() })),
    }),
    errors: ['CAMPAIGN_NOT_FOUND'],
    transaction: 'own',
    core: true,
    keywords:
      'how many opened, clicked, open rate, click rate, results, report, statistics of a newsletter, performance, success, which links',
    example: { campaignId: '{campaignId}' },
  },
});
