import { campaignReportTools } from '#contracts';
import { carryBack, seriesOf } from '#time-series';
import { implement } from '#tool-call';
import type { CampaignCounterRepository } from '../analytics/campaign-counter.repository.js';
import { campaignSummary } from './campaign.js';
import type { CampaignDependencies } from './campaign.service.js';
import { getCampaign } from './campaign.service.js';
import { previewSend } from './preview-send.service.js';
import { readSearchCursor, searchCursor } from './campaign-search.js';
import { statusesOf } from './campaign-search.repository.js';
import type { CampaignSearchRepository } from './campaign-search.repository.js';

const hourMs = 3_600_000;

interface Dependencies extends CampaignDependencies {
  statistics: CampaignCounterRepository;
  searches: CampaignSearchRepository;
}

export const implementCampaignReportTools = ({ searches, statistics, ...dependencies }: Dependencies) =>
  implement(campaignReportTools, {
    search_campaigns: async (search, { organizationId }) => {
      const place = readSearchCursor(search);
      const [found, counts] = await Promise.all([
        searches.list(organizationId, search, place),
        searches.count(organizationId, search),
      ]);
      const shown = found.slice(0, search.limit);
      const last = shown.at(-1);
      return {
        campaigns: shown.map(({ campaign, recipientCount, results }) => ({
          ...campaignSummary(campaign),
          recipientCount,
          results,
        })),
        total: statusesOf(search).reduce((sum, status) => sum + (counts[status] ?? 0), 0),
        counts,
        nextCursor:
          last && found.length > search.limit
            ? searchCursor(search, { value: last.sortValue, id: last.campaign.id })
            : null,
      };
    },

    preview_send: (args, caller) => previewSend(dependencies, args, caller),

    get_campaign_series: async ({ campaignId, interval, from, to }, caller) => {
      const { id } = await getCampaign(dependencies, campaignId, caller);
      const { timezone } = await dependencies.settings.find(caller);
      const hours = carryBack(await statistics.listHours(caller.organizationId, id));
      const [first, last] = [hours[0]?.hour, hours.at(-1)?.hour];
      const begin = from ? Date.parse(from) : first;
      const end = to ? Date.parse(to) : last! + hourMs;
      // A range without an end that begins after the last number has no points.
      if (begin === undefined || Number.isNaN(end) || (!to && begin >= end)) return { points: [], timezone };
      const range = { interval, from: new Date(begin), to: new Date(end), timezone };
      return { points: seriesOf(hours, range), timezone };
    },
  });
