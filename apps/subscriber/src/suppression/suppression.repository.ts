import type { SubscriberStatus } from '#contracts';
import { TallyRepository, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { statusMetric } from '../subscriber/subscriber-change.service.js';
import { dropEmptyMark } from './suppression-entry.repository.js';
import type { Suppressions, SubscriberState } from '../subscriber/subscriber.js';
import type { LastBounce } from './suppression.js';
import type { SuppressedSubscriber } from './suppression-review.js';

type Suppressed = Extract<SubscriberStatus, 'BOUNCED' | 'COMPLAINED'>;

export interface SuppressingEvent {
  id: string;
  type: string;
  createdAt: string;
  bounceCategory: string | null;
  bounceType: string | null;
  reason: string | null;
  provider: string | null;
  complaintFeedbackType: string | null;
}

interface Row {
  subscriber_id: string;
  email: string;
  name: string | null;
  status: Suppressed;
  event_id: string | null;
  type: string;
  data: Partial<Record<string, string | null>>;
  created_at: Date;
}

interface SoftSuppressedRow {
  subscriber_id: string;
  email: string;
  status_before_suppression: SubscriberStatus | null;
  confirmation_sent_at: Date | null;
  history: { type: string; at: string; data: Record<string, unknown> }[];
}

export class SuppressionRepository {
  constructor(private readonly sql: Sql) {}

  /** A page of suppressed people, most recently suppressed first, with the latest event of the kind that did it. */
  async list(
    organizationId: string,
    status: Suppressed | null,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<
    {
      subscriber: { id: string; email: string; name: string | null; status: Suppressed };
      event: SuppressingEvent | null;
    }[]
  > {
    const rows: Row[] = await this.sql.query(
      `select s.subscriber_id, s.email, s.name, s.status, e.event_id, e.type, e.data, e.created_at from (
         select subscriber_id, email, name, status, status_at from subscriber
         where organization_id = $1 and status in ('BOUNCED', 'COMPLAINED') and ($2::text is null or status = $2)
         order by status_at desc, subscriber_id desc limit $3 offset $4) s
       left join lateral (select event_id, type, data, created_at from subscriber_event e
         where e.organization_id = $1 and e.subscriber_id = s.subscriber_id
           and e.type = case s.status when 'BOUNCED' then 'EMAIL_BOUNCED' else 'EMAIL_COMPLAINED' end
         order by e.created_at desc, e.event_id desc limit 1) e on true
       order by s.status_at desc, s.subscriber_id desc`,
      [uuidOf('org', organizationId), status, limit, offset],
    );
    return rows.map((row) => ({
      subscriber: { id: wireId('sub', row.subscriber_id), email: row.email, name: row.name, status: row.status },
      event: row.event_id === null ? null : eventOf({ ...row, event_id: row.event_id }),
    }));
  }

  async count(organizationId: string, status: Suppressed | null): Promise<number> {
    const counts = await new TallyRepository(this.sql).listByKey(organizationId, statusMetric);
    const wanted: Suppressed[] = status ? [status] : ['BOUNCED', 'COMPLAINED'];
    return wanted.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
  }

  /** The status and marks of addresses: of their subscribers, or kept since those were deleted. */
  async listMarked(
    organizationId: string,
    addresses: readonly { emailKey: string; addressHash: string }[],
  ): Promise<(Pick<SubscriberState, 'status' | 'marks'> & { emailKey: string })[]> {
    const rows: { emailKey: string; status: SubscriberStatus; marks: Suppressions }[] = await this.sql.query(
      `select k.email_key as "emailKey", coalesce(s.status, 'TRANSACTIONAL') as status, jsonb_build_object(
         'banned', coalesce(s.banned_at, m.banned_at) is not null, 'complained', coalesce(s.complained_at, m.complained_at) is not null,
         'hardBounced', coalesce(s.hard_bounced_at, m.hard_bounced_at) is not null) as marks
       from unnest($2::text[], $3::text[]) k(email_key, address_hash)
       left join subscriber s on s.organization_id = $1 and s.email_key = k.email_key
       left join address_mark m on m.organization_id = $1 and m.address_hash = k.address_hash and s.subscriber_id is null`,
      [
        uuidOf('org', organizationId),
        addresses.map(({ emailKey }) => emailKey),
        addresses.map(({ addressHash }) => addressHash),
      ],
    );
    return rows;
  }

  async getLastBounce(organizationId: string, subscriberId: string): Promise<LastBounce> {
    const rows: { category: string | null; reason: string | null }[] = await this.sql.query(
      `select s.bounce_category as category, (
         select e.data ->> 'reason' from subscriber_event e
         where e.organization_id = $1 and e.subscriber_id = $2 and e.type = 'EMAIL_BOUNCED'
         order by e.created_at desc, e.event_id desc limit 1) as reason
       from subscriber s where s.organization_id = $1 and s.subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
    );
    return rows[0] ?? { category: null, reason: null };
  }

  /** Makes a locked subscriber SUBSCRIBED without suppressions; counting of soft bounces restarts. */
  async updateReactivated(
    organizationId: string,
    subscriberId: string,
    { addressHash, now }: { addressHash: string; now: Date },
  ): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('sub', subscriberId)];
    await this.sql.query(
      `with counted as (update subscriber_activity set counted_bounced_at = '{}'
         where organization_id = $1 and subscriber_id = $2 and counted_bounced_at <> '{}'),
       forgotten as (delete from address_mark where organization_id = $1 and address_hash = $4)
       update subscriber set status = 'SUBSCRIBED', status_at = $3, status_reason = null, hard_bounced_at = null,
         complained_at = null, bounce_category = null, suppressed_event_id = null, status_before_suppression = null,
         opted_in_at = greatest(opted_in_at, $3), reactivated_at = greatest(reactivated_at, $3),
         updated_at = greatest($3, updated_at + interval '1 ms')
       where organization_id = $1 and subscriber_id = $2`,
      [...key, now, addressHash],
    );
  }

  /**
   * Subscribers that soft bounces suppressed, in the order of their ids, with what a review needs of their history.
   * @param after the id of the last one of the page before; null for the first page
   * @param lock whether they stay as they are until the transaction ends
   */
  async listSoftSuppressed(
    organizationId: string,
    { after, limit, lock }: { after: string | null; limit: number; lock: boolean },
  ): Promise<SuppressedSubscriber[]> {
    const rows: SoftSuppressedRow[] = await this.sql.query(
      `with held as materialized (
         select organization_id, subscriber_id, email, status_before_suppression, confirmation_sent_at from subscriber
         where organization_id = $1 and status = 'BOUNCED' and ($2::uuid is null or subscriber_id > $2)
           and coalesce(hard_bounced_at, complained_at, banned_at) is null
         order by subscriber_id limit $3${lock ? ' for update' : ''})
       select h.subscriber_id, h.email, h.status_before_suppression, h.confirmation_sent_at, coalesce(e.history, '[]') as history
       from held h left join lateral (
         select jsonb_agg(jsonb_build_object('type', e.type, 'at', e.created_at, 'data', e.data) order by e.created_at, e.event_id) as history
         from subscriber_event e where e.organization_id = h.organization_id and e.subscriber_id = h.subscriber_id
           and e.type in ('SUBSCRIBED', 'UNSUBSCRIBED', 'EMAIL_BOUNCED', 'EMAIL_COMPLAINED')) e on true
       order by h.subscriber_id`,
      [uuidOf('org', organizationId), after && uuidOf('sub', after), limit],
    );
    return rows.map((row) => ({
      id: wireId('sub', row.subscriber_id),
      email: row.email,
      statusBefore: row.status_before_suppression,
      confirmationSent: row.confirmation_sent_at !== null,
      history: row.history.map(({ at, ...event }) => ({ ...event, at: new Date(at) })),
    }));
  }

  /** Restores the status of locked, suppressed subscribers; one that was never asked to confirm is asked then. */
  async updateRestored(
    organizationId: string,
    restored: readonly { subscriberId: string; status: SubscriberStatus }[],
    now: Date,
  ): Promise<void> {
    await this.sql.query(
      `update subscriber s set status = r.status, status_at = $4, status_reason = null, bounce_category = null,
         suppressed_event_id = null, status_before_suppression = null,
         confirmation_due_at = case when r.status = 'PENDING_CONFIRMATION' and s.confirmation_sent_at is null then $4::timestamptz end,
         updated_at = greatest($4, s.updated_at + interval '1 ms')
       from unnest($2::uuid[], $3::text[]) r(id, status) where s.organization_id = $1 and s.subscriber_id = r.id`,
      [
        uuidOf('org', organizationId),
        restored.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        restored.map(({ status }) => status),
        now,
      ],
    );
  }

  /** Bans a locked subscriber and keeps the status for the lifting of the ban. @returns the status now */
  async updateBanned(
    organizationId: string,
    subscriberId: string,
    { now, reason }: { now: Date; reason: string | null },
  ): Promise<SubscriberStatus> {
    const [rows]: [{ status: SubscriberStatus }[]] = await this.sql.query(
      `update subscriber set banned_at = coalesce(banned_at, $3), status = 'BANNED', confirmation_due_at = null,
         ban_reason = coalesce($4, ban_reason),
         status_before_ban = case when status = 'BANNED' then status_before_ban else status end,
         status_at = case when status = 'BANNED' then status_at else $3 end,
         updated_at = greatest($3, updated_at + interval '1 ms')
       where organization_id = $1 and subscriber_id = $2 returning status`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), now, reason],
    );
    return rows[0]!.status;
  }

  /**
   * Lifts the ban of a locked subscriber and restores the former status, unless another suppression was added
   * meanwhile. A subscriber that was never asked to confirm is asked then. @returns the status now
   */
  async updateUnbanned(organizationId: string, subscriberId: string, now: Date): Promise<SubscriberStatus> {
    const [rows]: [{ status: SubscriberStatus }[]] = await this.sql.query(
      `update subscriber s set banned_at = null, ban_reason = null, status_before_ban = null, status = r.status,
         status_at = case when s.status <> r.status then $3 else s.status_at end,
         confirmation_due_at = case when r.status = 'PENDING_CONFIRMATION' and s.confirmation_sent_at is null then $3 end,
         updated_at = greatest($3, s.updated_at + interval '1 ms')
       from (select subscriber_id as id, case when status <> 'BANNED' then status when status_before_ban = 'UNSUBSCRIBED' then 'UNSUBSCRIBED'
           when complained_at is not null then 'COMPLAINED' when hard_bounced_at is not null then 'BOUNCED'
           else coalesce(status_before_ban, 'SUBSCRIBED') end as status
         from subscriber where organization_id = $1 and subscriber_id = $2) r
       where s.organization_id = $1 and s.subscriber_id = r.id returning s.status`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), now],
    );
    return rows[0]!.status;
  }

  async upsertAddressBan(organizationId: string, addressHash: string, bannedAt: Date | null): Promise<void> {
    const key = [uuidOf('org', organizationId), addressHash];
    if (bannedAt) {
      await this.sql.query(
        `insert into address_mark as m (organization_id, address_hash, banned_at) values ($1, $2, $3)
         on conflict (organization_id, address_hash) do update set banned_at = coalesce(m.banned_at, excluded.banned_at)`,
        [...key, bannedAt],
      );
      return;
    }
    await this.sql.query(
      `update address_mark set banned_at = null where organization_id = $1 and address_hash = $2`,
      key,
    );
    await this.sql.query(dropEmptyMark, key);
  }
}

const eventOf = ({ event_id, type, created_at, data }: Row & { event_id: string }): SuppressingEvent => ({
  id: wireId('evt', event_id),
  type,
  createdAt: created_at.toISOString(),
  bounceCategory: data.bounceCategory ?? null,
  bounceType: data.bounceType ?? null,
  reason: data.reason ?? null,
  provider: data.provider ?? null,
  complaintFeedbackType: data.complaintFeedbackType ?? null,
});
