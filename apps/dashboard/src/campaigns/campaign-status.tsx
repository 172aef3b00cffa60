import type { ToolData } from '#client';
import { campaignText } from '../messages/en/campaigns.js';
import { Badge } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

export type Campaign = ToolData<'get_campaign'>['campaign'];
export type CampaignStatus = Campaign['status'];

export const campaignStatuses = [
  'DRAFT',
  'SCHEDULED',
  'SENDING',
  'SENT',
  'FAILED',
  'ARCHIVED',
] as const satisfies readonly CampaignStatus[];

const tones: Record<CampaignStatus, Tone> = {
  DRAFT: 'plain',
  SCHEDULED: 'info',
  SENDING: 'warn',
  SENT: 'good',
  ARCHIVED: 'plain',
  FAILED: 'bad',
};

export function CampaignBadge({ status }: { status: CampaignStatus }) {
  return <Badge tone={tones[status]}>{campaignText(`status.${status}`)}</Badge>;
}
