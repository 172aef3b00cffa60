import type { Quotas, Scope, TokenFacts } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import { quotasOf, ratePerMinuteOf } from '../organization/organization.js';
import { quotasSql } from '../organization/plan.repository.js';
import type { ApiToken, NewToken } from './token.js';

interface Row {
  organization_id: string;
  token_id: string;
  last_four: string;
  name: string;
  scopes: Scope[];
  self_confirm: boolean;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}
const columns =
  'organization_id, token_id, last_four, name, scopes, self_confirm, expires_at, revoked_at, last_used_at';

/** The part of a token's organization that every call needs. */
interface OrganizationRow {
  plan: TokenFacts['plan'];
  rate_per_minute: number | null;
  quotas: Partial<Quotas>;
  cell: string | null;
}

const instant = (at: Date | null) => at?.toISOString() ?? null;
const tokenOf = (row: Row): ApiToken => ({
  id: wireId('tok', row.token_id),
  name: row.name,
  lastFour: row.last_four,
  scopes: row.scopes,
  selfConfirm: row.self_confirm,
  createdAt: createdAtOf(row.token_id).toISOString(),
  expiresAt: instant(row.expires_at),
  revokedAt: instant(row.revoked_at),
  lastUsedAt: instant(row.last_used_at),
});

/** API tokens; only their hashes are stored. */
export class TokenRepository {
  constructor(private readonly sql: Sql) {}

  /** @throws ToolError ORGANIZATION_NOT_FOUND */
  async insert(organizationId: string, { hash, lastFour, ...token }: NewToken): Promise<ApiToken> {
    const rows: Row[] = await this.sql.query(
      `insert into api_token (organization_id, token_id, token_hash, last_four, name, scopes, self_confirm, expires_at)
       select organization_id, $2, $3, $4, $5, $6, $7, $8 from organization where organization_id = $1 returning ${columns}`,
      [
        uuidOf('org', organizationId),
        newUuid(),
        hash,
        lastFour,
        token.name,
        token.scopes,
        token.selfConfirm,
        token.expiresAt,
      ],
    );
    if (!rows[0]) throw new ToolError('ORGANIZATION_NOT_FOUND', { id: organizationId });
    return tokenOf(rows[0]);
  }

  /** The organization and rights of a token. @returns null for an unknown, revoked or expired one */
  async findFacts(tokenHash: string): Promise<TokenFacts | null> {
    const rows: (Row & OrganizationRow)[] = await this.sql.query(
      `select t.token_id, organization_id, t.scopes, t.self_confirm, t.expires_at, o.plan, o.rate_per_minute, o.cell, ${quotasSql('o')}
       from api_token t join organization o using (organization_id)
       where t.token_hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp())`,
      [tokenHash],
    );
    const row = rows[0];
    return row
      ? {
          tokenId: wireId('tok', row.token_id),
          organizationId: wireId('org', row.organization_id),
          scopes: row.scopes,
          selfConfirm: row.self_confirm,
          expiresAt: instant(row.expires_at),
          plan: row.plan,
          ratePerMinute: ratePerMinuteOf(row.plan, row.rate_per_minute),
          quotas: quotasOf(row.quotas),
          cell: row.cell,
        }
      : null;
  }

  /** The tokens of an organization, the newest first, revoked ones too. */
  async list(organizationId: string): Promise<ApiToken[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from api_token where organization_id = $1 order by token_id desc`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(tokenOf);
  }

  /** Revokes a token; one that is revoked keeps its instant. @throws ToolError TOKEN_NOT_FOUND */
  async updateRevoked(tokenId: string): Promise<{ token: ApiToken; tokenHash: string }> {
    const [rows]: [(Row & { token_hash: string })[]] = await this.sql.query(
      `update api_token set revoked_at = coalesce(revoked_at, clock_timestamp()) where token_id = $1
       returning ${columns}, token_hash`,
      [uuidOf('tok', tokenId)],
    );
    if (!rows[0]) throw new ToolError('TOKEN_NOT_FOUND', { id: tokenId });
    return { token: tokenOf(rows[0]), tokenHash: rows[0].token_hash };
  }

  /** Whether a token is neither revoked nor expired. */
  async isInForce(tokenId: string): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `select from api_token where token_id = $1 and revoked_at is null
         and (expires_at is null or expires_at > clock_timestamp())`,
      [uuidOf('tok', tokenId)],
    );
    return rows.length > 0;
  }

  /** Records that tokens were used just now; each is written at most once a minute over all processes. */
  async updateLastUsed(tokenIds: readonly string[]): Promise<void> {
    await this.sql.query(
      `update api_token t set last_used_at = clock_timestamp() from (
         select token_id from api_token where token_id = any($1)
           and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
         order by token_id for no key update) stale
       where t.token_id = stale.token_id`,
      [tokenIds.map((id) => uuidOf('tok', id))],
    );
  }
}
