import { uuidOf } from '#database';
import type { Sql } from '#database';

const recipientsMin = 100;
/** Sends that are compared; a pause makes single ones look slow. */
const sendsMax = 5;

export class SendRateRepository {
  constructor(private readonly sql: Sql) {}

  /** Recipients a second of the fastest of the newest finished sends; null without one. */
  async find(organizationId: string): Promise<number | null> {
    const rows: { rate: number | null }[] = await this.sql.query(
      `select max(total / greatest(1, extract(epoch from finished_at - started_at)))::float8 as rate from (
         select total, started_at, finished_at from send
         where organization_id = $1 and state = 'DONE' and finished_at is not null and total >= ${recipientsMin}
         order by send_id desc limit ${sendsMax}) s`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!.rate;
  }
}
