import { deliveryRequests, subscriberRequests } from '#contracts';
import type { Args, campaignTools, SenderFacts } from '#contracts';
import { assertFresh, assertWithinQuota, pluralize, quotaOf, ToolError } from '#tool-call';
import type { Caller, Descriptions, Handlers } from '#tool-call';
import { localTime, scheduledInstant } from '../schedule/schedule.js';
import { sendDueBroadcast } from '../send/send.js';
import { assertCan, assertSchedulable, assertSender, campaignAnswer, senderText } from './campaign.js';
import type { ApprovedSend, Campaign } from './campaign.js';
import { describeSend } from './approved-send.service.js';
import type { CampaignDependencies } from './campaign.service.js';
import { getCampaign, retryOnConflict } from './campaign.service.js';

type Tools = typeof campaignTools;
type ScheduleArgs = Args<Tools['calls']['schedule_campaign']>;

/** Checks everything that schedule_campaign requires; the confirmation and the confirmed call share it. */
async function checkSchedule(parts: CampaignDependencies, args: ScheduleArgs, caller: Caller) {
  const { composer, senders, bus } = parts;
  const at = scheduledInstant(args, caller.now);
  const read = await getCampaign(parts, args.campaignId, caller);
  assertFresh(caller.ifMatch, read.updatedAt);
  assertSchedulable(read);
  const snippets = await composer.snippets(read, caller);
  if (!(await composer.content.hasUnsubscribeLink(read, snippets, caller)))
    throw new ToolError('UNSUBSCRIBE_LINK_MISSING', {});
  await composer.references(read, caller, { stored: true });
  const sender = await senders.find(read.senderId, caller);
  assertSender(sender);
  const counted = await bus.client(subscriberRequests).count_recipients({ filters: read.filters }, caller);
  const { total, warnings = [] } = counted;
  if (at === null && total === 0) throw new ToolError('NO_RECIPIENTS', {});
  // A send in a later month counts towards the quota of that month.
  const month = (one: Date) => one.toISOString().slice(0, 7);
  if (at && month(at) !== month(caller.now)) assertWithinQuota(caller, 'mailsPerMonth', { used: 0, asked: total });
  else if (quotaOf(caller, 'mailsPerMonth') !== null)
    await bus.client(deliveryRequests).assert_mails_fit({ asked: total }, caller);
  return { read, at, sender, total, warnings };
}

/**
 * When a send that a user starts or approves now begins, so that it can be undone until then; null: at once, as tokens
 * send.
 */
async function undoableUntil({ settings }: CampaignDependencies, caller: Caller): Promise<Date | null> {
  // An approval is decided in a session, also where a token asked.
  if (caller.actor?.kind !== 'USER' && !caller.approved) return null;
  const { sendDelaySeconds = 0 } = await settings.find(caller);
  return sendDelaySeconds === 0 ? null : new Date(caller.now.getTime() + sendDelaySeconds * 1_000);
}

/**
 * What is stored of an approved send, to compare its start with: the hash that was approved, even where the campaign
 * changed since, and how many matched as the approver saw it. Null for a call that needed no approval.
 * @param present how many match now, for an approval of an older version, which did not keep what was seen
 */
export function approvedSend({ approved }: Caller, present: number): ApprovedSend | null {
  if (!approved) return null;
  const { approvalId, content, count = present } = approved;
  return { approvalId, hash: (content as { hash: string }).hash, count };
}

export const schedulingHandlers = (
  parts: CampaignDependencies,
): Pick<Handlers<Tools>, 'schedule_campaign' | 'cancel_campaign_schedule'> => ({
  schedule_campaign: async (args, caller) =>
    await retryOnConflict(async () => {
      const { read, at: asked, sender, total, warnings: said } = await checkSchedule(parts, args, caller);
      const at = asked ?? (await undoableUntil(parts, caller));
      const { timezone } = args;
      const plan = { at, timezone, approved: approvedSend(caller, total) };
      const saved = await parts.campaigns.schedule(caller.organizationId, read, plan, caller.now);
      if (!saved) return null;
      const warnings =
        total === 0
          ? [
              'No subscriber matches the filters yet. If none matches at the due time, the campaign ends FAILED.',
              ...said,
            ]
          : said;
      if (at === null && parts.bus.connected) parts.bus.broadcast(sendDueBroadcast, {});
      return {
        ...campaignAnswer(saved, sender),
        scheduledAt: saved.scheduledAt!.toISOString(),
        timezone,
        recipientCount: total,
        ...(warnings.length > 0 && { warnings }),
      };
    }),

  cancel_campaign_schedule: async ({ campaignId }, caller) => {
    const read = await getCampaign(parts, campaignId, caller);
    assertFresh(caller.ifMatch, read.updatedAt);
    assertCan('cancel', read);
    // A cancellation must not depend on the service that only names the sender.
    const sender = await parts.senders.find(read.senderId, caller).catch(() => null);
    const guarded = caller.ifMatch === undefined ? null : read.updatedAt;
    const which = { id: campaignId, updatedAt: guarded };
    const saved = await parts.campaigns.cancelSchedule(caller.organizationId, which, caller.now);
    if (saved) return campaignAnswer(saved, sender);
    const { status, updatedAt } = await parts.campaigns.get(caller.organizationId, campaignId);
    assertFresh(caller.ifMatch, updatedAt);
    throw new ToolError('CAMPAIGN_NOT_SCHEDULED', { status });
  },
});

export function sendSentence(
  { name }: Pick<Campaign, 'name'>,
  { at, timezone, total, sender }: { at: Date | null; timezone: string; total: number; sender: SenderFacts | null },
): string {
  const when = at ? `on ${localTime(at, timezone)}` : 'now';
  const people = pluralize(total, 'subscriber');
  const whom = at ? `the subscribers that match then (now ${people})` : people;
  return `Sends '${name}' ${when} to ${whom} from ${sender ? senderText(sender) : 'no sender'}.`;
}

export const schedulingDescriptions = (parts: CampaignDependencies): Descriptions<Tools> => ({
  schedule_campaign: async (args, caller) => {
    const { read, ...plan } = await checkSchedule(parts, args, caller);
    const { timezone } = args;
    return {
      action: plan.at ? 'Schedule the campaign' : 'Send the campaign now',
      message: sendSentence(read, { ...plan, timezone }),
      subject: { noun: 'campaign', id: read.id, name: read.name, updatedAt: read.updatedAt.toISOString() },
      ...(caller.forApproval && (await describeSend(parts, read, { ...plan, timezone }, caller))),
    };
  },
});
