import { engagementTools } from '#contracts';
import type { OrganizationSettingsCache } from '#service-host';
import { carryBack, seriesOf } from '#time-series';
import { implement, ToolError } from '#tool-call';
import { engagementDays } from './engagement.repository.js';
import type { EngagementRepository } from './engagement.repository.js';

const dayMs = 24 * 3_600_000;
const defaultDays = 30;

interface Dependencies {
  engagement: EngagementRepository;
  settings: OrganizationSettingsCache;
}

/** The first day of a series begins up to a day before the range, in any time zone. */
const marginMs = 2 * dayMs;

export const implementEngagementTools = ({ engagement, settings }: Dependencies) =>
  implement(engagementTools, {
    get_engagement_series: async ({ interval, from, to, kind = null }, caller) => {
      const end = to ? new Date(to) : caller.now;
      const begin = from ? new Date(from) : new Date(end.getTime() - defaultDays * dayMs);
      if (caller.now.getTime() - begin.getTime() > engagementDays * dayMs)
        throw new ToolError('RANGE_TOO_LONG', { daysMax: engagementDays });
      const { timezone } = await settings.find(caller);
      const hours = carryBack(
        await engagement.listHours(caller.organizationId, kind, new Date(begin.getTime() - marginMs)),
      );
      return { points: seriesOf(hours, { interval, from: begin, to: end, timezone }), timezone };
    },
  });
