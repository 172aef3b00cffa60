import type { Role } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { hashSecret, makeLinkSecret } from '../session/one-time-link.repository.js';

const openDays = 7;

export interface Invitation {
  id: string;
  organizationId: string;
  email: string;
  emailKey: string;
  role: Role;
  invitedBy: string | null;
  expiresAt: string;
}

interface Row {
  invitation_id: string;
  organization_id: string;
  email: string;
  email_key: string;
  role: Role;
  invited_by: string | null;
  expires_at: Date;
}
const columns = `invitation_id, organization_id, email, email_key, role,
  (select name from user_account where user_id = invited_by) as invited_by, expires_at`;

const invitationOf = (row: Row): Invitation => ({
  id: wireId('inv', row.invitation_id),
  organizationId: wireId('org', row.organization_id),
  email: row.email,
  emailKey: row.email_key,
  role: row.role,
  invitedBy: row.invited_by,
  expiresAt: row.expires_at.toISOString(),
});

/** Open invitations; accepting or revoking one deletes it. */
export class InvitationRepository {
  constructor(private readonly sql: Sql) {}

  /** Invites an address; inviting it again renews the invitation under another secret. */
  async upsert(
    organizationId: string,
    invited: { email: string; emailKey: string; role: Role; invitedBy: string | null },
  ): Promise<{ invitation: Invitation; secret: string }> {
    const secret = makeLinkSecret();
    const rows: Row[] = await this.sql.query(
      `insert into invitation (organization_id, invitation_id, email, email_key, role, token_hash, invited_by, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + interval '${openDays} days')
       on conflict (organization_id, email_key) do update set email = excluded.email, role = excluded.role,
         token_hash = excluded.token_hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at
       returning ${columns}`,
      [
        uuidOf('org', organizationId),
        newUuid(),
        invited.email,
        invited.emailKey,
        invited.role,
        hashSecret(secret),
        invited.invitedBy === null ? null : uuidOf('usr', invited.invitedBy),
      ],
    );
    return { invitation: invitationOf(rows[0]!), secret };
  }

  async list(organizationId: string): Promise<Invitation[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from invitation where organization_id = $1 and expires_at > clock_timestamp()
       order by expires_at desc, invitation_id`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(invitationOf);
  }

  /** The open invitation of a link, locked until the transaction ends. */
  async findBySecret(secret: string): Promise<Invitation | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from invitation where token_hash = $1 and expires_at > clock_timestamp() for update`,
      [hashSecret(secret)],
    );
    return rows[0] ? invitationOf(rows[0]) : null;
  }

  /** The open invitations of an address in all organizations, in one order, so that those who accept lock in turn. */
  async listOfAddress(emailKey: string): Promise<Invitation[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from invitation where email_key = $1 and expires_at > clock_timestamp()
       order by organization_id`,
      [emailKey],
    );
    return rows.map(invitationOf);
  }

  /** @returns null for none of this organization */
  async delete(organizationId: string, invitationId: string): Promise<Invitation | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `delete from invitation where organization_id = $1 and invitation_id = $2 returning ${columns}`,
      [uuidOf('org', organizationId), uuidOf('inv', invitationId)],
    );
    return rows[0] ? invitationOf(rows[0]) : null;
  }

  async deleteExpired(): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(
      `delete from invitation where (organization_id, email_key) in (
         select organization_id, email_key from invitation where expires_at < clock_timestamp() limit 1000) returning 1`,
    );
    return rows.length;
  }
}
