import { createHash, randomBytes } from 'node:crypto';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

export type LinkPurpose = 'SETUP' | 'RESET' | 'ADDRESS';

const hoursOf: Record<LinkPurpose, number> = { SETUP: 1, RESET: 1, ADDRESS: 24 };
/** Links of one user and kind within an hour. */
const linksPerHour = 3;

/** A secret of 256 bits for a link's fragment. */
export const makeLinkSecret = (): string => randomBytes(32).toString('base64url');
/** The hash by which a link or session is stored: SHA-256, hex. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Links that work once, kept as hashes. */
export class OneTimeLinkRepository {
  constructor(private readonly sql: Sql) {}

  /** Makes a setup link; earlier ones end. @returns the secret */
  async insertSetup(): Promise<string> {
    await this.sql.query(`delete from one_time_link where kind = 'SETUP'`);
    return (await this.#insert('SETUP', null, null))!;
  }

  /** @returns the secret; null when the user has had three of this kind within the hour */
  async insert(kind: LinkPurpose, userId: string, email: string | null): Promise<string | null> {
    return await this.#insert(kind, uuidOf('usr', userId), email);
  }

  /** A link that was not used yet, which stays. @returns null for an unknown, used or expired one */
  async find(kind: LinkPurpose, secret: string): Promise<{ userId: string | null } | null> {
    const rows: { user_id: string | null }[] = await this.sql.query(
      `select user_id from one_time_link where token_hash = $1 and kind = $2 and expires_at > clock_timestamp()`,
      [hashSecret(secret), kind],
    );
    return rows[0] ? { userId: rows[0].user_id === null ? null : wireId('usr', rows[0].user_id) } : null;
  }

  /** Uses a link. @returns null for an unknown, used or expired one */
  async take(kind: LinkPurpose, secret: string): Promise<{ userId: string | null; email: string | null } | null> {
    const [rows]: [{ user_id: string | null; email: string | null; live: boolean }[]] = await this.sql.query(
      `delete from one_time_link where token_hash = $1 and kind = $2
       returning user_id, email, expires_at > clock_timestamp() as live`,
      [hashSecret(secret), kind],
    );
    const row = rows[0];
    return row?.live ? { userId: row.user_id === null ? null : wireId('usr', row.user_id), email: row.email } : null;
  }

  async deleteExpired(): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(
      `delete from one_time_link where token_hash in (
         select token_hash from one_time_link where expires_at < clock_timestamp() - interval '1 hour' limit 1000) returning 1`,
    );
    return rows.length;
  }

  async #insert(kind: LinkPurpose, userUuid: string | null, email: string | null): Promise<string | null> {
    const secret = makeLinkSecret();
    const rows: unknown[] = await this.sql.query(
      `insert into one_time_link (token_hash, kind, user_id, email, created_at, expires_at)
       select $1, $2, $3::uuid, $4, clock_timestamp(), clock_timestamp() + make_interval(hours => $5)
       where (select count(*) from one_time_link where user_id = $3::uuid and kind = $2
         and created_at > clock_timestamp() - interval '1 hour') < $6 returning 1`,
      [hashSecret(secret), kind, userUuid, email, hoursOf[kind], linksPerHour],
    );
    return rows.length > 0 ? secret : null;
  }
}
