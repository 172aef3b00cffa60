import type { DomainEvent } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { changes } from '../campaign/campaign.js';
import { campaignColumns, campaignOf } from '../campaign/campaign.repository.js';
import type { CampaignRow } from '../campaign/campaign.repository.js';
import type { StartingSend } from './send.js';

type Starting = Pick<StartingSend, 'organizationId' | 'campaign' | 'attempt'>;

/** The audience of a finished campaign, not yet released. */
export interface HeldAudience {
  organizationId: string;
  campaignId: string;
  audienceId: string;
}

/** Queues of due, starting and finished campaigns; leases and due times use the database's clock. */
export class SendRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Claims up to `limit` campaigns. Due ones become SENDING with fixed ids of send and audience. Those that an earlier
   * process left unfinished are claimed again after their lease. Each claim is one guarded update, so a concurrent
   * cancellation either succeeds as a whole or finds the campaign SENDING.
   */
  async claim(limit: number, leaseMs: number): Promise<StartingSend[]> {
    const due = await this.#claimDue(limit, leaseMs);
    return due.length === limit ? due : [...due, ...(await this.#claimLeft(limit - due.length, leaseMs))];
  }

  async #claimDue(limit: number, leaseMs: number): Promise<StartingSend[]> {
    const { from, to } = changes.start;
    const ids = Array.from({ length: limit }, newUuid);
    const [rows]: [CampaignRow[], number] = await this.sql.query(
      // Materialized: a join may run a subquery again, and each run would lock and take further rows, past the limit.
      `with due as materialized (
         select organization_id, campaign_id from campaign where status = $2 and scheduled_at <= clock_timestamp()
         order by scheduled_at limit $4 for update skip locked),
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
   * Records that the delivery service has the send, which may already be finished. An overtaken attempt changes
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

  /** Fails a campaign whose send can never start. */
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

  /** Lists audiences of finished campaigns, the earliest finished first. */
  async listHeldAudiences(limit: number): Promise<HeldAudience[]> {
    const rows: { organization_id: string; campaign_id: string; audience_id: string }[] = await this.sql.query(
      `select organization_id, campaign_id, audience_id from campaign
       where status in ('SENT', 'FAILED') and audience_id is not null order by finished_at limit $1`,
      [limit],
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      campaignId: wireId('cmp', row.campaign_id),
      audienceId: wireId('aud', row.audience_id),
    }));
  }

  /** Clears a released audience. */
  async updateAudienceReleased({ organizationId, campaignId }: HeldAudience): Promise<void> {
    await this.sql.query(`update campaign set audience_id = null where organization_id = $1 and campaign_id = $2`, [
      ...keysOf(organizationId, campaignId),
    ]);
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
