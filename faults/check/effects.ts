import { uuidOf } from '#database';
import type { TestSystem } from '#testing';
import type { CampaignRun } from '../runs/campaign.js';
import { withDatabase } from '../rig/system-database.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';

/** Number of occurrences of each effect, by a name that contains the recipient's address. */
export type Effects = ReadonlyMap<string, number>;

/** Histories and counters of subscribers, and the campaign's statistics. A count of zero has no row. */
const effectsSql = `
  with person as (select organization_id, subscriber_id, email from subscriber.subscriber where organization_id = $1)
  select email || ' ' || type as name, count(*)::int as n from (
      select organization_id, subscriber_id, type from subscriber.subscriber_event
      union all select organization_id, subscriber_id, type from subscriber.campaign_mail_event) e join person using (organization_id, subscriber_id)
    where type in ('EMAIL_SENT', 'EMAIL_RECEIVED', 'EMAIL_OPENED') group by 1
  union all
  select email || ' emails counted', email_count from subscriber.subscriber_activity join person using (organization_id, subscriber_id)
  union all
  select email || ' opens counted', open_count + machine_open_count from subscriber.subscriber_activity join person using (organization_id, subscriber_id)
  union all
  select 'campaign ' || u.name, sum(u.n)::int from campaign.campaign_stat c,
    unnest(array['sent', 'delivered', 'opened', 'unsubscribed'], array[c.sent, c.delivered, c.opens + c.machine_opens, c.unsubscribed]) u(name, n)
    where c.organization_id = $1 and c.campaign_id = $2 group by 1`;

/** What the services made of a campaign's events. */
export const readEffects = (system: TestSystem, run: CampaignRun): Promise<Effects> =>
  withDatabase(system, async (client) => {
    const ids = [uuidOf('org', run.organizationId), uuidOf('cmp', run.campaignId)];
    const { rows } = await client.query<{ name: string; n: number }>(effectsSql, ids);
    return new Map(rows.map(({ name, n }) => [name, n]));
  });

/** Counts missing and surplus effects. */
export function compareEffects(made: Effects, found: Effects): { lost: number; doubled: number } {
  let lost = 0;
  let doubled = 0;
  for (const name of new Set([...made.keys(), ...found.keys()])) {
    const surplus = (found.get(name) ?? 0) - (made.get(name) ?? 0);
    if (surplus < 0) lost -= surplus;
    else doubled += surplus;
  }
  return { lost, doubled };
}

/** What came of a run in which processes were killed one after the other. */
export interface StruckResult {
  kills: number;
  lost: number;
  doubled: number;
  seconds: number;
  breaches: string[];
}

type Difference = ReturnType<typeof compareEffects>;

/**
 * Compares until nothing is lost or doubled, or the time is over: messages in flight when a reader died are
 * redelivered.
 */
export async function settled(compare: () => Promise<Difference>, withinMs: number): Promise<Difference> {
  const agreed = async () => {
    const found = await compare();
    if (found.lost + found.doubled > 0) throw new Error('not yet');
    return found;
  };
  return await retryUntilAnswered('effects', agreed, withinMs).catch(compare);
}

/** The violations of a run: the texts of the rules that were broken. */
export const breachesOf = (rules: readonly [broken: boolean, breach: string][]): string[] =>
  rules.filter(([broken]) => broken).map(([, violation]) => violation);
