import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { StoredApproval } from './approval.js';

/** How a user gets mail about approvals: one each, a digest an hour, or none. */
export type ApprovalMail = 'EACH' | 'HOURLY' | 'NEVER';

export interface DueNotice {
  organizationId: string;
  organizationNumber: number;
  userId: string;
  email: string;
  /** When it was due; names the mail, so that a repeated attempt sends it once. */
  dueAt: Date;
  approvalIds: string[];
}

const retryMinutes = 1;
const atOnce = 100;

export class ApprovalNoticeRepository {
  constructor(private readonly sql: Sql) {}

  /** Notes a mail to each approver of the organization but the asker, at the time that the user chose. */
  async insert({ id, organizationId, asker, askedAt }: StoredApproval): Promise<void> {
    await this.sql.query(
      `insert into approval_notice (organization_id, approval_id, user_id, due_at, next_at)
       select m.organization_id, $2, m.user_id, t.due_at, t.due_at from membership m join user_account u using (user_id),
         lateral (select case when u.approval_mail = 'HOURLY' then date_trunc('hour', $4::timestamptz) + interval '1 hour'
           else $4::timestamptz end as due_at) t
       where m.organization_id = $1 and m.role in ('approver', 'admin', 'owner') and u.approval_mail <> 'NEVER'
         and m.user_id is distinct from $3`,
      [
        uuidOf('org', organizationId),
        uuidOf('apr', id),
        asker.kind === 'USER' ? uuidOf('usr', asker.id) : null,
        askedAt,
      ],
    );
  }

  /** Forgets mails about approvals that were decided or are over, and those to users who are no approvers any more. */
  async deleteOver(): Promise<void> {
    await this.sql.query(
      `delete from approval_notice n where next_at <= clock_timestamp() and (
         not exists (select from approval a where a.approval_id = n.approval_id and a.state = 'PENDING'
           and a.expires_at > clock_timestamp())
         or not exists (select from membership m where m.organization_id = n.organization_id and m.user_id = n.user_id
           and m.role in ('approver', 'admin', 'owner')))`,
    );
  }

  /** Claims mails that are due until their next attempt; a digest is one, of others, each approval is its own. */
  async claim(): Promise<DueNotice[]> {
    const [rows]: [
      {
        organization_id: string;
        number: number;
        user_id: string;
        email: string;
        approval_mail: ApprovalMail;
        due_at: Date;
        approval_id: string;
      }[],
    ] = await this.sql.query(
      `with due as materialized (
         select organization_id, approval_id, user_id from approval_notice where next_at <= clock_timestamp()
         order by next_at limit $1 for update skip locked)
       update approval_notice n set next_at = clock_timestamp() + make_interval(mins => $2)
       from due d, organization o, user_account u
       where n.organization_id = d.organization_id and n.approval_id = d.approval_id and n.user_id = d.user_id
         and o.organization_id = n.organization_id and u.user_id = n.user_id
       returning n.organization_id, o.number, n.user_id, u.email, u.approval_mail, n.due_at, n.approval_id`,
      [atOnce, retryMinutes],
    );
    const notices = new Map<string, DueNotice>();
    for (const row of rows.sort((a, b) => (a.approval_id < b.approval_id ? -1 : 1))) {
      const which = row.approval_mail === 'HOURLY' ? row.due_at.toISOString() : row.approval_id;
      const key = `${row.user_id} ${row.organization_id} ${which}`;
      const notice = notices.get(key) ?? {
        organizationId: wireId('org', row.organization_id),
        organizationNumber: row.number,
        userId: wireId('usr', row.user_id),
        email: row.email,
        dueAt: row.due_at,
        approvalIds: [],
      };
      notice.approvalIds.push(wireId('apr', row.approval_id));
      notices.set(key, notice);
    }
    return [...notices.values()];
  }

  async delete({ userId, organizationId, approvalIds }: DueNotice): Promise<void> {
    await this.sql.query(
      `delete from approval_notice where user_id = $1 and organization_id = $2 and approval_id = any($3)`,
      [uuidOf('usr', userId), uuidOf('org', organizationId), approvalIds.map((id) => uuidOf('apr', id))],
    );
  }
}
