import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import type { DomainStatus, VerificationState } from '../dns/verification-state.js';
import { untouched } from '../dns/record-check.js';
import type { RecordCheck } from '../dns/record-check.js';
import type { WebDomain } from './web-domain.js';

interface Row {
  organization_id: string;
  web_domain_id: string;
  hostname: string;
  status: DomainStatus;
  checks: { CNAME?: RecordCheck };
  checked_at: Date | null;
  failing_since: Date | null;
  verified_at: Date | null;
}
const columns = 'organization_id, web_domain_id, hostname, status, checks, checked_at, failing_since, verified_at';

const webDomainOf = (row: Row): WebDomain => ({
  id: wireId('wdom', row.web_domain_id),
  organizationId: wireId('org', row.organization_id),
  hostname: row.hostname,
  status: row.status,
  check: row.checks.CNAME ?? untouched,
  checkedAt: row.checked_at,
  failingSince: row.failing_since,
  verifiedAt: row.verified_at,
  createdAt: createdAtOf(row.web_domain_id),
});

export class WebDomainRepository {
  constructor(private readonly sql: Sql) {}

  /** Another organization may not have the host name either. */
  async insert(organizationId: string, hostname: string): Promise<WebDomain> {
    const rows: Row[] = await this.sql.query(
      `insert into web_domain (organization_id, web_domain_id, hostname, next_check_at)
       values ($1, $2, $3, clock_timestamp() + interval '10 minutes')
       on conflict (hostname) do nothing returning ${columns}`,
      [uuidOf('org', organizationId), newUuid(), hostname],
    );
    if (rows[0]) return webDomainOf(rows[0]);
    const webDomainId = (await this.#find(organizationId, hostname))?.id ?? null;
    throw new ToolError('WEB_DOMAIN_EXISTS', { hostname, webDomainId });
  }

  async list(organizationId: string): Promise<WebDomain[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from web_domain where organization_id = $1 order by web_domain_id`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(webDomainOf);
  }

  /** The oldest VERIFIED host name of an organization. @returns null when it has none */
  async findLinkHost(organizationId: string): Promise<string | null> {
    const rows: { hostname: string }[] = await this.sql.query(
      `select hostname from web_domain where organization_id = $1 and status = 'VERIFIED' order by web_domain_id limit 1`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]?.hostname ?? null;
  }

  /** @param name an id, or a host name in lower-case ASCII */
  async get(organizationId: string, name: string): Promise<WebDomain> {
    const found = await this.#find(organizationId, name);
    if (!found) throw new ToolError('WEB_DOMAIN_NOT_FOUND', { id: name, by: 'id or host name' });
    return found;
  }

  async #find(organizationId: string, name: string): Promise<WebDomain | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from web_domain where organization_id = $1 and (web_domain_id = $2 or hostname = $3)`,
      [uuidOf('org', organizationId), uuidOf('wdom', name), name],
    );
    return rows[0] ? webDomainOf(rows[0]) : null;
  }

  /** Stores the result of a check, unless another check came first. */
  async updateChecked(
    { organizationId, id, checkedAt: seen }: WebDomain,
    {
      proof,
      check,
      checkedAt,
      nextCheckAt,
    }: { proof: VerificationState; check: RecordCheck; checkedAt: Date; nextCheckAt: Date },
  ): Promise<void> {
    await this.sql.query(
      `update web_domain set status = $3, checks = $4, checked_at = $5, failing_since = $6, verified_at = $7, next_check_at = $8
       where organization_id = $1 and web_domain_id = $2 and checked_at is not distinct from $9`,
      [
        ...[uuidOf('org', organizationId), uuidOf('wdom', id), proof.status, { CNAME: check }, checkedAt],
        ...[proof.failingSince, proof.verifiedAt, nextCheckAt, seen],
      ],
    );
  }

  async delete(organizationId: string, webDomainId: string): Promise<void> {
    await this.sql.query(`delete from web_domain where organization_id = $1 and web_domain_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('wdom', webDomainId),
    ]);
  }

  /** Claims web domains whose check is due; if a process dies during a check, it is due again in ten minutes. */
  async claimDue(limit: number): Promise<{ organizationId: string; domainId: string }[]> {
    const [rows]: [{ organization_id: string; web_domain_id: string }[]] = await this.sql.query(
      `update web_domain d set next_check_at = clock_timestamp() + interval '10 minutes'
       from (select web_domain_id from web_domain where next_check_at <= clock_timestamp()
             order by next_check_at limit $1 for no key update skip locked) due
       where d.web_domain_id = due.web_domain_id returning d.organization_id, d.web_domain_id`,
      [limit],
    );
    return rows.map((row) => ({
      organizationId: wireId('org', row.organization_id),
      domainId: wireId('wdom', row.web_domain_id),
    }));
  }
}
