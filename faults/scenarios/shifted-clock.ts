import { uuidOf } from '#database';
import { prepareCampaign, schedule } from '../runs/campaign.js';
import type { CampaignRun } from '../runs/campaign.js';
import { withOwnClock } from '../inject/process-fault.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { withDatabase } from '../rig/system-database.js';

const hourMs = 3_600_000;
const soonMs = 6_000;

/**
 * Runs a campaign service whose clock is an hour ahead, with one campaign due in a few seconds and one due in half an
 * hour.
 */
export async function shiftedClock({ system, bus, sink }: FaultRig, seed: number): Promise<string[]> {
  const soon = await prepareCampaign(bus, `clock-soon-${seed}`, 1);
  const later = await prepareCampaign(bus, `clock-later-${seed}`, 1);
  const dueAt = Date.now() + soonMs;
  await schedule(bus, soon, new Date(dueAt).toISOString());
  await schedule(bus, later, new Date(Date.now() + hourMs / 2).toISOString());
  await system.end(system.alive('campaign')[0]!);
  const ahead = await system.add('campaign', { ...withOwnClock(), CLOCK_SHIFT_MS: String(hourMs) });
  try {
    const takenAt = await retryUntilAnswered('the campaign that is due', () => whenTaken(soon), 60_000);
    const early = dueAt - takenAt;
    const status = await statusOf(later);
    return [
      ...(early > 0 ? [`a campaign was sent ${(early / 1000).toFixed(1)} s early`] : []),
      ...(status === 'SCHEDULED' ? [] : [`a campaign was ${status} half an hour early`]),
    ];
  } finally {
    await system.end(ahead);
    await system.add('campaign');
  }

  async function whenTaken({ recipients }: CampaignRun): Promise<number> {
    const taken = (await sink.events()).find(({ name, to }) => name === 'TAKEN' && to === recipients[0]);
    if (!taken) throw new Error('not yet');
    return taken.at;
  }
  function statusOf({ campaignId }: CampaignRun): Promise<string> {
    return withDatabase(system, async (client) => {
      const { rows } = await client.query<{ status: string }>(
        `select status from campaign.campaign where campaign_id = $1`,
        [uuidOf('cmp', campaignId)],
      );
      return rows[0]!.status;
    });
  }
}
