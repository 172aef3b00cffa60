import { z } from 'zod';
import { filters, idText, pageSize, timestamp } from '../common.js';
import { campaignDetails, campaignViewRequests } from '../requests/v1-campaign.js';
import { subscriberRequests } from '../requests/subscriber.js';
import { campaignStatus, campaignTools } from '../tools/campaign.js';
import { callsOf, composeEndpoint, defineEndpoint } from './define.js';
import type { V1Asks } from './define.js';
import { queryNumber } from './query.js';

const tools = campaignTools.calls;
const list = campaignViewRequests.calls.list_campaign_views;
const ofCampaign = z.object({ id: idText.describe('The id of a campaign') });
const names = { filters: 'recipientFilters' };
const written = {
  recipientFilters: filters.optional().describe('Recipient filters; an empty list selects every SUBSCRIBED subscriber'),
};
const one = z.object({
  campaign: campaignDetails,
  campaignId: z.string(),
  warnings: tools.edit_campaign.output.shape.warnings,
});

const details = async ({ ask }: V1Asks, campaignId: string, warnings?: object[]) => {
  const { campaign } = await ask(campaignViewRequests, 'get_campaign_details', { campaignId });
  return { campaign, campaignId: campaign.id, ...(warnings && warnings.length > 0 && { warnings }) };
};
/** Wrong filters must not leave half a change behind. */
const checkFilters = async ({ ask }: V1Asks, given: z.output<typeof filters> | undefined) =>
  given && (await ask(subscriberRequests, 'check_filters', { filters: given }));

const local = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?$/;
/** An instant, or a time on the clocks of the time zone that is named. */
function scheduleOf(at: string | undefined) {
  const parts = at === undefined ? null : local.exec(at);
  return parts ? { date: parts[1], hours: Number(parts[2]), minutes: Number(parts[3]) } : { date: at };
}

export const campaignDocumentEndpoints = [
  defineEndpoint(campaignViewRequests, 'list_campaign_views', {
    method: 'GET',
    path: '/campaigns',
    summary: 'Lists campaigns by page, newest first unless sortBy changes the order. Archived campaigns are included.',
    scope: 'read',
    parameters: z.object({
      ...list.input.shape,
      page: queryNumber(list.input.shape.page),
      limit: queryNumber(pageSize(100, 20)),
    }),
    answer: list.output,
    toInput: (given) => given,
  }),
  composeEndpoint(
    [
      ...callsOf(campaignTools, 'create_campaign', 'update_campaign_filters'),
      ...callsOf(campaignViewRequests, 'get_campaign_details'),
    ],
    {
      method: 'POST',
      path: '/campaigns',
      summary: 'Creates a DRAFT campaign without sending it.',
      scope: 'write',
      names,
      parameters: z.object({ ...tools.create_campaign.input.shape, ...written }),
      answer: one,
      run: async ({ recipientFilters, ...text }, asks) => {
        await checkFilters(asks, recipientFilters);
        const { campaignId, warnings } = await asks.act(campaignTools, 'create_campaign', text);
        if (recipientFilters) {
          await asks.act(campaignTools, 'update_campaign_filters', { campaignId, filters: recipientFilters });
        }
        return await details(asks, campaignId, warnings);
      },
    },
  ),
  composeEndpoint(callsOf(campaignViewRequests, 'get_campaign_details'), {
    method: 'GET',
    path: '/campaigns/:id',
    summary: 'Returns a campaign with content, sender and recipient filters.',
    scope: 'read',
    parameters: ofCampaign,
    answer: one,
    run: async ({ id }, asks) => await details(asks, id),
  }),
  composeEndpoint(
    [
      ...callsOf(campaignTools, 'edit_campaign', 'update_campaign_filters'),
      ...callsOf(campaignViewRequests, 'get_campaign_details'),
    ],
    {
      method: 'PATCH',
      path: '/campaigns/:id',
      summary: 'Updates the given fields of a DRAFT campaign; omitted fields keep their values.',
      scope: 'write',
      names,
      parameters: z.object({ ...tools.edit_campaign.input.shape, ...ofCampaign.shape, ...written }),
      answer: one,
      run: async ({ id, recipientFilters, ...text }, asks) => {
        await checkFilters(asks, recipientFilters);
        const writes = Object.values(text).some((value) => value !== undefined);
        // Nothing at all is refused by the tool, in its words.
        const edited =
          writes || !recipientFilters ? await asks.act(campaignTools, 'edit_campaign', { id, ...text }) : null;
        if (recipientFilters) {
          await asks.act(campaignTools, 'update_campaign_filters', { campaignId: id, filters: recipientFilters });
        }
        return await details(asks, id, edited?.warnings);
      },
    },
  ),
  defineEndpoint(campaignViewRequests, 'delete_campaign', {
    method: 'DELETE',
    path: '/campaigns/:id',
    summary: 'Deletes a DRAFT campaign and its history permanently.',
    scope: 'write',
    unasked: true,
    parameters: ofCampaign,
    answer: z.object({ deleted: z.literal(true), campaignId: z.string() }),
    toInput: ({ id }) => ({ campaignId: id }),
    toAnswer: ({ campaignId }) => ({ deleted: true, campaignId }),
  }),
  defineEndpoint(campaignTools, 'schedule_campaign', {
    method: 'POST',
    path: '/campaigns/:id/send',
    summary: 'Sends a DRAFT campaign, or schedules it. scheduledAt is an instant, or a local time in timezone.',
    scope: 'send',
    unasked: true,
    names: { date: 'scheduledAt' },
    parameters: ofCampaign.extend({
      scheduledAt: z.string().trim().max(40).optional(),
      timezone: tools.schedule_campaign.input.shape.timezone,
    }),
    answer: z.object({
      campaign: z.object({
        id: z.string(),
        campaignId: z.string(),
        status: campaignStatus,
        scheduledAt: timestamp,
        timezone: z.string(),
      }),
      campaignId: z.string(),
      warnings: z.array(z.string()).optional(),
    }),
    toInput: ({ id, scheduledAt, timezone }) => ({ campaignId: id, ...scheduleOf(scheduledAt), timezone }),
    toAnswer: ({ campaign: { status }, campaignId, scheduledAt, timezone, warnings }) => ({
      campaign: { id: campaignId, campaignId, status, scheduledAt, timezone },
      campaignId,
      ...(warnings && { warnings }),
    }),
  }),
];
