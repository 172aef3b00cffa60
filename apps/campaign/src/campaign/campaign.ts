import type { z } from 'zod';
import type {
  Args,
  campaign as campaignSchema,
  campaignStatuses,
  campaignTools,
  Filter,
  Issue,
  Reason,
  SenderFacts,
} from '#contracts';
import { parseAddress } from '#email-address';
import { summarise, ToolError } from '#tool-call';
import type { Mail, WrittenContent } from '../content/content.js';

/**
 * DRAFT may be changed. SCHEDULED waits for its time. SENDING is frozen and handed to the delivery service, or about to
 * be. SENT and FAILED are final, FAILED with its failure. ARCHIVED is a hidden draft.
 */
export type CampaignStatus = (typeof campaignStatuses)[number];

export interface Campaign extends Mail {
  id: string;
  name: string;
  senderId: string | null;
  replyTo: string | null;
  filters: Filter[];
  status: CampaignStatus;
  scheduledAt: Date | null;
  timezone: string | null;
  sendId: string | null;
  handedOverAt: Date | null;
  waitingFor: string | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  failure: string | null;
  approved: ApprovedSend | null;
  /** When a due send was held, since it was not what had been approved. */
  heldAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** Whether it is an internal email of a workflow's draft, which the workflow service stores. */
  isInternal?: true;
}

export interface ApprovedSend {
  approvalId: string;
  hash: string;
  count: number;
}

/** Most recipients more than approved, as a part of them and in number, for a send to start all the same. */
const growth = { part: 0.1, count: 100 };

export const hasOutgrown = (approved: number, now: number): boolean =>
  now - approved >= growth.count && now - approved > approved * growth.part;

/** Why a held campaign waits, as callers read it. */
export const changedSinceApproved = 'CHANGED_SINCE_APPROVED';

export type CampaignText = Mail & Pick<Campaign, 'name' | 'senderId' | 'replyTo'>;

export type NewCampaign = Args<(typeof campaignTools)['calls']['create_campaign']>;
export type CampaignEdit = Args<(typeof campaignTools)['calls']['edit_campaign']>;

/** Every change of state: from where, to where, and the refusal from anywhere else (API text, Campaign). */
export const changes = {
  edit: { from: 'DRAFT', to: 'DRAFT', refusal: 'CAMPAIGN_NOT_DRAFT' },
  schedule: { from: 'DRAFT', to: 'SCHEDULED', refusal: 'CAMPAIGN_NOT_DRAFT' },
  cancel: { from: 'SCHEDULED', to: 'DRAFT', refusal: 'CAMPAIGN_NOT_SCHEDULED' },
  archive: { from: 'DRAFT', to: 'ARCHIVED', refusal: 'CAMPAIGN_NOT_DRAFT' },
  unarchive: { from: 'ARCHIVED', to: 'DRAFT', refusal: 'CAMPAIGN_NOT_ARCHIVED' },
  start: { from: 'SCHEDULED', to: 'SENDING', refusal: 'CAMPAIGN_NOT_SCHEDULED' },
  control: { from: 'SENDING', to: 'SENDING', refusal: 'CAMPAIGN_NOT_SENDING' },
  finish: { from: 'SENDING', to: 'SENT', refusal: 'CAMPAIGN_NOT_SENDING' },
  fail: { from: 'SENDING', to: 'FAILED', refusal: 'CAMPAIGN_NOT_SENDING' },
} as const satisfies Record<string, { from: CampaignStatus; to: CampaignStatus; refusal: Reason }>;
export type Change = keyof typeof changes;

export function assertCan(change: Change, { status }: Pick<Campaign, 'status'>): void {
  const { from, refusal } = changes[change];
  if (status !== from) throw new ToolError(refusal, { status });
}

/** A held campaign is scheduled again like a draft. */
export function assertSchedulable(campaign: Pick<Campaign, 'status' | 'heldAt'>): void {
  if (campaign.heldAt === null) assertCan('schedule', campaign);
}

/** States in which restoring is allowed; in others the content is frozen or has been sent. */
const restorable: readonly CampaignStatus[] = ['DRAFT', 'SCHEDULED', 'ARCHIVED'];

export function assertRestorable({ status }: Pick<Campaign, 'status'>): void {
  if (!restorable.includes(status)) throw new ToolError('CAMPAIGN_NOT_RESTORABLE', { status });
}

