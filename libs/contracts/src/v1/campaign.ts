import { z } from 'zod';
import { idText, pageSize } from '../common.js';
import { campaignRequests } from '../requests/campaign.js';
import { campaignRecipientRequests, recipientStatuses } from '../requests/recipient.js';
import { defineEndpoint } from './define.js';
import { commaList, queryNumber } from './query.js';

const ofCampaign = z.object({ id: idText.describe('The id of a campaign') });

const control = (action: 'pause' | 'resume' | 'stop', scope: 'write' | 'send', summary: string) =>
  defineEndpoint(campaignRequests, 'control_campaign', {
    method: 'POST',
    path: `/campaigns/:id/${action}`,
    summary,
    scope,
    parameters: ofCampaign,
    ...(scope === 'send' && { unasked: true }),
    answer: campaignRequests.calls.control_campaign.output,
    toInput: ({ id }) => ({ campaignId: id, action }),
  });

export const campaignEndpoints = [
  control(
    'pause',
    'write',
    'Pauses a SENDING campaign; within a second, no further delivery attempt starts. Its status stays SENDING, with `paused`.',
  ),
  control('resume', 'send', 'Resumes a paused campaign where it stopped. No recipient receives it twice.'),
  control(
    'stop',
    'write',
    'Stops a SENDING campaign permanently within a second, skipping the remaining recipients with the reason STOPPED. It ends SENT, or FAILED if no recipient received it.',
  ),
  defineEndpoint(campaignRequests, 'autosave_campaign', {
    method: 'POST',
    path: '/campaigns/:id/autosave',
    summary:
      'Saves a DRAFT while its author writes; omitted fields keep their values. Saves within a minute form one history entry with the source autosave.',
    scope: 'write',
    parameters: z.object({ ...ofCampaign.shape, ...campaignRequests.calls.autosave_campaign.input.shape }),
    answer: campaignRequests.calls.autosave_campaign.output,
    toInput: (given) => given,
  }),
  defineEndpoint(campaignRecipientRequests, 'list_campaign_recipients', {
    method: 'GET',
    path: '/campaigns/:id/recipients',
    summary:
      'Lists the recipients of a campaign with their outcome and its reason, by cursor. Recipients not yet processed are counted in `pending` only.',
    scope: 'read',
    parameters: ofCampaign.extend({
      status: commaList(recipientStatuses)
        .optional()
        .describe(`One or several of ${recipientStatuses.join(', ')}, separated by commas; all by default`),
      limit: queryNumber(pageSize(100, 50)),
      cursor: idText.optional().describe('`nextCursor` of the previous page'),
    }),
    answer: campaignRecipientRequests.calls.list_campaign_recipients.output,
    toInput: ({ id, status = null, limit, cursor = null }) => ({
      campaignId: id,
      statuses: status,
      limit,
      cursor,
    }),
  }),
  defineEndpoint(campaignRecipientRequests, 'retry_campaign', {
    method: 'POST',
    path: '/campaigns/:id/retry',
    summary:
      'Retries recipients with canRetry YES (temporary refusals and rendering failures), but no dead addresses, skipped or stopped recipients. With inDoubt, it also retries recipients who may have received the campaign.',
    scope: 'send',
    unasked: true,
    parameters: ofCampaign.extend({
      inDoubt: z
        .boolean()
        .default(false)
        .describe('Also retries recipients whose mail may have arrived already; they may receive it twice'),
    }),
    answer: campaignRecipientRequests.calls.retry_campaign.output,
    toInput: ({ id, inDoubt }) => ({ campaignId: id, inDoubt }),
  }),
];
