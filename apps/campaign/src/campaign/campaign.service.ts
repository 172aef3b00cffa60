import type { ServiceBus } from '#bus';
import type { CallContext, OrganizationSettingsCache } from '#service-host';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { MailComposer } from '../content/mail-composer.service.js';
import type { SenderClient } from '../sender/sender.client.js';
import { WorkflowEmailClient } from '../workflow-email/workflow-email.client.js';
import type { Campaign } from './campaign.js';
import type { CampaignRepository } from './campaign.repository.js';

export interface CampaignDependencies {
  campaigns: CampaignRepository;
  composer: MailComposer;
  senders: SenderClient;
  /** Cached settings, for previews and the delay of a send; a send requests the organization itself. */
  settings: OrganizationSettingsCache;
  bus: ServiceBus;
  transaction: CallContext['transaction'];
}

/** Returns a campaign, or an internal email of a workflow. @throws ToolError CAMPAIGN_NOT_FOUND */
export async function getMail({ campaigns, bus }: CampaignDependencies, id: string, caller: Caller): Promise<Campaign> {
  try {
    return await campaigns.get(caller.organizationId, id);
  } catch (error) {
    if (!(error instanceof ToolError) || error.reason !== 'CAMPAIGN_NOT_FOUND') throw error;
    return await new WorkflowEmailClient(bus).get(id, caller);
  }
}

/**
 * @throws ToolError CAMPAIGN_NOT_FOUND, for an internal email of a workflow with an explanation, since other tools can
 * read and edit it
 */
export async function getCampaign(parts: CampaignDependencies, id: string, caller: Caller): Promise<Campaign> {
  const found = await getMail(parts, id, caller);
  if (found.isInternal) throw new ToolError('CAMPAIGN_NOT_FOUND', { id, internal: true });
  return found;
}

/**
 * Null means that another change was committed between the read, which included requests to other services, and the
 * guarded write.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const result = await attempt();
    if (result !== null) return result;
  }
}
