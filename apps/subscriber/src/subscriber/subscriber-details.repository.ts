import type { SubscriberStatus } from '#contracts';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import type { SuppressionFacts } from './mailable.js';

interface Row {
  country: string | null;
  status: SubscriberStatus;
  status_at: Date;
  banned_at: Date | null;
  ban_reason: string | null;
  complained_at: Date | null;
  hard_bounced_at: Date | null;
  bounce_reason: string | null;
}

/** Reads what only operators see of a subscriber: its country and its suppressions, also those kept without it. */
export class SubscriberDetailsRepository {
  constructor(private readonly sql: Sql) {}

  async find(
    organizationId: string,
    subscriberId: string,
  ): Promise<{ country: string | null; facts: SuppressionFacts } | null> {
    const rows: Row[] = await this.sql.query(
      `select country, status, status_at, banned_at, ban_reason, complained_at, hard_bounced_at,
         coalesce(bounce_category, case status when 'BOUNCED' then status_reason end) as bounce_reason
       from subscriber where organization_id = $1 and subscriber_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId)],
    );
    const [row] = rows;
    if (!row) return null;
    const facts = {
      status: row.status,
      statusAt: row.status_at,
      bannedAt: row.banned_at,
      banReason: row.ban_reason,
      complainedAt: row.complained_at,
      hardBouncedAt: row.hard_bounced_at,
      bounceReason: row.bounce_reason,
    };
    return { country: row.country, facts };
  }

  async listKept(organizationId: string, addressHash: string): Promise<KeptSuppression[]> {
    const rows: Record<KeptSuppression, boolean>[] = await this.sql.query(
      `select banned_at is not null as "BANNED", complained_at is not null as "COMPLAINED",
         hard_bounced_at is not null as "BOUNCED", unsubscribed_at is not null as "UNSUBSCRIBED"
       from address_mark where organization_id = $1 and address_hash = $2`,
      [uuidOf('org', organizationId), addressHash],
    );
    const [kept] = rows;
    return kept ? keptKinds.filter((kind) => kept[kind]) : [];
  }
}

const keptKinds = ['BANNED', 'COMPLAINED', 'BOUNCED', 'UNSUBSCRIBED'] as const;
export type KeptSuppression = (typeof keptKinds)[number];
