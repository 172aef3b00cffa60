import { uuidOf } from '#database';
import type { TestSystem } from '#testing';
import { withDatabase } from '../rig/system-database.js';

/** The opens that the campaign service has counted for a campaign. */
export const countOpens = (system: TestSystem, campaignId: string): Promise<number> =>
  withDatabase(system, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      'select coalesce(sum(opens), 0)::int as n from campaign.campaign_stat where campaign_id = $1',
      [uuidOf('cmp', campaignId)],
    );
    return rows[0]!.n;
  });