export const copyName = (name: string): string =>
  `${name.slice(0, 255 - ' (copy)'.length).replace(/\p{Surrogate}$/u, '')} (copy)`;

export function assertEdit(edit: CampaignEdit): void {
  if (edit.content != null && edit.operations !== undefined) throw new ToolError('CONTENT_AND_OPERATIONS', {});
  const given = Object.entries(edit).filter(([key, value]) => key !== 'id' && key !== 'content' && value !== undefined);
  if (given.length === 0 && edit.content == null) throw new ToolError('NOTHING_TO_CHANGE', {});
  if (edit.contentType !== undefined && edit.content == null) {
    throw parameterProblem('contentType', 'changes only together with content');
  }
}

export const newText = (given: NewCampaign, written: WrittenContent, senderId: string | null): CampaignText => ({
  name: lineOf('name', given.name),
  subject: lineOf('subject', given.subject),
  preview: clearableLine(given.preview ?? null),
  content: written.content,
  contentType: written.contentType,
  senderId,
  replyTo: replyAddress(given.replyTo ?? null),
});

/** Omitted fields keep their values. */
export const editedText = (read: Campaign, edit: CampaignEdit, written: WrittenContent | null): CampaignText => ({
  name: edit.name === undefined ? read.name : lineOf('name', edit.name),
  subject: edit.subject === undefined ? read.subject : lineOf('subject', edit.subject),
  preview: edit.preview === undefined ? read.preview : clearableLine(edit.preview),
  content: written?.content ?? read.content,
  contentType: written?.contentType ?? read.contentType,
  senderId: edit.senderId ?? read.senderId,
  replyTo: edit.replyTo === undefined ? read.replyTo : replyAddress(edit.replyTo),
});

export function assertSender(sender: SenderFacts | null): asserts sender is SenderFacts {
  if (!sender) throw new ToolError('SENDER_MISSING', {});
  if (sender.domainStatus !== 'VERIFIED') throw new ToolError('SENDER_DOMAIN_UNVERIFIED', { domain: sender.domain });
}

/** Controls and line ends become a space; an empty line is refused. */
export function lineOf(parameter: string, text: string): string {
  const line = clearableLine(text);
  if (line === null) throw parameterProblem(parameter, 'must have at least 1 character');
  return line;
}

export const clearableLine = (text: string | null): string | null =>
  text
    ?.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .trim() || null;

/** Parses a reply address: text, a one-item array, or null or '' for none. @throws ToolError PARAMETERS_INVALID */
export function replyAddress(given: string | string[] | null): string | null {
  const text = Array.isArray(given) ? given[0]! : given;
  if (!text) return null;
  const parsed = parseAddress(text);
  if (!parsed.ok) throw parameterProblem('replyTo', `the address ${parsed.reason}`);
  return text.trim();
}

/** Formats a sender for display: `Ada <ada@example.org>`. */
export const senderText = ({ displayName, email }: SenderFacts): string =>
  displayName ? `${displayName} <${email}>` : email;

export const campaignSummary = (campaign: Campaign) => ({
  id: campaign.id,
  name: campaign.name,
  subject: campaign.subject,
  preview: campaign.preview,
  contentType: campaign.contentType,
  senderId: campaign.senderId,
  replyTo: campaign.replyTo,
  status: campaign.status,
  scheduledAt: campaign.scheduledAt?.toISOString() ?? null,
  timezone: campaign.timezone,
  startedAt: campaign.startedAt?.toISOString() ?? null,
  finishedAt: campaign.finishedAt?.toISOString() ?? null,
  failure: campaign.failure,
  createdAt: campaign.createdAt.toISOString(),
  updatedAt: campaign.updatedAt.toISOString(),
});

export function campaignAnswer(campaign: Campaign, sender: SenderFacts | null) {
  const answer: z.input<typeof campaignSchema> = {
    ...campaignSummary(campaign),
    content: campaign.content,
    sender: sender && { id: sender.id, name: sender.displayName, email: sender.email },
    recipientFilters: campaign.filters,
  };
  return { campaign: answer, campaignId: campaign.id };
}

export function parameterProblem(parameter: string | Issue['path'], problem: string): ToolError {
  const issues = [{ path: [parameter].flat(), message: problem }];
  return new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}
