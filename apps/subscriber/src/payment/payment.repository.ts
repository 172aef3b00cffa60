import { uuidOf } from '#database';
import type { Sql } from '#database';

export class PaymentRepository {
  constructor(private readonly sql: Sql) {}

  /** Adds to a subscriber's revenue, with two decimals; a refund is negative. */
  async addRevenue(organizationId: string, subscriberId: string, amount: number): Promise<void> {
    await this.sql.query(
      `insert into subscriber_activity as a (organization_id, subscriber_id, revenue) values ($1, $2, $3)
       on conflict (organization_id, subscriber_id) do update set revenue = a.revenue + excluded.revenue`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), amount],
    );
  }
}
