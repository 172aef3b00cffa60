import { uuidOf } from '#database';
import type { Sql } from '#database';

/** Recovery codes of users, kept as hashes. */
export class RecoveryCodeRepository {
  constructor(private readonly sql: Sql) {}

  /** Replaces the codes of a user. */
  async replace(userId: string, hashes: readonly string[]): Promise<void> {
    await this.deleteAll(userId);
    await this.sql.query(`insert into recovery_code (user_id, code_hash) select $1, unnest($2::text[])`, [
      uuidOf('usr', userId),
      hashes,
    ]);
  }

  /** How many of a user's codes were not used, and how many there were. */
  async count(userId: string): Promise<{ left: number; total: number }> {
    const rows: { left: number; total: number }[] = await this.sql.query(
      `select (count(*) filter (where used_at is null))::int as left, count(*)::int as total
       from recovery_code where user_id = $1`,
      [uuidOf('usr', userId)],
    );
    return rows[0]!;
  }

  /** Uses a code. @returns false for an unknown or used one */
  async use(userId: string, hash: string): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update recovery_code set used_at = clock_timestamp()
       where user_id = $1 and code_hash = $2 and used_at is null returning 1`,
      [uuidOf('usr', userId), hash],
    );
    return rows.length > 0;
  }

  async deleteAll(userId: string): Promise<void> {
    await this.sql.query(`delete from recovery_code where user_id = $1`, [uuidOf('usr', userId)]);
  }
}
