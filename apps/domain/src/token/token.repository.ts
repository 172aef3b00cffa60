import { rightsOf } from '#contracts';
import type { Quotas, Role, Scope, TokenFacts } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import { quotasOf, ratePerMinuteOf } from '../organization/organization.js';
import type { OrganizationSettings } from '../organization/organization.js';
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
  kind: ApiToken['kind'];
  toolsets: string[] | null;
  created_by: string | null;
  maker: string | null;
}
/** Of `api_token t`. A maker who is gone has no name. */
const columns = `t.organization_id, t.token_id, t.last_four, t.name, t.scopes, t.self_confirm, t.expires_at, t.revoked_at,
  t.last_used_at, t.kind, t.toolsets, t.created_by,
  (select u.name from user_account u where u.user_id = t.created_by) as maker`;
const isInForceSql = `t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp())`;

interface FactsRow {
  plan: TokenFacts['plan'];
  approvals: OrganizationSettings['approvals'];
  rate_per_minute: number | null;
  quotas: Partial<Quotas>;
  cell: string | null;
  user_id: string | null;
  role: Role | null;
}

const instant = (at: Date | null) => at?.toISOString() ?? null;
const tokenOf = (row: Row): ApiToken => ({
  id: wireId('tok', row.token_id),
  name: row.name,
  kind: row.kind,
  lastFour: row.last_four,
  scopes: row.scopes,
  toolsets: row.toolsets,
  selfConfirm: row.self_confirm,
  createdBy: row.created_by === null ? null : { id: wireId('usr', row.created_by), name: row.maker ?? '' },
  createdAt: createdAtOf(row.token_id).toISOString(),
  expiresAt: instant(row.expires_at),
  revokedAt: instant(row.revoked_at),
  lastUsedAt: instant(row.last_used_at),
});

export interface EndingToken {
  id: string;
  name: string;
  email: string;
  expiresAt: Date;
  /** 1: a week before the end, 2: a day. */
  notice: 1 | 2;
}

/** API tokens; only their hashes are stored. */
export class TokenRepository {
  constructor(private readonly sql: Sql) {}

