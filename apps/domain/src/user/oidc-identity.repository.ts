import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

/** Names a user at an identity provider: never given to another user (OpenID Connect Core 1.0, section 2). */
interface Subject {
  issuer: string;
  subject: string;
}

/** Which user of an identity provider is which user here. */
export class OidcIdentityRepository {
  constructor(private readonly sql: Sql) {}

  async findUser({ issuer, subject }: Subject): Promise<string | null> {
    const rows: { user_id: string }[] = await this.sql.query(
      `select user_id from oidc_identity where issuer = $1 and subject = $2`,
      [issuer, subject],
    );
    return rows[0] ? wireId('usr', rows[0].user_id) : null;
  }

  /** Links an identity to a user; one that is linked already stays as it is. */
  async insert({ issuer, subject }: Subject, userId: string): Promise<void> {
    await this.sql.query(
      `insert into oidc_identity (issuer, subject, user_id, created_at) values ($1, $2, $3, clock_timestamp())
       on conflict (issuer, subject) do nothing`,
      [issuer, subject, uuidOf('usr', userId)],
    );
  }
}
