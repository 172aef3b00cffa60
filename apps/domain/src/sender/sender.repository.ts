import type { SenderFacts } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import type { StoredSender } from './sender.js';

interface Row {
  sender_id: string;
  display_name: string;
  local_part: string;
  reply_to: string | null;
  is_default: boolean;
  domain_id: string;
  domain: string;
  status: SenderFacts['domainStatus'];
  mail_from_domain: string | null;
}
const columns = `s.sender_id, s.display_name, s.local_part, s.reply_to, s.is_default, domain_id, d.domain, d.status,
  case when d.mail_from_status = 'VERIFIED' then d.mail_from_domain end as mail_from_domain`;

const senderOf = (row: Row): StoredSender => ({
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

interface NewSender {
  domainId: string;
  displayName: string;
  localPart: string;
  replyTo?: string | null;
}

export class SenderRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * A sender becomes the default when the organization has none, or has one of its sandbox while this one is on a
   * domain of its own.
   */
  async insert(
    organizationId: string,
    { domainId, displayName, localPart, replyTo = null }: NewSender,
  ): Promise<StoredSender> {
    const [org, dom] = [uuidOf('org', organizationId), uuidOf('dom', domainId)];
    await this.sql.query(
      `update sender s set is_default = false from sending_domain own, sending_domain d
       where s.organization_id = $1 and s.is_default and d.sandbox and not own.sandbox
         and (d.organization_id, d.domain_id) = (s.organization_id, s.domain_id)
         and (own.organization_id, own.domain_id) = ($1, $2)
         and not exists (select from sender where organization_id = $1 and domain_id = $2 and lower(local_part) = lower($3))`,
      [org, dom, localPart],
    );
    const rows: Row[] = await this.sql.query(
      `with s as (insert into sender (organization_id, sender_id, domain_id, display_name, local_part, reply_to, is_default)
         values ($1, $2, $3, $4, $5, $6, not exists (select from sender where organization_id = $1 and is_default))
         on conflict (organization_id, domain_id, lower(local_part)) do nothing returning *)
       select ${columns} from s join sending_domain d using (organization_id, domain_id)`,
      [org, newUuid(), dom, displayName, localPart, replyTo],
    );
    if (!rows[0]) throw await this.#exists(org, dom, localPart);
    return senderOf(rows[0]);
  }

  async #exists(organization: string | null, domain: string | null, localPart: string): Promise<ToolError> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from sender s join sending_domain d using (organization_id, domain_id)
       where organization_id = $1 and domain_id = $2 and lower(s.local_part) = lower($3)`,
      [organization, domain, localPart],
    );
    const { email, id } = senderOf(rows[0]!);
    return new ToolError('SENDER_EXISTS', { email, senderId: id });
  }

  /**
   * The sender of system mail: the verified one with an address, else the sandbox's.
   * @param email empty for the sandbox's
   * @returns its id; null when there is none
   */
  async findSystem(organizationId: string, email: string): Promise<string | null> {
    const rows: { sender_id: string }[] = await this.sql.query(
      `select s.sender_id from sender s join sending_domain d using (organization_id, domain_id)
       where s.organization_id = $1 and d.status = 'VERIFIED'
         and (d.sandbox or lower(s.local_part || '@' || d.domain) = lower($2))
       order by d.sandbox, s.sender_id limit 1`,
      [uuidOf('org', organizationId), email],
    );
    return rows[0] ? wireId('snd', rows[0].sender_id) : null;
  }

  /** Makes a sender the default of its organization. @returns null when there is no such sender */
  async updateDefault(senderId: string): Promise<StoredSender | null> {
    const id = uuidOf('snd', senderId);
    await this.sql.query(
      `update sender set is_default = false
       where organization_id = (select organization_id from sender where sender_id = $1) and is_default`,
      [id],
    );
    const rows: Row[] = await this.sql.query(
      `with s as (update sender set is_default = true where sender_id = $1 returning *)
       select ${columns} from s join sending_domain d using (organization_id, domain_id)`,
      [id],
    );
    return rows[0] ? senderOf(rows[0]) : null;
  }

  /** All senders, the default one first, then by address. */
  async list(organizationId: string): Promise<StoredSender[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from sender s join sending_domain d using (organization_id, domain_id)
       where organization_id = $1 order by s.is_default desc, d.domain, lower(s.local_part)`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(senderOf);
  }

  async find(organizationId: string, senderId: string): Promise<StoredSender | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from sender s join sending_domain d using (organization_id, domain_id)
       where organization_id = $1 and sender_id = $2`,
      [uuidOf('org', organizationId), uuidOf('snd', senderId)],
    );
    return rows[0] ? senderOf(rows[0]) : null;
  }

  /** The default sender, else the one last used, else the oldest. @returns null when the organization has none */
  async findPreferred(organizationId: string): Promise<StoredSender | null> {
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

  async update(
    organizationId: string,
    senderId: string,
    { displayName, replyTo }: { displayName: string; replyTo: string | null },
  ): Promise<void> {
    await this.sql.query(
      `update sender set display_name = $3, reply_to = $4 where organization_id = $1 and sender_id = $2`,
      [uuidOf('org', organizationId), uuidOf('snd', senderId), displayName, replyTo],
    );
  }

  /** Deletes a sender; without a default, the preferred one of the others becomes the default. */
  async delete(organizationId: string, senderId: string): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('snd', senderId)];
    await this.sql.query(`delete from sender where organization_id = $1 and sender_id = $2`, key);
    await this.#ensureDefault(organizationId);
  }

  /** Deletes the senders of a domain; without a default, the preferred one of the others becomes the default. */
  async deleteOfDomain(organizationId: string, domainId: string): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('dom', domainId)];
    await this.sql.query(`delete from sender where organization_id = $1 and domain_id = $2`, key);
    await this.#ensureDefault(organizationId);
  }

  async #ensureDefault(organizationId: string): Promise<void> {
    const preferred = await this.findPreferred(organizationId);
    if (preferred && !preferred.isDefault) await this.updateDefault(preferred.id);
  }

  /** Renames sandbox senders that have the organization's old name. */
  async updateSandboxName(organizationId: string, from: string, to: string): Promise<void> {
    await this.sql.query(
      `update sender s set display_name = $3 from sending_domain d
       where s.organization_id = $1 and s.display_name = $2 and d.sandbox
         and (d.organization_id, d.domain_id) = (s.organization_id, s.domain_id)`,
      [uuidOf('org', organizationId), from, to],
    );
  }
}
