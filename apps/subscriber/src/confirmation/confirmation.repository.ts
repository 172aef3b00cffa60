import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

export interface OwedConfirmation {
  organizationId: string;
  subscriberId: string;
  email: string;
  country: string | null;
  /** The same for each attempt of one message, different for the next message. */
  sourceKey: string;
}

/** Seconds until a message whose sending failed is tried again. */
const againSeconds = 60;

export class ConfirmationRepository {
  constructor(private readonly sql: Sql) {}

  /** Claims owed messages, the longest waiting first; they are due again later unless `updateSent` confirms them. */
  async claim(limit: number): Promise<OwedConfirmation[]> {
    const [rows]: [
      {
        organization_id: string;
        subscriber_id: string;
        email: string;
        country: string | null;
        since: string;
      }[],
    ] = await this.sql.query(
      `update subscriber s set confirmation_due_at = clock_timestamp() + interval '${againSeconds} s'
       from (select organization_id, subscriber_id from subscriber where confirmation_due_at <= clock_timestamp()
         order by confirmation_due_at limit $1 for update skip locked) d
       where s.organization_id = d.organization_id and s.subscriber_id = d.subscriber_id
       returning s.organization_id, s.subscriber_id, s.email, s.country,
         coalesce(extract(epoch from greatest(s.confirmation_sent_at, s.address_at)), 0)::text as since`,
      [limit],
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      subscriberId: wireId('sub', row.subscriber_id),
      email: row.email,
      country: row.country,
      sourceKey: `confirmation:${row.subscriber_id}:${row.since}`,
    }));
  }

  /**
   * Records that a message was submitted; a subscriber whose address changed meanwhile is owed one at the new address.
   */
  async updateSent({ organizationId, subscriberId, email }: OwedConfirmation): Promise<void> {
    await this.sql.query(
      `update subscriber set confirmation_due_at = null, confirmation_sent_at = clock_timestamp()
       where organization_id = $1 and subscriber_id = $2 and email = $3`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), email],
    );
  }
}
