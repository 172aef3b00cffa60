import type { SenderFacts } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';

interface Row {
  sender_id: string;
  display_name: string;
  local_part: string;
  reply_to: string | null;
  is_default: boolean;
  domain_id: string;
  domain: string;
  status: SenderFacts['domainStatus'];
  mail_from_domain: string;
}
const columns =
  's.sender_id, s.display_name, s.local_part, s.reply_to, s.is_default, domain_id, d.domain, d.status, d.mail_from_domain';

const senderOf = (row: Row): SenderFacts => ({
  id: wireId('snd', row.sender_id),
  displayName: row.display_name,
  localPart: row.local_part,
  domain: row.domain,
  email: `${row.local_part}@${row.domain}`,
  replyTo: row.reply_to,
  isDefault: row.is_default,
  domainId: wireId('dom', row.domain_id),
  domainStatus: row.status,
  mailFromDomain: row.mail_from_domain,
});

export class SenderRepository {
  constructor(private readonly sql: Sql) {}

  /** Makes a sender; the first of an organization becomes its default. */
  async insert(
    organizationId: string,
    { domainId, displayName, localPart }: { domainId: string; displayName: string; localPart: string },
  ): Promise<SenderFacts> {
    const rows: Row[] = await this.sql.query(
      `with s as (insert into sender (organization_id, sender_id, domain_id, display_name, local_part, is_default)
         values ($1, $2, $3, $4, $5, not exists (select from sender where organization_id = $1 and is_default)) returning *)
       select ${columns} from s join sending_domain d using (organization_id, domain_id)`,
      [uuidOf('org', organizationId), newUuid(), uuidOf('dom', domainId), displayName, localPart],
    );
    return senderOf(rows[0]!);
  }

  /** All senders, the default one first, then by address. */
  async list(organizationId: string): Promise<SenderFacts[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from sender s join sending_domain d using (organization_id, domain_id)
       where organization_id = $1 order by s.is_default desc, d.domain, lower(s.local_part)`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(senderOf);
  }

  /** @returns null when the organization has no such sender */
  async find(organizationId: string, senderId: string): Promise<SenderFacts | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from sender s join sending_domain d using (organization_id, domain_id)
       where organization_id = $1 and sender_id = $2`,
      [uuidOf('org', organizationId), uuidOf('snd', senderId)],
    );
    return rows[0] ? senderOf(rows[0]) : null;
  }

  /** The default sender, else the one last used, else the oldest. @returns null when the organization has none */
  async findPreferred(organizationId: string): Promise<SenderFacts | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from sender s join sending_domain d using (organization_id, domain_id)
       where organization_id = $1 order by s.is_default desc, s.last_used_at desc nulls last, s.sender_id limit 1`,
      [uuidOf('org', organizationId)],
    );
    return rows[0] ? senderOf(rows[0]) : null;
  }

  /** Notes that mail is about to be sent with it. */
  async updateLastUsed(organizationId: string, senderId: string): Promise<void> {
    await this.sql.query(
      `update sender set last_used_at = clock_timestamp() where organization_id = $1 and sender_id = $2`,
      [uuidOf('org', organizationId), uuidOf('snd', senderId)],
    );
  }

  /** Lets sandbox senders that carry the organization's old name carry the new one; there is no other way to rename them. */
  async updateSandboxName(organizationId: string, from: string, to: string): Promise<void> {
    await this.sql.query(
      `update sender s set display_name = $3 from sending_domain d
       where s.organization_id = $1 and s.display_name = $2 and d.sandbox
         and (d.organization_id, d.domain_id) = (s.organization_id, s.domain_id)`,
      [uuidOf('org', organizationId), from, to],
    );
  }
}
