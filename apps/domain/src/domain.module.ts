import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import {
  accessTools,
  addressRequests,
  approvalTools,
  domainRequests,
  domainTools,
  memberTools,
  messageRequests,
} from '#contracts';
import {
  AttachPartitions1700000001195,
  CreateMasterKeyCheck1700000000950,
  CreateReplica1700000001200,
  AddLanePosition1700000001210,
  KeepLateEvents1700000000970,
  PlanOutbox1700000001230,
  HoldOutbox1700000001390,
  ToastOutbox1700000001540,
  RememberWholeRequests1700000000900,
  SharedTables1700000000000,
} from '#database';
import type { ServiceBus } from '#bus';
import type { Logger } from '#observability';
import { deriveKey, ExportTokens, SecretBox } from '#link-token';
import { isPublicHost } from '#public-fetch';
import { ServiceModule } from '#service-host';
import type { CallContext, ImplementationFactory, Job, ServiceDependencies, ServicePlan } from '#service-host';
import { implement } from '#tool-call';
import { CreateOrganization1700000000400 } from '../migrations/1700000000400-create-organization.js';
import { AddDomainChecks1700000000420 } from '../migrations/1700000000420-add-domain-checks.js';
import { AddApprovalAndAudit1700000000430 } from '../migrations/1700000000430-add-approval-and-audit.js';
import { AddQuotas1700000000440 } from '../migrations/1700000000440-add-quotas.js';
import { AddCell1700000000450 } from '../migrations/1700000000450-add-cell.js';
import { CreateBackup1700000000470 } from '../migrations/1700000000470-create-backup.js';
import { CreatePeople1700000000480 } from '../migrations/1700000000480-create-people.js';
import { AddAccess1700000000500 } from '../migrations/1700000000500-add-access.js';
import { NotifyApprovers1700000000520 } from '../migrations/1700000000520-notify-approvers.js';
import { KeepTokenRotators1700000000540 } from '../migrations/1700000000540-keep-token-rotators.js';
import { AddSecondFactors1700000000560 } from '../migrations/1700000000560-add-second-factors.js';
import { CreateRetentionPeriod1700000001220 } from '../migrations/1700000001220-create-retention-period.js';
import { CreateOidcIdentity1700000000570 } from '../migrations/1700000000570-create-oidc-identity.js';
import { mailApprovers } from './approval/approval-mail.job.js';
import { implementApprovalRequests } from './approval/approval.requests.js';
import { ApprovalService } from './approval/approval.service.js';
import { approvalToolHandlers } from './approval/approval.tools.js';
import { implementAuditRequests } from './audit/audit.requests.js';
import { auditToolHandlers } from './audit/audit.tools.js';
import { AddressVerificationService } from './address/address-verification.service.js';
import { hostsOf } from './config.js';
import type { DomainConfig } from './config.js';
import { checkMasterKey } from './dkim-key/master-key-check.job.js';
import { KeyWrap } from './dkim-key/dkim-key.js';
import { dkimKeyRequestHandlers } from './dkim-key/dkim-key.requests.js';
import { implementRetentionSettings, implementRetentionTools } from './retention/retention.tools.js';
import { implementDeadLetterTools } from './dead-letter/dead-letter.tools.js';
import { DnsClient } from './dns/dns.client.js';
import { recheckDue } from './dns/recheck.job.js';
import type { Due } from './dns/recheck.job.js';
import { implementFactorRequests } from './factor/factor.requests.js';
import { meToolHandlers } from './member/me.tools.js';
import { invitationToolHandlers, memberToolDescriptions, memberToolHandlers } from './member/member.tools.js';
import { BacklogRepository } from './metrics/backlog.repository.js';
import { observeBacklog } from './metrics/backlog.service.js';
import { bootstrap } from './organization/create-organization.service.js';
import { organizationRequestHandlers } from './organization/organization.requests.js';
import { implementOrganizationTools, organizationToolHandlers } from './organization/organization.tools.js';
import { permitRequestHandlers } from './rate-limit/permit.requests.js';
import { repositoriesOn } from './repositories.js';
import type { InTransaction, Repositories } from './repositories.js';
import { issueSetupLink } from './session/account-link.service.js';
import { peopleServices } from './session/people.service.js';
import { implementSessionRequests } from './session/session.requests.js';
import { SystemMailer } from './session/system-mailer.client.js';
import { senderRequestHandlers } from './sender/sender.requests.js';
import { senderToolHandlers } from './sender/sender.tools.js';
import { implementDomainManagementTools } from './sending-domain/domain-management.tools.js';
import { sendingDomainRequestHandlers } from './sending-domain/sending-domain.requests.js';
import { sendingDomainToolHandlers } from './sending-domain/sending-domain.tools.js';
import { verifySendingDomain } from './sending-domain/sending-domain-verification.service.js';
import type { VerificationDependencies } from './sending-domain/sending-domain-verification.service.js';
import { tokenNoticeJob } from './token/token-notice.job.js';
import { tokenRequestHandlers } from './token/token.requests.js';
import { tokenToolHandlers } from './token/token.tools.js';
import { UsedIds } from './used-ids.js';
import { PasswordHasher } from './user/password.js';
import { webDomainRequestHandlers } from './web-domain/web-domain.requests.js';
import { webDomainToolHandlers } from './web-domain/web-domain.tools.js';
import { verifyWebDomain } from './web-domain/web-domain-verification.service.js';

