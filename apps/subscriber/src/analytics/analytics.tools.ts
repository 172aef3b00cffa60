import type { ServiceBus } from '#bus';
import { analyticsTools, campaignRequests, workflowRequests } from '#contracts';
import type { Sql } from '#database';
import type { OrganizationSettingsCache } from '#service-host';
import { implement } from '#tool-call';
import type { Caller } from '#tool-call';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { AnalyticsRepository } from './analytics.repository.js';
import { growthIn, growthOf, lastDays } from './growth.js';
import type { Day } from './growth.js';

interface Dependencies {
  sql: Sql;
  settings: OrganizationSettingsCache;
  bus: ServiceBus;
}

export function implementAnalyticsTools({ sql, settings, bus }: Dependencies) {
  const numbers = new AnalyticsRepository(sql);
  const people = new SubscriberViewRepository(sql);

  async function subscribersOf(organizationId: string) {
    const byStatus = await people.countByStatus(organizationId);
    return { total: Object.values(byStatus).reduce((sum, n) => sum + n, 0), byStatus };
  }

  async function growthOfLast(count: number, caller: Caller): Promise<Day[]> {
    const { timezone: zone } = await settings.find(caller);
    const dates = lastDays(caller.now, count, zone);
    return growthOf(dates, await numbers.listGrowth(caller.organizationId, { from: dates[0]!, zone }));
  }

  return implement(analyticsTools, {
    get_org_stats: async (_args, caller) => {
      const { organizationId } = caller;
      const [subscribers, own, campaigns, workflows] = await Promise.all([
        subscribersOf(organizationId),
        numbers.getResources(organizationId),
        bus.client(campaignRequests).get_campaign_totals({}, caller),
        bus.client(workflowRequests).get_workflow_totals({}, caller),
      ]);
      const resources = { ...own, workflows: workflows.workflows, snippets: campaigns.snippets };
      return { subscribers, campaigns: campaigns.campaigns, resources };
    },

    get_subscriber_growth: async (args, caller) => {
      const days = await growthOfLast(args.days, caller);
      return { days, totals: growthIn(days) };
    },

    get_subscriber_stats: async (_args, caller) => {
      const { organizationId, now } = caller;
      const { total, byStatus } = await subscribersOf(organizationId);
      const days = await growthOfLast(90, caller);
      const { everEngaged, everEmailed, ...engaged } = await numbers.getEngagement(
        organizationId,
        now.toISOString().slice(0, 10),
      );
      return {
        total,
        byStatus,
        growth: { '7d': growthIn(days.slice(-7)), '30d': growthIn(days.slice(-30)), '90d': growthIn(days) },
        engagement: {
          engaged: { '30d': engaged.engaged30, '90d': engaged.engaged90, '180d': engaged.engaged180 },
          everEngaged,
          everEmailed,
          neverEmailed: total - everEmailed,
        },
      };
    },
  });
}
