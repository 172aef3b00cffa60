import type { DomainEvent } from '#contracts';
import { newSendUuid, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { changedSinceApproved, changes } from '../campaign/campaign.js';
import type { Campaign } from '../campaign/campaign.js';
import { campaignColumns, campaignOf } from '../campaign/campaign.repository.js';
import type { CampaignRow } from '../campaign/campaign.repository.js';
import type { StartingSend } from './send.js';

type Starting = Pick<StartingSend, 'organizationId' | 'campaign' | 'attempt'>;

/** A frozen audience that no send needs: its campaign is finished, or was held instead of sent. */
export interface UnreleasedAudience {
  organizationId: string;
  campaignId: string;
  audienceId: string;
}

export interface HeldCampaign {
  organizationId: string;
  campaign: Campaign;
}

const isDue = (c: string): string =>
  `${c}.status = $2 and ${c}.scheduled_at <= clock_timestamp() and ${c}.held_at is null and ${c}.audience_id is null`;
/** Bounds what one claim compares; the longest due ones. */
const rankedMax = 5_000;

/** Queues of due, starting and finished campaigns; leases and due times use the database's clock. */
export class SendRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Due ones become SENDING with fixed ids of send and audience. Those that an earlier process left unfinished are
   * claimed again after their lease. Each claim is one guarded update, so a concurrent cancellation either succeeds as
   * a whole or finds the campaign SENDING. An organization has one start before another has its second. A due campaign
   * that was held waits until the audience of its hold is released, whose id its row keeps.
   */
  async claim(limit: number, leaseMs: number): Promise<StartingSend[]> {
    const due = await this.#claimDue(limit, leaseMs);
    return due.length === limit ? due : [...due, ...(await this.#claimLeft(limit - due.length, leaseMs))];
  }

  async #claimDue(limit: number, leaseMs: number): Promise<StartingSend[]> {
    const { from, to } = changes.start;
    const ids = Array.from({ length: limit }, newSendUuid);
    const [rows]: [CampaignRow[], number] = await this.sql.query(
      // Materialized: a join may run a subquery again, and each run would lock and take further rows, past the limit.
      `with waiting as materialized (
         select c.organization_id, c.campaign_id, c.scheduled_at from campaign c where ${isDue('c')} order by c.scheduled_at limit ${rankedMax}),
       starting as materialized (
         select organization_id, count(*) as n from campaign where status = $1 and handed_over_at is null group by organization_id),
       ranked as materialized (
         select w.*, coalesce(s.n, 0) + row_number() over (partition by w.organization_id order by w.scheduled_at) as turn
         from waiting w left join starting s on s.organization_id = w.organization_id),
       due as materialized (
         select c.organization_id, c.campaign_id from ranked r
         join campaign c on c.organization_id = r.organization_id and c.campaign_id = r.campaign_id and ${isDue('c')}
         order by r.turn, r.scheduled_at limit $4 for update of c skip locked),
       numbered as (select *, row_number() over () as place from due)
       update campaign c set status = $1, send_id = u.send_id, audience_id = u.audience_id, attempts = 1, defects = 0,
         waiting_for = null, lease_until = clock_timestamp() + $3 * interval '1 ms', started_at = clock_timestamp(),
         updated_at = greatest(clock_timestamp(), c.updated_at + interval '1 ms')
       from numbered d join unnest($5::uuid[], $6::uuid[]) with ordinality u(send_id, audience_id, place) on u.place = d.place
       where c.organization_id = d.organization_id and c.campaign_id = d.campaign_id returning ${campaignColumns}`,
      [to, from, leaseMs, limit, ids, ids.map(newUuid)],
    );
    return rows.map(startingOf);
  }

  async #claimLeft(limit: number, leaseMs: number): Promise<StartingSend[]> {
    const [rows]: [CampaignRow[], number] = await this.sql.query(
      `with fallen as materialized (
         select organization_id, campaign_id from campaign
         where status = 'SENDING' and handed_over_at is null and lease_until <= clock_timestamp()
         order by lease_until limit $2 for update skip locked)
       update campaign c set attempts = c.attempts + 1, lease_until = clock_timestamp() + $1 * interval '1 ms'
       from fallen d where c.organization_id = d.organization_id and c.campaign_id = d.campaign_id returning ${campaignColumns}`,
      [leaseMs, limit],
    );
    return rows.map(startingOf);
  }

  /**
   * Records that the delivery service has the send, which may already be finished; an overtaken attempt changes
   * nothing.
   */
  async updateHandedOver({ organizationId, campaign, attempt }: Starting, recipientCount: number): Promise<void> {
    await this.sql.query(
      `update campaign set handed_over_at = clock_timestamp(), recipient_count = $4, waiting_for = null where ${currentAttempt}`,
      [...keysOf(organizationId, campaign.id), attempt, recipientCount],
    );
  }

  /** Delays the next attempt and stores the reason for the author. */
  async updateWaiting(
    { organizationId, campaign, attempt }: Starting,
    { seconds, reason, defects }: { seconds: number; reason: string; defects: number },
  ): Promise<void> {
    await this.sql.query(
      `update campaign set lease_until = clock_timestamp() + make_interval(secs => $4), waiting_for = $5, defects = $6
       where ${currentAttempt} and status = 'SENDING'`,
      [...keysOf(organizationId, campaign.id), attempt, seconds, reason, defects],
    );
  }

  /**
   * Holds a campaign that is not what was approved: it is SCHEDULED again, and keeps the id of its frozen audience
   * until that is released.
   * @returns false for an overtaken attempt, which changes nothing
   */
  async updateHeld({ organizationId, campaign, attempt }: Starting): Promise<boolean> {
    const [rows]: [unknown[], number] = await this.sql.query(
      `update campaign set status = $4, waiting_for = $5, held_at = clock_timestamp(), asked_again_at = null, send_id = null,
         lease_until = null, started_at = null, updated_at = greatest(clock_timestamp(), updated_at + interval '1 ms')
       where ${currentAttempt} and status = 'SENDING' returning 1`,
      [...keysOf(organizationId, campaign.id), attempt, changes.start.from, changedSinceApproved],
    );
    return rows.length > 0;
  }

  /** Held campaigns for which no approval was asked yet, each claimed for `leaseMs`; the longest held first. */
  async claimHeld(limit: number, leaseMs: number): Promise<HeldCampaign[]> {
    const [rows]: [CampaignRow[], number] = await this.sql.query(
      `with held as materialized (
         select organization_id, campaign_id from campaign
         where held_at is not null and asked_again_at is null and status = 'SCHEDULED'
           and coalesce(lease_until, held_at) <= clock_timestamp()
         order by held_at limit $2 for update skip locked)
       update campaign c set lease_until = clock_timestamp() + $1 * interval '1 ms'
       from held d where c.organization_id = d.organization_id and c.campaign_id = d.campaign_id returning ${campaignColumns}`,
      [leaseMs, limit],
    );
    return rows.map((row) => ({ organizationId: wireId('org', row.organization_id), campaign: campaignOf(row) }));
  }

  /** Records that an approval was asked for, unless the campaign is not held since then any more. */
  async updateAskedAgain({ organizationId, campaign }: HeldCampaign): Promise<void> {
    await this.sql.query(
      `update campaign set asked_again_at = clock_timestamp(), lease_until = null
       where organization_id = $1 and campaign_id = $2 and held_at = $3`,
      [...keysOf(organizationId, campaign.id), campaign.heldAt],
    );
  }

  /** Fails campaigns that were held for a day. @returns which */
  async failHeld(failure: string): Promise<{ organizationId: string; id: string }[]> {
    const [rows]: [{ organization_id: string; campaign_id: string }[], number] = await this.sql.query(
      `update campaign set status = 'FAILED', failure = $1, waiting_for = null, held_at = null, asked_again_at = null,
         lease_until = null, finished_at = clock_timestamp(),
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 ms')
       where held_at <= clock_timestamp() - interval '24 hours' and status = 'SCHEDULED'
       returning organization_id, campaign_id`,
      [failure],
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      id: wireId('cmp', row.campaign_id),
    }));
  }

  async updateFailed({ organizationId, campaign, attempt }: Starting, failure: string): Promise<void> {
    await this.sql.query(
      `update campaign set status = $4, failure = $5, waiting_for = null, finished_at = clock_timestamp(),
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 ms') where ${currentAttempt} and status = 'SENDING'`,
      [...keysOf(organizationId, campaign.id), attempt, changes.fail.to, failure],
    );
  }

  /**
   * Ends campaigns whose sends have finished; repeated events and events of other sends change nothing. A retried send
   * finishes again, possibly before its retry was recorded here.
   */
  async updateFinished(events: readonly DomainEvent<'send.finished'>[]): Promise<void> {
    await this.sql.query(
      `update campaign c set status = u.outcome, failure = u.failure, waiting_for = null, finished_at = u.at,
         updated_at = greatest(clock_timestamp(), c.updated_at + interval '1 ms')
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
         u(organization_id, campaign_id, send_id, outcome, failure, at)
       where c.organization_id = u.organization_id and c.campaign_id = u.campaign_id and c.send_id = u.send_id
         and (c.status = $7 or c.status in ('SENT', 'FAILED') and c.finished_at < u.at)
         and (c.retried_at is null or c.retried_at <= u.at)`,
      [
        events.map((event) => uuidOf('org', event.organizationId)),
        events.map(({ data }) => uuidOf('cmp', data.campaignId)),
        events.map(({ data }) => uuidOf('send', data.sendId)),
        events.map(({ data }) => changes[data.outcome === 'SENT' ? 'finish' : 'fail'].to),
        events.map(({ data }) => data.failure),
        events.map(({ data }) => data.at),
        changes.finish.from,
      ],
    );
  }

  /** Reopens a finished campaign whose send was retried at `retriedAt`, unless that send has finished again since. */
  async updateRetried(
    organizationId: string,
    { id, sendId }: { id: string; sendId: string },
    retriedAt: string,
  ): Promise<void> {
    await this.sql.query(
      `update campaign set status = 'SENDING', failure = null, finished_at = null, retried_at = $4,
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 ms')
       where organization_id = $1 and campaign_id = $2 and send_id = $3
         and (status = 'SENDING' or status in ('SENT', 'FAILED') and finished_at < $4)`,
      [...keysOf(organizationId, id), uuidOf('send', sendId), retriedAt],
    );
  }

  /** Lists audiences that no send needs: first those of campaigns that were held, then the earliest finished. */
  async listUnreleasedAudiences(limit: number): Promise<UnreleasedAudience[]> {
    const rows: { organization_id: string; campaign_id: string; audience_id: string }[] = await this.sql.query(
      `select organization_id, campaign_id, audience_id from campaign
       where status <> 'SENDING' and audience_id is not null order by finished_at nulls first limit $1`,
      [limit],
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      campaignId: wireId('cmp', row.campaign_id),
      audienceId: wireId('aud', row.audience_id),
    }));
  }

  async updateAudienceReleased({ organizationId, campaignId, audienceId }: UnreleasedAudience): Promise<void> {
    await this.sql.query(
      `update campaign set audience_id = null where organization_id = $1 and campaign_id = $2 and audience_id = $3`,
      [...keysOf(organizationId, campaignId), uuidOf('aud', audienceId)],
    );
  }
}

/** Condition of the process that holds the current attempt; `$1`–`$3` are organization, campaign and attempt. */
const currentAttempt = `organization_id = $1 and campaign_id = $2 and attempts = $3 and handed_over_at is null`;

const keysOf = (organizationId: string, campaignId: string) => [
  uuidOf('org', organizationId),
  uuidOf('cmp', campaignId),
];

const startingOf = (row: CampaignRow): StartingSend => ({
  organizationId: wireId('org', row.organization_id),
  campaign: campaignOf(row),
  sendId: wireId('send', row.send_id!),
  audienceId: wireId('aud', row.audience_id!),
  attempt: row.attempts,
  defects: row.defects,
});