/** Milliseconds for the DNS lookups of an address: a user waits for them at a form. */
const addressLimitMs = 4_000;

type InTransactions = (context: Pick<CallContext, 'transaction'>) => InTransaction;

function sharedDependencies(config: DomainConfig) {
  const seals = {
    keys: new KeyWrap(config.MASTER_KEY),
    approvals: new SecretBox(config.MASTER_KEY, 'approvals'),
    factors: new SecretBox(config.MASTER_KEY, 'second-factors'),
  };
  const { webHost, mailHost } = hostsOf(config);
  const transactions: InTransactions = (context) => (work) =>
    context.transaction(({ manager, outbox }) => work(repositoriesOn(manager, seals), outbox));
  return {
    seals,
    webHost,
    mailHost,
    transactions,
    usedTokens: new UsedIds(),
    usedSessions: new UsedIds(),
    hasher: new PasswordHasher(config.MASTER_KEY),
    exportTokens: new ExportTokens(deriveKey(config.MASTER_KEY, 'exports')),
    publicUrl: config.PUBLIC_URL.replace(/\/+$/, ''),
    systemFrom: config.SYSTEM_FROM,
    sandboxSuffix: config.SANDBOX_DOMAIN_SUFFIX,
    cells: config.CELLS,
    route: { mailHost: isPublicHost(mailHost) ? mailHost : null, spfMechanisms: config.SPF_MECHANISMS },
    dns: new DnsClient(config.DNS_SERVERS, config.DNS_TIMEOUT_SECONDS * 1_000),
    addresses: new AddressVerificationService({
      dns: new DnsClient(config.DNS_SERVERS, addressLimitMs),
      blocklist: config.DOMAIN_BLOCKLIST,
    }),
  };
}
type SharedDependencies = ReturnType<typeof sharedDependencies>;

const domainCalls = (
  shared: SharedDependencies,
  { bus, log }: Pick<ServiceDependencies, 'bus' | 'log'>,
): ImplementationFactory[] => {
  const { seals, webHost, mailHost, transactions, usedTokens, sandboxSuffix, cells, route, dns, addresses } = shared;
  return [
    (context) => {
      const repositories = repositoriesOn(context.manager, seals);
      const inTransaction = transactions(context);
      return implement(domainTools, {
        ...sendingDomainToolHandlers({ domains: repositories.domains, inTransaction, bus, dns, route, sandboxSuffix }),
        ...senderToolHandlers(repositories),
        ...webDomainToolHandlers({ webDomains: repositories.webDomains, dns, webHost }),
        ...organizationToolHandlers({ inTransaction, bus }),
      });
    },
    (context) => {
      const repositories = repositoriesOn(context.manager, seals);
      const parts = { repositories, inTransaction: transactions(context), bus };
      return implement(domainRequests, {
        ...tokenRequestHandlers({ ...parts, use: usedTokens }),
        ...permitRequestHandlers(repositories),
        ...organizationRequestHandlers({ ...parts, sandboxSuffix, cells }),
        ...senderRequestHandlers(repositories, mailHost),
        ...webDomainRequestHandlers({ repositories, sandboxSuffix, webHost }),
        ...sendingDomainRequestHandlers(repositories, mailHost),
        ...dkimKeyRequestHandlers(repositories),
      });
    },
    (context) =>
      implementDomainManagementTools({
        repositories: repositoriesOn(context.manager, seals),
        inTransaction: transactions(context),
        bus,
        sandboxSuffix,
        webHost,
      }),
    () => implementDeadLetterTools(bus),
    (context) =>
      implementRetentionTools({
        repositories: repositoriesOn(context.manager, seals),
        inTransaction: transactions(context),
        bus,
      }),
    ({ manager }) => implementRetentionSettings(repositoriesOn(manager, seals)),
    ...accessCalls(shared, bus),
    (context) => implementApprovalRequests(approvalDependencies(shared, bus, context)),
    (context) => implement(approvalTools, approvalToolHandlers(approvalDependencies(shared, bus, context))),
    ({ manager }) => implementAuditRequests(repositoriesOn(manager, seals)),
    (context) => peopleTools(shared, { bus, log }, context),
    (context) => implementFactorRequests(people(shared, { bus, log }, context)),
    (context) => implementSessionRequests({ ...people(shared, { bus, log }, context), use: shared.usedSessions }),
    () => implement(addressRequests, { verify_email_address: async ({ email }) => await addresses.verify(email) }),
  ];
};

