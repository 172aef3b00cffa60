import type { domainRequests, domainTools } from '#contracts';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import type { SecretBox } from '#link-token';
import type { Handlers } from '#tool-call';
import { RecoveryCodeRepository } from './factor/recovery-code.repository.js';
import { SecondFactorRepository } from './factor/second-factor.repository.js';
import { SignInTicketRepository } from './factor/sign-in-ticket.repository.js';
import { InvitationRepository } from './member/invitation.repository.js';
import { MemberRepository } from './member/member.repository.js';
import { OneTimeLinkRepository } from './session/one-time-link.repository.js';
import { SessionRepository } from './session/session.repository.js';
import { SignInCountRepository } from './session/sign-in-count.repository.js';
import { OidcIdentityRepository } from './user/oidc-identity.repository.js';
import { UserRepository } from './user/user.repository.js';
import { ApprovalNoticeRepository } from './approval/approval-notice.repository.js';
import { ApprovalRepository } from './approval/approval.repository.js';
import { AuditExportRepository } from './audit/audit-export.repository.js';
import { AuditRepository } from './audit/audit.repository.js';
import type { KeyWrap } from './dkim-key/dkim-key.js';
import { DkimKeyRepository } from './dkim-key/dkim-key.repository.js';
import { OrganizationRepository } from './organization/organization.repository.js';
import { PlanRepository } from './organization/plan.repository.js';
import { PermitRepository } from './rate-limit/permit.repository.js';
import { RetentionRepository } from './retention/retention.repository.js';
import { SenderRepository } from './sender/sender.repository.js';
import { SendingDomainRepository } from './sending-domain/sending-domain.repository.js';
import { TokenRepository } from './token/token.repository.js';
import { WebDomainRepository } from './web-domain/web-domain.repository.js';

export interface Seals {
  keys: KeyWrap;
  approvals: SecretBox;
  factors: SecretBox;
}

export const repositoriesOn = (sql: Sql, { keys, approvals, factors }: Seals) => ({
  organizations: new OrganizationRepository(sql),
  plans: new PlanRepository(sql),
  tokens: new TokenRepository(sql),
  domains: new SendingDomainRepository(sql),
  dkimKeys: new DkimKeyRepository(sql, keys),
  senders: new SenderRepository(sql),
  permits: new PermitRepository(sql),
  retention: new RetentionRepository(sql),
  webDomains: new WebDomainRepository(sql),
  approvals: new ApprovalRepository(sql, approvals),
  approvalNotices: new ApprovalNoticeRepository(sql),
  audit: new AuditRepository(sql),
  auditExports: new AuditExportRepository(sql),
  users: new UserRepository(sql),
  oidcIdentities: new OidcIdentityRepository(sql),
  members: new MemberRepository(sql),
  invitations: new InvitationRepository(sql),
  sessions: new SessionRepository(sql),
  links: new OneTimeLinkRepository(sql),
  factors: new SecondFactorRepository(sql, factors),
  recoveryCodes: new RecoveryCodeRepository(sql),
  signInTickets: new SignInTicketRepository(sql, factors),
  signInCounts: new SignInCountRepository(sql),
});
export type Repositories = ReturnType<typeof repositoriesOn>;

/** Runs work in a transaction of its own, for calls that do something before or after it. */
export type InTransaction = <T>(work: (repositories: Repositories, outbox: Outbox) => Promise<T>) => Promise<T>;

export type RequestHandlers<K extends keyof (typeof domainRequests)['calls']> = Pick<
  Handlers<typeof domainRequests>,
  K
>;
export type ToolHandlers<K extends keyof (typeof domainTools)['calls']> = Pick<Handlers<typeof domainTools>, K>;
