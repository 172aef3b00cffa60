import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ToolData, ToolInput } from '#client';
import { callTool } from '../data/call-tool.js';
import { toolKey } from '../data/tools.calls.js';

export type CalendarCampaign = ToolData<'search_campaigns'>['campaigns'][number];

/** Pages of 100 that one month reads at most from each list. */
const pagesMax = 10;

type Reading = Pick<ToolInput<'search_campaigns'>, 'statuses' | 'sort' | 'order'>;
/** Each sorted by the instant at which its campaigns stand in the calendar. */
const readings: readonly (Reading & { instant: 'scheduledAt' | 'startedAt' })[] = [
  { statuses: ['SCHEDULED'], sort: 'scheduledAt', order: 'ASC', instant: 'scheduledAt' },
  { statuses: ['SENDING', 'SENT', 'ARCHIVED'], sort: 'startedAt', order: 'DESC', instant: 'startedAt' },
  { statuses: ['FAILED'], sort: 'scheduledAt', order: 'DESC', instant: 'scheduledAt' },
];

/**
 * Reads the campaigns that start between two instants. The lists are read from one end up to the month.
 * @returns `isWhole` false where a list was too long to be read up to the month
 */
export function monthCampaigns({ from, to }: { from: Date; to: Date }, query: string | undefined) {
  const search = query ? { query } : {};
  return queryOptions({
    queryKey: [...toolKey('search_campaigns', search), 'calendar', from.toISOString()] as const,
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(readings.map((reading) => readList(reading, { search, from, to, signal })));
      return { campaigns: lists.flatMap(({ campaigns }) => campaigns), isWhole: lists.every(({ isWhole }) => isWhole) };
    },
    placeholderData: keepPreviousData,
  });
}

async function readList(
  { instant, ...reading }: (typeof readings)[number],
  { search, from, to, signal }: { search: { query?: string }; from: Date; to: Date; signal: AbortSignal },
): Promise<{ campaigns: CalendarCampaign[]; isWhole: boolean }> {
  const campaigns: CalendarCampaign[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const input = { ...search, ...reading, limit: 100, ...(cursor !== null && { cursor }) };
    const data: ToolData<'search_campaigns'> = await callTool('search_campaigns', input, { signal });
    for (const campaign of data.campaigns) {
      const at = campaign[instant];
      // Those without an instant come last.
      if (at === null) return { campaigns, isWhole: true };
      const time = Date.parse(at);
      if (reading.order === 'ASC' ? time >= to.getTime() : time < from.getTime()) return { campaigns, isWhole: true };
      if (time >= from.getTime() && time < to.getTime()) campaigns.push(campaign);
    }
    cursor = data.nextCursor;
    if (cursor === null) return { campaigns, isWhole: true };
  }
  return { campaigns, isWhole: false };
}
