import { randomBytes } from 'node:crypto';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import type { DomainStatus, VerificationState } from '../dns/verification-state.js';
import type { RecordChecks } from './dns-record.js';
import { mailFromDomainOf } from './sending-domain.js';
import type { SendingDomain } from './sending-domain.js';

interface Row {
  organization_id: string;
  domain_id: string;
  domain: string;
  sandbox: boolean;
  status: DomainStatus;
  dkim_status: DomainStatus;
  mail_from_status: DomainStatus;
  mail_from_domain: string;
  verification_token: string;
  checks: RecordChecks;
  checked_at: Date | null;
  failing_since: Date | null;
  verified_at: Date | null;
  selector: string;
  public_key: string;
}
/** A domain with its newest key; only the public half is read. */
const select = `select d.organization_id, d.domain_id, domain, sandbox, status, dkim_status, mail_from_status,
    mail_from_domain, verification_token, checks, checked_at, failing_since, verified_at, k.selector, k.public_key
  from sending_domain d join lateral (
    select selector, public_key from dkim_key where (organization_id, domain_id) = (d.organization_id, d.domain_id)
    order by dkim_key_id desc limit 1) k on true`;

const domainOf = (row: Row): SendingDomain => ({
  id: wireId('dom', row.domain_id),
  organizationId: wireId('org', row.organization_id),
  domain: row.domain,
  sandbox: row.sandbox,
  status: row.status,
  dkim: row.dkim_status,
  mailFrom: row.mail_from_status,
  mailFromDomain: row.mail_from_domain,
  verificationToken: row.verification_token,
  selector: row.selector,
  publicKey: row.public_key,
  checks: row.checks,
  checkedAt: row.checked_at,
  failingSince: row.failing_since,
  verifiedAt: row.verified_at,
  createdAt: createdAtOf(row.domain_id),
});

export interface CheckedDomain extends VerificationState {
  dkim: DomainStatus;
  mailFrom: DomainStatus;
  checks: RecordChecks;
  checkedAt: Date;
  nextCheckAt: Date;
}

export class SendingDomainRepository {
  constructor(private readonly sql: Sql) {}