const accessCalls = (shared: SharedDependencies, bus: ServiceBus): ImplementationFactory[] => {
  const { seals, transactions, sandboxSuffix, cells, exportTokens, publicUrl } = shared;
  const partsOf = (context: CallContext) => ({
    repositories: repositoriesOn(context.manager, seals),
    inTransaction: transactions(context),
    bus,
  });
  return [
    (context) => implementOrganizationTools({ ...partsOf(context), sandboxSuffix, cells }),
    (context) => {
      const parts = partsOf(context);
      return implement(accessTools, {
        ...tokenToolHandlers(parts),
        ...auditToolHandlers({ ...parts, exportTokens, publicUrl }),
      });
    },
  ];
};

const approvalDependencies = ({ seals, transactions }: SharedDependencies, bus: ServiceBus, context: CallContext) => ({
  repositories: repositoriesOn(context.manager, seals),
  inTransaction: transactions(context),
  bus,
});

const systemMailer = (
  { systemFrom }: SharedDependencies,
  { bus, log }: Pick<ServiceDependencies, 'bus' | 'log'>,
  repositories: Repositories,
) => new SystemMailer({ delivery: bus.client(messageRequests), repositories, systemFrom, log });

function people(
  given: SharedDependencies,
  { bus, log }: Pick<ServiceDependencies, 'bus' | 'log'>,
  context: CallContext,
) {
  const { seals, transactions, hasher, publicUrl } = given;
  const repositories = repositoriesOn(context.manager, seals);
  const mailer = systemMailer(given, { bus, log }, repositories);
  const shared = { repositories, inTransaction: transactions(context), mailer, bus, publicUrl };
  return { ...shared, ...peopleServices({ ...shared, hasher }) };
}

const peopleTools = (...given: Parameters<typeof people>) => {
  const dependencies = people(...given);
  return implement(
    memberTools,
    {
      ...invitationToolHandlers(dependencies),
      ...memberToolHandlers(dependencies),
      ...meToolHandlers(dependencies.repositories),
    },
    memberToolDescriptions(dependencies),
  );
};

function domainJobs(shared: SharedDependencies, { dataSource, contexts, bus, log }: ServiceDependencies): Job[] {
  const { seals, transactions, usedTokens, usedSessions, dns, route, webHost, publicUrl } = shared;
  const repositories = repositoriesOn(dataSource.manager, seals);
  const inTransaction = transactions(contexts);
  const mailer = systemMailer(shared, { bus, log }, repositories);
  return [
    checkAgainJob({ names: repositories, inTransaction, bus, dns, route, webHost }, log),
    {
      name: 'resume approved calls',
      everyMs: 10_000,
      restMs: 10_000,
      run: () => new ApprovalService({ repositories, inTransaction, bus }).resume(),
    },
    mailApprovers({ repositories, mailer, publicUrl }),
    {
      name: 'record token use',
      everyMs: 5_000,
      run: async () => {
        const used = usedTokens.take();
        if (used.length > 0) await repositories.tokens.updateLastUsed(used);
      },
    },
    {
      name: 'record session use',
      everyMs: 5_000,
      run: async () => {
        const used = usedSessions.take();
        if (used.length > 0) await repositories.sessions.updateLastUsed(used);
      },
    },
    tokenNoticeJob(repositories.tokens, mailer),
    ...expiries.map(({ name, run }) => ({
      name,
      everyMs: 3_600_000,
      untilNone: true as const,
      run: () => run(repositories),
    })),
  ];
}

