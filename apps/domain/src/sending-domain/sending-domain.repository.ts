import { randomBytes } from 'node:crypto';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { mailFromDomainOf } from './sending-domain.js';
import type { DomainStatus, SendingDomain } from './sending-domain.js';

interface Row {
  domain_id: string;
  domain: string;
  sandbox: boolean;
  status: DomainStatus;
  dkim_status: DomainStatus;
  mail_from_status: DomainStatus;
  mail_from_domain: string;
}
const columns = 'domain_id, domain, sandbox, status, dkim_status, mail_from_status, mail_from_domain';

const domainOf = (row: Row): SendingDomain => ({
  id: wireId('dom', row.domain_id),
  domain: row.domain,
  sandbox: row.sandbox,
  status: row.status,
  dkim: row.dkim_status,
  mailFrom: row.mail_from_status,
  mailFromDomain: row.mail_from_domain,
  createdAt: createdAtOf(row.domain_id).toISOString(),
});

export class SendingDomainRepository {
  constructor(private readonly sql: Sql) {}

  /** Makes a domain that needs no proof. */
  async insertSandbox(organizationId: string, domain: string): Promise<SendingDomain> {
    const rows: Row[] = await this.sql.query(
      `insert into sending_domain (organization_id, domain_id, domain, sandbox, status, dkim_status, mail_from_status,
         mail_from_domain, verification_token)
       values ($1, $2, $3, true, 'VERIFIED', 'VERIFIED', 'VERIFIED', $4, $5) returning ${columns}`,
      [uuidOf('org', organizationId), newUuid(), domain, mailFromDomainOf(domain), randomBytes(16).toString('hex')],
    );
    return domainOf(rows[0]!);
  }

  /** The domains of an organization, the oldest first. */
  async list(organizationId: string): Promise<SendingDomain[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from sending_domain where organization_id = $1 order by domain_id`,
      [uuidOf('org', organizationId)],
    );
    return rows.map(domainOf);
  }
}
