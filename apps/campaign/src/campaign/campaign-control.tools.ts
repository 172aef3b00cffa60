import { campaignControlTools } from '#contracts';
import type { SendProgress } from '#contracts';
import { implement, pluralize, ToolError } from '#tool-call';
import type { Caller, Descriptions } from '#tool-call';
import { listRecipients, recipientHandlers } from '../send/recipient.requests.js';
import type { SendRepository } from '../send/send.repository.js';
import { findSendProgress, sendRequestHandlers } from '../send/send.requests.js';
import { autosaveCampaign } from './campaign-editing.tools.js';
import { assertCan } from './campaign.js';
import type { Campaign } from './campaign.js';
import type { CampaignDependencies } from './campaign.service.js';
import { getCampaign } from './campaign.service.js';
import type { V1CampaignRepository } from './v1-campaign.repository.js';
import { deleteCampaign } from './v1-campaign.requests.js';

interface Dependencies extends CampaignDependencies {
  sends: SendRepository;
  views: V1CampaignRepository;
}
type Tools = typeof campaignControlTools;

async function getSending(dependencies: Dependencies, campaignId: string, caller: Caller) {
  const campaign = await getCampaign(dependencies, campaignId, caller);
  assertCan('control', campaign);
  const progress = await findSendProgress(dependencies.bus, campaign.sendId!, caller);
  if (!progress) throw new ToolError('CAMPAIGN_STARTING', {});
  return { campaign, progress };
}

async function getRetryable(dependencies: Dependencies, campaignId: string, caller: Caller) {
  const campaign = await getCampaign(dependencies, campaignId, caller);
  const { status, sendId } = campaign;
  const progress = sendId === null ? null : await findSendProgress(dependencies.bus, sendId, caller);
  if (!progress)
    throw status === 'SENDING'
      ? new ToolError('CAMPAIGN_STARTING', {})
      : new ToolError('CAMPAIGN_NOT_SENT', { status });
  assertNotStopping(progress);
  return { campaign, progress };
}

function assertNotStopping({ state, finishedAt }: SendProgress): void {
  if (state === 'STOPPED' && finishedAt === null) throw new ToolError('CAMPAIGN_STOPPING', {});
}

const subjectOf = ({ id, name, updatedAt }: Campaign) => ({
  noun: 'campaign',
  id,
  name,
  updatedAt: updatedAt.toISOString(),
});

/** What an approval of a change of a send shows and binds: its mail and audience are frozen, its numbers move on. */
const aboutSend = (campaign: Campaign, { pending, total, sent, failed, inDoubt }: SendProgress) => ({
  subject: subjectOf(campaign),
  content: { sendId: campaign.sendId },
  facts: Object.entries({ Recipients: total, Sent: sent, Pending: pending, Failed: failed, 'In doubt': inDoubt }).map(
    ([label, value]) => ({ label, value: String(value) }),
  ),
});

const descriptions = (dependencies: Dependencies): Descriptions<Tools> => ({
  resume_campaign: async ({ campaignId }, caller) => {
    const { campaign, progress } = await getSending(dependencies, campaignId, caller);
    assertNotStopping(progress);
    return {
      ...aboutSend(campaign, progress),
      action: 'Resume the campaign',
      message: `Resumes '${campaign.name}': ${pluralize(progress.pending, 'recipient')} of ${progress.total} are pending.`,
    };
  },

  retry_campaign: async ({ campaignId, inDoubt }, caller) => {
    const { campaign, progress } = await getRetryable(dependencies, campaignId, caller);
    const doubtful = inDoubt ? `, and ${pluralize(progress.inDoubt, 'recipient')} who may have received it` : '';
    return {
      ...aboutSend(campaign, progress),
      action: 'Retry the campaign',
      message: `Retries '${campaign.name}': of ${pluralize(progress.failed, 'refused recipient')} those refused temporarily, and those whose mail could not be rendered${doubtful}.`,
    };
  },

  stop_campaign: async ({ campaignId }, caller) => {
    const { campaign, progress } = await getSending(dependencies, campaignId, caller);
    return {
      ...aboutSend(campaign, progress),
      action: 'Stop the campaign',
      message: `Stops '${campaign.name}' for ever: ${pluralize(progress.pending, 'recipient')} of ${progress.total} will not receive it.`,
    };
  },

  delete_campaign: async ({ campaignId }, caller) => {
    const campaign = await getCampaign(dependencies, campaignId, caller);
    assertCan('edit', campaign);
    return {
      action: 'Delete the campaign',
      subject: subjectOf(campaign),
      message: `Deletes the draft '${campaign.name}' and its history.`,
    };
  },
});

export function implementCampaignControlTools(dependencies: Dependencies) {
  const { control_campaign: control } = sendRequestHandlers(dependencies);
  return implement(
    campaignControlTools,
    {
      pause_campaign: (args, caller) => control({ ...args, action: 'pause' }, caller),
      resume_campaign: (args, caller) => control({ ...args, action: 'resume' }, caller),
      stop_campaign: (args, caller) => control({ ...args, action: 'stop' }, caller),
      retry_campaign: recipientHandlers(dependencies).retry_campaign,
      list_campaign_recipients: async ({ statuses = null, cursor = null, ...page }, caller) => {
        const counted = cursor === null;
        const listed = await listRecipients(dependencies, { ...page, statuses, cursor, counted }, caller);
        const { recipients, pending, nextCursor, counts = {} } = listed;
        return { recipients, counts: counted ? counts : null, pending, nextCursor };
      },
      autosave_campaign: (args, caller) => autosaveCampaign(dependencies, args, caller),
      delete_campaign: deleteCampaign(dependencies.views),
    },
    descriptions(dependencies),
  );
}
