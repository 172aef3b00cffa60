import { prepared, uuidOf } from '#database';
import type { Sql } from '#database';

/**
 * Serializes deletions with writers that do not lock the subscribers concerned, by an advisory lock, since row locks
 * would write every subscriber of a batch.
 */
export class DeletionLockRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Waits for uncommitted deletions in these organizations, and blocks further ones until this transaction ends. The
   * next statement sees only the remaining subscribers.
   */
  async holdOff(organizationIds: readonly string[]): Promise<void> {
    await this.sql.query(holdOffSql, [[...new Set(organizationIds)].map((id) => uuidOf('org', id))]);
  }

  /** Waits for such writers of the organization, and blocks further ones until this transaction ends. */
  async take(organizationId: string): Promise<void> {
    await this.sql.query(`select pg_advisory_xact_lock(${lockOf('$1::uuid')})`, [uuidOf('org', organizationId)]);
  }
}

const lockOf = (organization: string): string => `hashtextextended('deletions of ' || ${organization}, 0)`;

/** In one order, so that two writers cannot deadlock. */
const holdOffSql = prepared(
  'hold off deletions',
  `select pg_advisory_xact_lock_shared(${lockOf('id')}) from (select id from unnest($1::uuid[]) id order by id) o`,
);
