import { awaitEnd, checkHistory, prepareCampaign, schedule } from '../runs/campaign.js';
import { killAndStart } from '../inject/process-fault.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { countWaiting, withDatabase } from '../rig/system-database.js';

const recipients = 100;

/** Kills the consumer between taking events and committing their effect: its transactions wait for a lock meanwhile. */
export async function killedConsumer({ system, bus }: FaultRig, seed: number): Promise<string[]> {
  const run = await prepareCampaign(bus, `killed-consumer-${seed}`, recipients);
  await withDatabase(system, async (holder) => {
    await holder.query('begin');
    await holder.query(
      'lock table subscriber.subscriber_event, subscriber.campaign_recipient in share row exclusive mode',
    );
    await schedule(bus, run);
    await retryUntilAnswered(
      'events that wait for their effect',
      async () => {
        if ((await countWaiting(system)) === 0) throw new Error('none waits');
      },
      60_000,
    );
    await killAndStart(system, 'subscriber', 0);
    await holder.query('rollback');
  });
  const { sent } = await awaitEnd(bus, run, 60_000);
  const missing = await checkHistory(bus, run);
  return missing === null && sent === recipients ? [] : [missing ?? `${sent} of ${recipients} were sent`];
}
