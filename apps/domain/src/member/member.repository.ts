import type { Role } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

export interface Member {
  id: string;
  email: string;
  name: string;
  role: Role;
  secondFactor: boolean;
  lastSeenAt: string | null;
}

interface Row {
  user_id: string;
  email: string;
  name: string;
  role: Role;
  second_factor: boolean;
  last_seen_at: Date | null;
}

const memberOf = (row: Row): Member => ({
  id: wireId('usr', row.user_id),
  email: row.email,
  name: row.name,
  role: row.role,
  secondFactor: row.second_factor,
  lastSeenAt: row.last_seen_at?.toISOString() ?? null,
});
const selected = `select m.user_id, u.email, u.name, m.role, u.last_seen_at,
  exists (select from second_factor f where f.user_id = m.user_id) as second_factor from membership m join user_account u using (user_id)`;

export class MemberRepository {
  constructor(private readonly sql: Sql) {}

  /** Serializes changes of an organization's members until the transaction ends. */
  async lock(organizationId: string): Promise<void> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`members ${organizationId}`]);
  }

  async insert(organizationId: string, userId: string, role: Role): Promise<boolean> {
    const rows: unknown[] = await this.sql.query(
      `insert into membership (organization_id, user_id, role, created_at) values ($1, $2, $3, clock_timestamp())
       on conflict do nothing returning 1`,
      [uuidOf('org', organizationId), uuidOf('usr', userId), role],
    );
    return rows.length > 0;
  }

  async list(organizationId: string): Promise<Member[]> {
    const rows: Row[] = await this.sql.query(
      `${selected} where m.organization_id = $1 order by lower(u.name), m.user_id`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(memberOf);
  }

  async find(organizationId: string, userId: string): Promise<Member | null> {
    const rows: Row[] = await this.sql.query(`${selected} where m.organization_id = $1 and m.user_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('usr', userId),
    ]);
    return rows[0] ? memberOf(rows[0]) : null;
  }

  async listOfUser(userId: string): Promise<{ id: string; number: number; name: string; role: Role }[]> {
    const rows: { organization_id: string; number: number; name: string; role: Role }[] = await this.sql.query(
      `select organization_id, o.number, o.name, m.role from membership m join organization o using (organization_id)
       where m.user_id = $1 order by o.number`,
      [uuidOf('usr', userId)],
    );
    return rows.map(({ organization_id, ...row }) => ({ id: wireId('org', organization_id), ...row }));
  }

  async count(organizationId: string): Promise<{ members: number; owners: number; approvers: number }> {
    const rows: { members: number; owners: number; approvers: number }[] = await this.sql.query(
      `select count(*)::int as members, (count(*) filter (where role = 'owner'))::int as owners,
         (count(*) filter (where role in ('approver', 'admin', 'owner')))::int as approvers
       from membership where organization_id = $1`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!;
  }

  async updateRole(organizationId: string, userId: string, role: Role): Promise<void> {
    await this.sql.query(`update membership set role = $3 where organization_id = $1 and user_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('usr', userId),
      role,
    ]);
  }

  /** The user's account is kept for 30 days after the last one. */
  async delete(organizationId: string, userId: string): Promise<void> {
    const parameters = [uuidOf('org', organizationId), uuidOf('usr', userId)];
    await this.sql.query(`delete from membership where organization_id = $1 and user_id = $2`, parameters);
    await this.sql.query(`update user_account set updated_at = clock_timestamp() where user_id = $1`, [parameters[1]]);
  }
}
