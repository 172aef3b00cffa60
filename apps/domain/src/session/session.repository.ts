import type { Quotas, Role, SessionFacts } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { quotasOf } from '../organization/organization.js';
import type { ApprovalMail } from '../approval/approval-notice.repository.js';

/** A session ends after 7 days without use, and 30 days after it began. */
const idleDays = 7;
const lifeDays = 30;
const sessionsMax = 20;
const dayMs = 86_400_000;

const isLiveSql = `last_used_at > clock_timestamp() - interval '${idleDays} days'
  and session_id > uuid_floor(clock_timestamp() - interval '${lifeDays} days')`;

export interface SessionClient {
  browser: string | null;
  ip: string;
}

interface Row {
  session_id: string;
  user_id: string;
  email: string;
  name: string;
  locale: string | null;
  timezone: string | null;
  operator: boolean;
  approval_mail: ApprovalMail;
  second_factor: boolean;
  signed_in_at: Date;
  last_used_at: Date;
  memberships: {
    organization_id: string;
    number: number;
    name: string;
    role: Role;
    plan: SessionFacts['memberships'][number]['plan'];
    approvals: 'AGENTS' | 'ALL';
    require_second_factor: boolean;
    quotas: Partial<Quotas>;
    cell: string | null;
  }[];
}

const sessionOf = (row: Row): SessionFacts => ({
  sessionId: wireId('ses', row.session_id),
  user: {
    id: wireId('usr', row.user_id),
    email: row.email,
    name: row.name,
    locale: row.locale,
    timezone: row.timezone,
    operator: row.operator,
    approvalMail: row.approval_mail,
    secondFactor: row.second_factor,
  },
  signedInAt: row.signed_in_at.toISOString(),
  expiresAt: new Date(
    Math.min(createdAtOf(row.session_id).getTime() + lifeDays * dayMs, row.last_used_at.getTime() + idleDays * dayMs),
  ).toISOString(),
  memberships: row.memberships.map(({ organization_id, quotas, require_second_factor, ...membership }) => ({
    ...membership,
    requireSecondFactor: require_second_factor,
    organizationId: wireId('org', organization_id),
    quotas: quotasOf(quotas),
  })),
});

/** Sessions of users; only hashes of their secrets are stored, and an ended session has no row. */
export class SessionRepository {
  constructor(private readonly sql: Sql) {}

  /** @returns null for an unknown or expired session */
  async findByHash(secretHash: string): Promise<SessionFacts | null> {
    const rows: Row[] = await this.sql.query(
      `select s.session_id, s.user_id, u.email, u.name, u.locale, u.timezone, u.operator, u.approval_mail, s.signed_in_at, s.last_used_at,
         exists (select from second_factor f where f.user_id = s.user_id) as second_factor,
         (select coalesce(jsonb_agg(jsonb_build_object('organization_id', o.organization_id, 'number', o.number,
             'name', o.name, 'role', m.role, 'plan', o.plan, 'approvals', o.approvals, 'require_second_factor', o.require_second_factor, 'cell', o.cell, 'quotas', p.quotas || o.quotas) order by o.number), '[]')
          from membership m join organization o using (organization_id) join plan p using (plan)
          where m.user_id = s.user_id) as memberships
       from session s join user_account u using (user_id) where s.secret_hash = $1 and ${isLiveSql}`,
      [secretHash],
    );
    return rows[0] ? sessionOf(rows[0]) : null;
  }

  /** Of more than 20 of a user, those that were idle longest end. @returns the ids of those */
  async insert(userId: string, secretHash: string, { browser, ip }: SessionClient): Promise<string[]> {
    await this.sql.query(
      `insert into session (session_id, user_id, secret_hash, browser, ip, signed_in_at, last_used_at)
       values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp())`,
      [newUuid(), uuidOf('usr', userId), secretHash, browser, ip],
    );
    return await this.#deleted(
      `session_id in (select session_id from session where user_id = $1 order by last_used_at desc offset ${sessionsMax})`,
      [uuidOf('usr', userId)],
    );
  }

  /** Gives a session another secret, and counts it as just signed in. */
  async updateSecret(sessionId: string, secretHash: string): Promise<void> {
    await this.sql.query(
      `update session set secret_hash = $2, signed_in_at = clock_timestamp(), last_used_at = clock_timestamp()
       where session_id = $1`,
      [uuidOf('ses', sessionId), secretHash],
    );
  }

  /** Sessions of a user in force, the last used first. */
  async listOfUser(
    userId: string,
  ): Promise<{ id: string; browser: string | null; ip: string | null; createdAt: string; lastUsedAt: string }[]> {
    const rows: { session_id: string; browser: string | null; ip: string | null; last_used_at: Date }[] =
      await this.sql.query(
        `select session_id, browser, ip, last_used_at from session where user_id = $1 and ${isLiveSql}
         order by last_used_at desc`,
        [uuidOf('usr', userId)],
      );
    return rows.map((row) => ({
      id: wireId('ses', row.session_id),
      browser: row.browser,
      ip: row.ip,
      createdAt: createdAtOf(row.session_id).toISOString(),
      lastUsedAt: row.last_used_at.toISOString(),
    }));
  }

  /** Ends one session of a user. @returns ids of the ended sessions */
  async delete(userId: string, sessionId: string): Promise<string[]> {
    return await this.#deleted('user_id = $1 and session_id = $2', [uuidOf('usr', userId), uuidOf('ses', sessionId)]);
  }

  /** Ends all sessions of a user, but one if it is named. @returns ids of the ended sessions */
  async deleteOfUser(userId: string, except: string | null = null): Promise<string[]> {
    return await this.#deleted('user_id = $1 and session_id is distinct from $2::uuid', [
      uuidOf('usr', userId),
      except === null ? null : uuidOf('ses', except),
    ]);
  }

  /** Records that sessions were used just now; each is written at most once a minute over all processes. */
  async updateLastUsed(sessionIds: readonly string[]): Promise<void> {
    await this.sql.query(
      `with used as (
         update session s set last_used_at = clock_timestamp() from (
           select session_id from session where session_id = any($1)
             and last_used_at < clock_timestamp() - interval '1 minute' order by session_id for no key update) stale
         where s.session_id = stale.session_id returning user_id)
       update user_account set last_seen_at = clock_timestamp() where user_id in (select user_id from used)`,
      [sessionIds.map((id) => uuidOf('ses', id))],
    );
  }

  async deleteExpired(): Promise<number> {
    return (
      await this.#deleted(
        `session_id in (select session_id from session where last_used_at < clock_timestamp() - interval '${idleDays} days'
           or session_id < uuid_floor(clock_timestamp() - interval '${lifeDays} days') limit 1000)`,
        [],
      )
    ).length;
  }

  async #deleted(condition: string, parameters: unknown[]): Promise<string[]> {
    const [rows]: [{ session_id: string }[]] = await this.sql.query(
      `delete from session where ${condition} returning session_id`,
      parameters,
    );
    return rows.map(({ session_id }) => wireId('ses', session_id));
  }
}
