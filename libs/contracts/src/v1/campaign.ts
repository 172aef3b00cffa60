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

/** What v1 offers for campaigns that are under way or over. */
export const campaignEndpoints = [
  control(
    'pause',
    'write',
    'Pauses a SENDING campaign: within a second nothing more is handed over. Its status stays SENDING, with `paused`.',
  ),
  control('resume', 'send', 'Lets a paused campaign go on where it was; nobody gets it twice.'),
  control(
    'stop',
    'write',
    'Stops a SENDING campaign for good, within a second: whoever has not got it is skipped with the reason STOPPED, and the campaign ends SENT, or FAILED if nobody got it.',
  ),
  defineEndpoint(campaignRequests, 'autosave_campaign', {
    method: 'POST',
    path: '/campaigns/:id/autosave',
    summary:
      'Saves a DRAFT while its author writes: what is given changes, the rest stays. Saves within a minute are one history entry with the source autosave.',
    scope: 'write',
    parameters: z.object({ ...ofCampaign.shape, ...campaignRequests.calls.autosave_campaign.input.shape }),
    answer: campaignRequests.calls.autosave_campaign.output,
    toInput: (given) => given,
  }),
  defineEndpoint(campaignRecipientRequests, 'list_campaign_recipients', {
    method: 'GET',
    path: '/campaigns/:id/recipients',
    summary:
      'Who got a campaign, who did not, and why. Pages by cursor; whoever’s turn has not come yet is counted in `pending` only.',
    scope: 'read',
    parameters: ofCampaign.extend({
      status: commaList(recipientStatuses)
        .optional()
        .describe(`One or several of ${recipientStatuses.join(', ')}, with commas between; all by default`),
      limit: queryNumber(pageSize(100, 50)),
      cursor: idText.optional().describe('`nextCursor` of the page before'),
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
      'Tries those again who did not get a campaign and still can (canRetry YES): refused for now, or not to be rendered. Dead addresses, skipped people and those a stop left out are not tried. With inDoubt, also those who may have got it.',
    scope: 'send',
    unasked: true,
    parameters: ofCampaign.extend({
      inDoubt: z
        .boolean()
        .default(false)
        .describe('Also those whose mail may have arrived already: they may get it twice'),
    }),
    answer: campaignRecipientRequests.calls.retry_campaign.output,
    toInput: ({ id, inDoubt }) => ({ campaignId: id, inDoubt }),
  }),
];