  /** Creates a domain that needs no proof, and is never checked; it can be read once it has a key. @returns its id */
  async insertSandbox(organizationId: string, domain: string): Promise<string> {
    return (await this.#insert(organizationId, { domain, sandbox: true, status: 'VERIFIED' }))!;
  }

  /** Creates an unverified domain. @returns its id; null when the organization has the domain already */
  async insert(organizationId: string, domain: string): Promise<string | null> {
    return await this.#insert(organizationId, { domain, sandbox: false, status: 'PENDING' });
  }

  /** Counts the domains but for the sandbox; no other transaction changes their number until this one ends. */
  async countLocked(organizationId: string): Promise<number> {
    await this.sql.query(`select from organization where organization_id = $1 for no key update`, [
      uuidOf('org', organizationId),
    ]);
    return await this.count(organizationId);
  }

  async count(organizationId: string): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from sending_domain where organization_id = $1 and not sandbox`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!.n;
  }

  async #insert(
    organizationId: string,
    { domain, sandbox, status }: Pick<SendingDomain, 'domain' | 'sandbox' | 'status'>,
  ): Promise<string | null> {
    const rows: { domain_id: string }[] = await this.sql.query(
      `insert into sending_domain (organization_id, domain_id, domain, sandbox, status, dkim_status, mail_from_status,
         mail_from_domain, verification_token, next_check_at)
       values ($1, $2, $3, $4, $5, $5, $5, $6, $7, case when not $4 then clock_timestamp() + interval '10 minutes' end)
       on conflict (organization_id, domain) do nothing returning domain_id`,
      [
        ...[uuidOf('org', organizationId), newUuid(), domain, sandbox, status],
        ...[mailFromDomainOf(domain), randomBytes(16).toString('hex')],
      ],
    );
    return rows[0] ? wireId('dom', rows[0].domain_id) : null;
  }

  async list(organizationId: string): Promise<SendingDomain[]> {
    const rows: Row[] = await this.sql.query(`${select} where d.organization_id = $1 order by d.domain_id`, [
      uuidOf('org', organizationId),
    ]);
    return rows.map(domainOf);
  }

  async get(organizationId: string, domainId: string): Promise<SendingDomain> {
    return await this.#one(`${select} where d.organization_id = $1 and d.domain_id = $2`, organizationId, domainId);
  }

  /** Locks the domain for the rest of the transaction. */
  async lock(organizationId: string, domainId: string): Promise<SendingDomain> {
    const where = `where d.organization_id = $1 and d.domain_id = $2 for no key update of d`;
    return await this.#one(`${select} ${where}`, organizationId, domainId);
  }

  async #one(statement: string, organizationId: string, domainId: string): Promise<SendingDomain> {
    const rows: Row[] = await this.sql.query(statement, [uuidOf('org', organizationId), uuidOf('dom', domainId)]);
    if (!rows[0]) throw new ToolError('DOMAIN_NOT_FOUND', { id: domainId });
    return domainOf(rows[0]);
  }

  async isTaken(organizationId: string, domain: string): Promise<boolean> {
    const rows: { taken: boolean }[] = await this.sql.query(
      `select exists (select from sending_domain where domain = $2 and status = 'VERIFIED' and organization_id <> $1) as taken`,
      [uuidOf('org', organizationId), domain],
    );
    return rows[0]!.taken;
  }

  /** Serializes checks of a domain's name by several organizations, until the end of the transaction. */
  async lockName(domain: string): Promise<void> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('sending domain ' || $1, 0))`, [domain]);
  }

  /** Stores the result of a check; no other organization may have the domain VERIFIED. */
  async updateChecked(organizationId: string, domainId: string, checked: CheckedDomain): Promise<void> {
    await this.sql.query(
      `update sending_domain set status = $3, dkim_status = $4, mail_from_status = $5, checks = $6, checked_at = $7,
         failing_since = $8, verified_at = $9, next_check_at = $10
       where organization_id = $1 and domain_id = $2`,
      [
        ...[uuidOf('org', organizationId), uuidOf('dom', domainId), checked.status, checked.dkim, checked.mailFrom],
        ...[checked.checks, checked.checkedAt, checked.failingSince, checked.verifiedAt, checked.nextCheckAt],
      ],
    );
  }

  /** Deletes a domain that has neither senders nor keys any more. */
  async delete(organizationId: string, domainId: string): Promise<void> {
    await this.sql.query(`delete from sending_domain where organization_id = $1 and domain_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('dom', domainId),
    ]);
  }

  /** Claims domains whose check is due; if a process dies during a check, it is due again in ten minutes. */
  async claimDue(limit: number): Promise<{ organizationId: string; domainId: string }[]> {
    const [rows]: [{ organization_id: string; domain_id: string }[]] = await this.sql.query(
      `update sending_domain d set next_check_at = clock_timestamp() + interval '10 minutes'
       from (select organization_id, domain_id from sending_domain where next_check_at <= clock_timestamp()
             order by next_check_at limit $1 for no key update skip locked) due
       where (d.organization_id, d.domain_id) = (due.organization_id, due.domain_id)
       returning d.organization_id, d.domain_id`,
      [limit],
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      domainId: wireId('dom', row.domain_id),
    }));
  }

  /** @param domain lower-case ASCII @returns null when the organization has no such domain */
  async findByName(organizationId: string, domain: string): Promise<SendingDomain | null> {
    const rows: Row[] = await this.sql.query(`${select} where d.organization_id = $1 and d.domain = $2`, [
      uuidOf('org', organizationId),
      domain,
    ]);
    return rows[0] ? domainOf(rows[0]) : null;
  }
}
