import type { ServiceBus } from '#bus';
import { workflowEmailRequests } from '#contracts';
import type { WorkflowEmailFacts } from '#contracts';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { parameterProblem } from '../campaign/campaign.js';
import type { Campaign, CampaignText } from '../campaign/campaign.js';

/**
 * Reads the internal emails of workflow drafts from the workflow service, as campaigns whose status is always DRAFT.
 */
export class WorkflowEmailClient {
  constructor(private readonly bus: ServiceBus) {}

  async get(campaignId: string, caller: Caller): Promise<Campaign> {
    const { email } = await this.bus.client(workflowEmailRequests).find_workflow_email({ campaignId }, caller);
    if (!email) throw new ToolError('CAMPAIGN_NOT_FOUND', { id: campaignId });
    return campaignOf(email);
  }

  /**
   * @returns null when it was changed since it was read
   * @throws ToolError PARAMETERS_INVALID for another name, which derives from the workflow and the step
   */
  async save(read: Campaign, { name, ...text }: CampaignText, caller: Caller): Promise<Campaign | null> {
    if (name !== read.name)
      throw parameterProblem('name', 'cannot change: an internal email is named after its workflow and its step');
    const { subject, preview, content, contentType, senderId, replyTo } = text;
    const asked = {
      campaignId: read.id,
      expectedUpdatedAt: read.updatedAt.toISOString(),
      subject,
      preview,
      content,
      contentType,
      senderId,
      replyTo,
    };
    const { email } = await this.bus.client(workflowEmailRequests).save_workflow_email(asked, caller);
    return email && campaignOf(email);
  }
}

const campaignOf = ({ campaignId: id, content, createdAt, updatedAt, ...text }: WorkflowEmailFacts): Campaign => ({
  ...text,
  id,
  filters: [],
  status: 'DRAFT',
  isInternal: true,
  content: content as Campaign['content'],
  scheduledAt: null,
  timezone: null,
  sendId: null,
  handedOverAt: null,
  waitingFor: null,
  startedAt: null,
  finishedAt: null,
  failure: null,
  approved: null,
  heldAt: null,
  createdAt: new Date(createdAt),
  updatedAt: new Date(updatedAt),
});