  /** Serializes the creation of tokens of an organization until the transaction ends. */
  async lock(organizationId: string): Promise<void> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`tokens ${organizationId}`]);
  }

  async insert(organizationId: string, { hash, lastFour, ...token }: NewToken): Promise<ApiToken> {
    const maker = token.createdBy ? uuidOf('usr', token.createdBy) : null;
    const rows: Row[] = await this.sql.query(
      `with t as (
         insert into api_token (organization_id, token_id, token_hash, last_four, name, scopes, self_confirm, expires_at,
           kind, user_id, created_by, toolsets)
         select organization_id, $2, $3, $4, $5, $6, $7, $8, $9, $10::uuid, $11::uuid, $12 from organization
         where organization_id = $1 returning *)
       select ${columns} from t`,
      [
        uuidOf('org', organizationId),
        newUuid(),
        hash,
        lastFour,
        token.name,
        token.scopes,
        token.selfConfirm,
        token.expiresAt,
        token.kind ?? 'ORGANIZATION',
        token.kind === 'PERSONAL' ? maker : null,
        maker,
        token.toolsets ?? null,
      ],
    );
    if (!rows[0]) throw new ToolError('ORGANIZATION_NOT_FOUND', { id: organizationId });
    return tokenOf(rows[0]);
  }

  /**
   * The organization and rights of a token by its present secret, or by one that a rotation replaced a short while ago. A
   * PERSONAL token has at most the rights of its member now.
   * @returns null for an unknown, revoked or expired one, and for one without its membership
   */
  async findFacts(tokenHash: string): Promise<TokenFacts | null> {
    const rows: (Row & FactsRow)[] = await this.sql.query(
      `select ${columns}, least(t.expires_at, s.ends_at) as expires_at, o.plan, o.approvals, o.rate_per_minute, o.cell,
         t.user_id, m.role, ${quotasSql('o')}
       from (select token_id, null::timestamptz as ends_at from api_token where token_hash = $1
             union all select token_id, ends_at from former_token_secret
             where token_hash = $1 and ends_at > clock_timestamp()) s
         join api_token t using (token_id) join organization o on o.organization_id = t.organization_id
         left join membership m on m.organization_id = t.organization_id and m.user_id = t.user_id
       where ${isInForceSql} and (t.kind = 'ORGANIZATION' or m.role is not null)`,
      [tokenHash],
    );
    return rows[0] ? factsOf(rows[0]) : null;
  }

  /** The tokens of an organization, the newest first, ended ones too. */
  async list(organizationId: string): Promise<ApiToken[]> {
    return await this.#select('t.organization_id = $1', [uuidOf('org', organizationId)]);
  }

  /** A page of the same; without `withEnded` those in force. @param of only PERSONAL tokens of a user, or one token */
  async listFor(
    organizationId: string,
    { withEnded, of }: { withEnded: boolean; of: { userId?: string; tokenId?: string } | null },
  ): Promise<ApiToken[]> {
    return await this.#select(
      `t.organization_id = $1 and ($2 or ${isInForceSql})
       and ($3::uuid is null or t.user_id = $3) and ($4::uuid is null or t.token_id = $4)`,
      [
        uuidOf('org', organizationId),
        withEnded,
        of?.userId === undefined ? null : uuidOf('usr', of.userId),
        of?.tokenId === undefined ? null : uuidOf('tok', of.tokenId),
      ],
    );
  }

  /** A token of an organization, locked until the transaction ends. @returns null for none of this organization */
  async lockById(organizationId: string, tokenId: string): Promise<ApiToken | null> {
    const parameters = [uuidOf('org', organizationId), uuidOf('tok', tokenId)];
    await this.sql.query(
      `select from api_token where organization_id = $1 and token_id = $2 for no key update`,
      parameters,
    );
    return (await this.#select('t.organization_id = $1 and t.token_id = $2', parameters))[0] ?? null;
  }

  /** Numbers of tokens in force: of an organization, and PERSONAL ones of one of its members. */
  async countInForce(organizationId: string, userId: string | null): Promise<{ all: number; personal: number }> {
    const rows: { all: number; personal: number }[] = await this.sql.query(
      `select count(*)::int as all, (count(*) filter (where t.user_id = $2))::int as personal from api_token t
       where t.organization_id = $1 and ${isInForceSql}`,
      [uuidOf('org', organizationId), userId === null ? null : uuidOf('usr', userId)],
    );
    return rows[0]!;
  }

  async update(
    tokenId: string,
    change: {
      name?: string | undefined;
      scopes?: readonly Scope[] | undefined;
      toolsets?: readonly string[] | undefined;
      expiresAt?: string | undefined;
    },
  ): Promise<void> {
    await this.sql.query(
      `update api_token set name = coalesce($2, name), scopes = coalesce($3, scopes), toolsets = coalesce($4, toolsets),
         expires_at = coalesce($5, expires_at) where token_id = $1`,
      [
        uuidOf('tok', tokenId),
        change.name ?? null,
        change.scopes ?? null,
        change.toolsets ?? null,
        change.expiresAt ?? null,
      ],
    );
  }

  /**
   * Replaces a token's secret; the former one works until `oldEndsAt`.
   * @param userId the user who gets the new secret; null where no user does
   */
  async updateSecret(
    tokenId: string,
    { hash, lastFour }: { hash: string; lastFour: string },
    { oldEndsAt, userId }: { oldEndsAt: Date; userId: string | null },
  ): Promise<void> {
    await this.sql.query(
      `with former as (
         insert into former_token_secret (token_hash, token_id, ends_at)
         select token_hash, token_id, $4 from api_token where token_id = $1)
       update api_token set token_hash = $2, last_four = $3,
         rotated_by = case when $5::uuid is null or $5 = any(rotated_by) then rotated_by else rotated_by || $5::uuid end
       where token_id = $1`,
      [uuidOf('tok', tokenId), hash, lastFour, oldEndsAt, userId === null ? null : uuidOf('usr', userId)],
    );
  }

  async listHashes(tokenId: string): Promise<string[]> {
    const rows: { token_hash: string }[] = await this.sql.query(
      `select token_hash from api_token where token_id = $1
       union all select token_hash from former_token_secret where token_id = $1`,
      [uuidOf('tok', tokenId)],
    );
    return rows.map(({ token_hash }) => token_hash);
  }

  /** Revokes a token; one that is revoked keeps its instant. */
  async updateRevoked(tokenId: string): Promise<ApiToken> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update api_token set revoked_at = coalesce(revoked_at, clock_timestamp()) where token_id = $1 returning 1`,
      [uuidOf('tok', tokenId)],
    );
    if (!rows[0]) throw new ToolError('TOKEN_NOT_FOUND', { id: tokenId });
    return (await this.#select('t.token_id = $1', [uuidOf('tok', tokenId)]))[0]!;
  }

  /** Revokes the PERSONAL tokens of a member. @returns how many were in force */
  async revokePersonal(organizationId: string, userId: string): Promise<number> {
    const [, revoked] = await this.sql.query<[unknown[], number]>(
      `update api_token t set revoked_at = clock_timestamp()
       where t.organization_id = $1 and t.user_id = $2 and ${isInForceSql}`,
      [uuidOf('org', organizationId), uuidOf('usr', userId)],
    );
    return revoked;
  }

  /** Whether a token is in force; a PERSONAL one also needs a member who may ask. */
  async isInForce(tokenId: string): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `select from api_token t where t.token_id = $1 and ${isInForceSql} and (t.kind = 'ORGANIZATION' or exists (
         select from membership m where m.organization_id = t.organization_id and m.user_id = t.user_id
           and m.role <> 'viewer'))`,
      [uuidOf('tok', tokenId)],
    );
    return rows.length > 0;
  }

  /** Whether a user made a token or rotated it, and so had its secret. */
  async hadSecret(tokenId: string, userId: string): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `select from api_token where token_id = $1 and (created_by = $2 or $2 = any(rotated_by))`,
      [uuidOf('tok', tokenId), uuidOf('usr', userId)],
    );
    return rows.length > 0;
  }

  /**
   * Tokens in force whose makers must hear of the end: a week before, and a day before, unless they live no longer than
   * that.
   */
  async listEnding(): Promise<EndingToken[]> {
    const rows: { token_id: string; name: string; email: string; expires_at: Date; notice: 1 | 2 }[] =
      await this.sql.query(
        `select t.token_id, t.name, u.email, t.expires_at, n.notice
         from api_token t join membership m on m.organization_id = t.organization_id and m.user_id = t.created_by
           join user_account u on u.user_id = t.created_by
           cross join (values (2, interval '1 day'), (1, interval '7 days')) n(notice, ahead)
         where t.revoked_at is null and t.expires_at > clock_timestamp()
           and t.expires_at <= clock_timestamp() + n.ahead and t.end_notices < n.notice
           and t.token_id < uuid_floor(t.expires_at - n.ahead)
           and (n.notice = 2 or t.expires_at > clock_timestamp() + interval '1 day')
         order by t.expires_at limit 500`,
      );
    return rows.map((row) => ({
      id: wireId('tok', row.token_id),
      name: row.name,
      email: row.email,
      expiresAt: row.expires_at,
      notice: row.notice,
    }));
  }

  async updateNotified(tokenId: string, notice: number): Promise<void> {
    await this.sql.query(`update api_token set end_notices = greatest(end_notices, $2) where token_id = $1`, [
      uuidOf('tok', tokenId),
      notice,
    ]);
  }

  async deleteFormerSecrets(): Promise<number> {
    const [, gone] = await this.sql.query<[unknown[], number]>(
      `delete from former_token_secret where token_hash in (
         select token_hash from former_token_secret where ends_at < clock_timestamp() limit 1000)`,
    );
    return gone;
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

  async #select(condition: string, parameters: unknown[]): Promise<ApiToken[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from api_token t where ${condition} order by t.token_id desc`,
      parameters,
    );
    return rows.map(tokenOf);
  }
}

/** With the policy ALL, and where the role of its member asks, calls of scope `send` become approvals. */
function factsOf(row: Row & FactsRow): TokenFacts {
  const rights = row.role && rightsOf[row.role];
  const asks = (rights?.asks ?? false) || row.approvals === 'ALL';
  return {
    tokenId: wireId('tok', row.token_id),
    organizationId: wireId('org', row.organization_id),
    scopes: rights ? row.scopes.filter((scope) => mayHold(rights, scope)) : row.scopes,
    selfConfirm: row.self_confirm,
    ...(asks && { asks }),
    ...(row.user_id !== null && { userId: wireId('usr', row.user_id) }),
    ...(row.toolsets && { toolsets: row.toolsets }),
    expiresAt: instant(row.expires_at),
    plan: row.plan,
    ratePerMinute: ratePerMinuteOf(row.plan, row.rate_per_minute),
    quotas: quotasOf(row.quotas),
    cell: row.cell,
  };
}

/** Whether the rights of a role cover a scope of a token; `send` also where the role asks. */
export const mayHold = ({ scopes, asks }: (typeof rightsOf)[Role], scope: Scope): boolean =>
  scopes.includes(scope) || (scope === 'send' && asks);
