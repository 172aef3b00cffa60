import { serviceCaller } from '#bus';
import { importTools } from '#contracts';
import { uuidOf } from '#database';
import { addressHasher } from '#link-token';
import type pg from 'pg';
import { mailboxHasher } from '../../apps/delivery/src/message/address-hash.js';
import { createCampaign, createOrganization, schedule } from '../runs/campaign.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { countWaiting, withDatabase } from '../rig/system-database.js';

/** Of the API text, in ten minutes. */
const allowed = 5;
const campaigns = 50;
const withinMs = 60_000;

/**
 * Sends 50 campaigns to one mailbox through two delivery processes. The lock of the mailbox is held until more of them
 * wait for it than the guard may admit, so that they all decide at one moment.
 */
export async function sharedMailbox({ system, bus, sink, servers }: FaultRig, seed: number): Promise<string[]> {
  const organizationId = await createOrganization(bus, 'Shared mailbox');
  const email = `everybody.${seed}@faults.internal`;
  await bus.client(importTools).import_subscribers({ subscribers: [{ email }] }, serviceCaller(organizationId, 'rig'));
  const drafts = await Promise.all(
    Array.from({ length: campaigns }, (_, n) => createCampaign(bus, organizationId, `Number ${n}`)),
  );
  const mailboxHash = mailboxHasher(addressHasher(servers.masterKey))(organizationId, email);
  const second = await system.add('delivery');
  try {
    await withDatabase(system, async (holder) => {
      await holder.query('begin');
      await holder.query('select delivery.lock_mailboxes(array[$1::bigint])', [mailboxHash]);
      await Promise.all(drafts.map((campaignId) => schedule(bus, { organizationId, campaignId })));
      await reached('before the guard', allowed + 2, () => countWaiting(system));
      await holder.query('commit');
      await reached('decided', campaigns, () => countDecided(holder, uuidOf('org', organizationId)!));
    });
  } finally {
    await system.end(second);
  }
  const taken = (await sink.events()).filter(({ name, to }) => name === 'TAKEN' && to === email).length;
  return taken === allowed ? [] : [`the guard let ${taken} messages pass at one moment, ${allowed} are allowed`];
}

const reached = (what: string, goal: number, count: () => Promise<number>): Promise<void> =>
  retryUntilAnswered(
    `messages ${what}`,
    async () => {
      const n = await count();
      if (n < goal) throw new Error(`${n} of ${goal}`);
    },
    withinMs,
  );

async function countDecided(client: pg.Client, organization: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from delivery.campaign_message where organization_id = $1`,
    [organization],
  );
  return rows[0]!.n;
}
