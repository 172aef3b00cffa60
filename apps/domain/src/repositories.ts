import type { domainRequests, domainTools } from '#contracts';
import type { Sql } from '#database';
import type { Handlers } from '#tool-call';
import { ApprovalRepository } from './approval/approval.repository.js';
import { AuditRepository } from './audit/audit.repository.js';
import type { KeyWrap } from './dkim-key/dkim-key.js';
import { DkimKeyRepository } from './dkim-key/dkim-key.repository.js';
import { OrganizationRepository } from './organization/organization.repository.js';
import { PlanRepository } from './organization/plan.repository.js';
import { PermitRepository } from './rate-limit/permit.repository.js';
import { SenderRepository } from './sender/sender.repository.js';
import { SendingDomainRepository } from './sending-domain/sending-domain.repository.js';
import { TokenRepository } from './token/token.repository.js';
import { WebDomainRepository } from './web-domain/web-domain.repository.js';

/** All repositories of the service on one connection or transaction. */
export const repositoriesOn = (sql: Sql, wrap: KeyWrap) => ({
  organizations: new OrganizationRepository(sql),
  plans: new PlanRepository(sql),
  tokens: new TokenRepository(sql),
  domains: new SendingDomainRepository(sql),
  dkimKeys: new DkimKeyRepository(sql, wrap),
  senders: new SenderRepository(sql),
  permits: new PermitRepository(sql),
  webDomains: new WebDomainRepository(sql),
  approvals: new ApprovalRepository(sql),
  audit: new AuditRepository(sql),
});
export type Repositories = ReturnType<typeof repositoriesOn>;

/** Runs work in a transaction of its own, for calls that do something before or after it. */
export type InTransaction = <T>(work: (repositories: Repositories) => Promise<T>) => Promise<T>;

/** The handlers of some of the service's requests; together they make the whole set. */
export type RequestHandlers<K extends keyof (typeof domainRequests)['calls']> = Pick<
  Handlers<typeof domainRequests>,
  K
>;
/** The same of its tools. */
export type ToolHandlers<K extends keyof (typeof domainTools)['calls']> = Pick<Handlers<typeof domainTools>, K>;