export const domainPlan = (config: DomainConfig): ServicePlan<DomainConfig> => {
  const shared = sharedDependencies(config);
  const { seals, transactions, sandboxSuffix } = shared;
  return {
    service: 'domain',
    config,
    migrations: [
      SharedTables1700000000000,
      CreateOrganization1700000000400,
      AddDomainChecks1700000000420,
      AddApprovalAndAudit1700000000430,
      AddQuotas1700000000440,
      AddCell1700000000450,
      CreateBackup1700000000470,
      CreatePeople1700000000480,
      AddAccess1700000000500,
      NotifyApprovers1700000000520,
      KeepTokenRotators1700000000540,
      AddSecondFactors1700000000560,
      CreateOidcIdentity1700000000570,
      RememberWholeRequests1700000000900,
      CreateMasterKeyCheck1700000000950,
      KeepLateEvents1700000000970,
      AttachPartitions1700000001195,
      CreateReplica1700000001200,
      AddLanePosition1700000001210,
      CreateRetentionPeriod1700000001220,
      PlanOutbox1700000001230,
      HoldOutbox1700000001390,
      ToastOutbox1700000001540,
    ],
    tools: (parts) => domainCalls(shared, parts),
    observe: ({ dataSource, metrics }) => observeBacklog(metrics.registry, new BacklogRepository(dataSource.manager)),
    jobs: (parts) => domainJobs(shared, parts),
    onReady: async ({ contexts, dataSource, log }) => {
      await checkMasterKey(repositoriesOn(dataSource.manager, seals).dkimKeys, log);
      const options = { name: config.ORGANIZATION_NAME, cell: null, sandboxSuffix };
      const made = (await bootstrap(transactions(contexts), options, config.BOOTSTRAP_TOKEN)) ?? {};
      const setupToken = await transactions(contexts)(issueSetupLink);
      return setupToken === null ? made : { ...made, setupToken };
    },
  };
};

const expiries: readonly { name: string; run(repositories: Repositories): Promise<number> }[] = [
  { name: 'forget the old audit log', run: ({ audit }) => audit.deleteOld() },
  { name: 'remove addresses from the audit log', run: ({ audit }) => audit.deleteAddresses() },
  { name: 'delete old exports of the audit log', run: ({ auditExports }) => auditExports.deleteOld() },
  { name: 'delete replaced token secrets', run: ({ tokens }) => tokens.deleteFormerSecrets() },
  { name: 'forget old approvals', run: ({ approvals }) => approvals.deleteOld() },
  { name: 'delete contents of old approvals', run: ({ approvals }) => approvals.deleteContents() },
  { name: 'delete expired sessions', run: ({ sessions }) => sessions.deleteExpired() },
  { name: 'delete expired links', run: ({ links }) => links.deleteExpired() },
  { name: 'delete expired invitations', run: ({ invitations }) => invitations.deleteExpired() },
  { name: 'delete expired sign-in tickets', run: ({ signInTickets }) => signInTickets.deleteExpired() },
  { name: 'delete old sign-in counts', run: ({ signInCounts }) => signInCounts.deleteOld() },
  { name: 'delete users without membership', run: ({ users }) => users.deleteAbandoned() },
];

interface CheckDependencies extends Omit<VerificationDependencies, 'domains'> {
  bus: Pick<ServiceBus, 'broadcast' | 'live'>;
  names: Pick<Repositories, 'domains' | 'webDomains'>;
  webHost: string;
}

const checkAgainJob = ({ names, webHost, ...parts }: CheckDependencies, log: Logger): Job => ({
  name: 'check domains again',
  everyMs: 60_000,
  run: async () => {
    const sending = verifySendingDomain.bind(null, { ...parts, domains: names.domains });
    const web = verifyWebDomain.bind(null, { webDomains: names.webDomains, dns: parts.dns, webHost });
    const common = {
      now: new Date(),
      changed: ({ organizationId: organization, domainId: id }: Due) =>
        parts.bus.live.publish({ name: 'domain.changed', id, organization }),
    };
    await recheckDue({ kind: 'sending domain', names: names.domains, verify: sending, ...common }, log);
    await recheckDue({ kind: 'web domain', names: names.webDomains, verify: web, ...common }, log);
  },
});

@Module({})
export class DomainModule {
  static of(config: DomainConfig): DynamicModule {
    return ServiceModule.of(DomainModule, domainPlan(config));
  }
}
