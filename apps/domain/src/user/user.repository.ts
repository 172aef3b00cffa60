import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { ApprovalMail } from '../approval/approval-notice.repository.js';

export interface User {
  id: string;
  email: string;
  name: string;
  locale: string | null;
  timezone: string | null;
  operator: boolean;
  passwordHash: string;
  approvalMail: ApprovalMail;
}

interface Row {
  user_id: string;
  email: string;
  name: string;
  locale: string | null;
  timezone: string | null;
  operator: boolean;
  password_hash: string;
  approval_mail: ApprovalMail;
}
const columns = 'user_id, email, name, locale, timezone, operator, password_hash, approval_mail';

const userOf = (row: Row): User => ({
  id: wireId('usr', row.user_id),
  email: row.email,
  name: row.name,
  locale: row.locale,
  timezone: row.timezone,
  operator: row.operator,
  passwordHash: row.password_hash,
  approvalMail: row.approval_mail,
});

const columnOf = {
  name: 'name',
  locale: 'locale',
  timezone: 'timezone',
  operator: 'operator',
  passwordHash: 'password_hash',
  approvalMail: 'approval_mail',
} as const;
export type UserChange = Partial<Pick<User, keyof typeof columnOf>>;

/** Users of the installation; an address belongs to one of them, without case. */
export class UserRepository {
  constructor(private readonly sql: Sql) {}

  /** @returns null when the address belongs to a user already */
  async insert(
    user: Omit<User, 'id' | 'locale' | 'timezone' | 'approvalMail'> & { emailKey: string },
  ): Promise<User | null> {
    const id = newUuid();
    const rows: Row[] = await this.sql.query(
      `insert into user_account (user_id, email, email_key, name, password_hash, operator, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (email_key) do nothing returning ${columns}`,
      [id, user.email, user.emailKey, user.name, user.passwordHash, user.operator, createdAtOf(id)],
    );
    return rows[0] ? userOf(rows[0]) : null;
  }

  async findByEmail(emailKey: string): Promise<User | null> {
    const rows: Row[] = await this.sql.query(`select ${columns} from user_account where email_key = $1`, [emailKey]);
    return rows[0] ? userOf(rows[0]) : null;
  }

  async findById(userId: string): Promise<User | null> {
    const rows: Row[] = await this.sql.query(`select ${columns} from user_account where user_id = $1`, [
      uuidOf('usr', userId),
    ]);
    return rows[0] ? userOf(rows[0]) : null;
  }

  async update(userId: string, change: UserChange): Promise<void> {
    const keys = (Object.keys(columnOf) as (keyof typeof columnOf)[]).filter((key) => change[key] !== undefined);
    if (keys.length === 0) return;
    await this.sql.query(
      `update user_account set ${keys.map((key, i) => `${columnOf[key]} = $${i + 2}`).join(', ')},
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond') where user_id = $1`,
      [uuidOf('usr', userId), ...keys.map((key) => change[key])],
    );
  }

  /** @returns false when the address belongs to another user */
  async updateEmail(userId: string, email: string, emailKey: string): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update user_account set email = $2, email_key = $3, updated_at = clock_timestamp() where user_id = $1
         and not exists (select from user_account where email_key = $3 and user_id <> $1) returning 1`,
      [uuidOf('usr', userId), email, emailKey],
    );
    return rows.length > 0;
  }

  /** Serializes the creation of the first user until the transaction ends. @returns the number of users */
  async countLocked(): Promise<number> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('first user', 0))`);
    return await this.count();
  }

  async count(): Promise<number> {
    const rows: { users: number }[] = await this.sql.query(`select count(*)::int as users from user_account`);
    return rows[0]!.users;
  }

  /** Deletes some users who have had no membership for 30 days; operators stay. @returns how many */
  async deleteAbandoned(): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(
      `with gone as (
         select user_id from user_account u where not operator and updated_at < clock_timestamp() - interval '30 days'
           and not exists (select from membership m where m.user_id = u.user_id) limit 1000 for update skip locked),
       sessions as (delete from session where user_id in (select user_id from gone))
       delete from user_account where user_id in (select user_id from gone) returning 1`,
    );
    return rows.length;
  }
}
