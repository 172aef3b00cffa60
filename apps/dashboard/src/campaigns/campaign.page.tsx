import { useEffect } from 'react';
import { useGo } from '../parts/screen-link.js';
import { CampaignFrame, useCampaignId } from './campaign-frame.js';
import type { Campaign, CampaignStatus } from './campaign-status.js';

const screenOf: Record<CampaignStatus, 'campaignWrite' | 'campaignReport'> = {
  DRAFT: 'campaignWrite',
  ARCHIVED: 'campaignWrite',
  SCHEDULED: 'campaignReport',
  SENDING: 'campaignReport',
  SENT: 'campaignReport',
  FAILED: 'campaignReport',
};

/** Leads on to the screen that the status of the campaign asks for. */
export function CampaignPage() {
  return <CampaignFrame>{(campaign) => <LeadOn campaign={campaign} />}</CampaignFrame>;
}

function LeadOn({ campaign }: { campaign: Campaign }) {
  const campaignId = useCampaignId();
  const go = useGo();
  const screen = screenOf[campaign.status];
  useEffect(() => {
    go({ screen, params: { campaignId }, replace: true });
    // `go` is a new function at every render.
  }, [screen, campaignId]);
  return null;
}
