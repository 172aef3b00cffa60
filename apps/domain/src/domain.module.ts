import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { ServiceBus } from '#bus';
import { addressRequests, domainRequests, domainTools } from '#contracts';
import {
  CreateMasterKeyCheck1700000000950,
  RememberWholeRequests1700000000900,
  SharedTables1700000000000,
} from '#database';
import type { Logger } from '#observability';
import { isPublicHost } from '#public-fetch';
import { ServiceModule } from '#service-host';
import type { CallContext, ImplementationFactory, Job, ServiceParts, ServicePlan } from '#service-host';
import { implement } from '#tool-call';
import { CreateOrganization1700000000400 } from '../migrations/1700000000400-create-organization.js';
import { AddDomainChecks1700000000420 } from '../migrations/1700000000420-add-domain-checks.js';
import { AddApprovalAndAudit1700000000430 } from '../migrations/1700000000430-add-approval-and-audit.js';
import { AddQuotas1700000000440 } from '../migrations/1700000000440-add-quotas.js';
import { AddCell1700000000450 } from '../migrations/1700000000450-add-cell.js';
import { CreateBackup1700000000470 } from '../migrations/1700000000470-create-backup.js';
import { implementApprovalRequests } from './approval/approval.requests.js';
import { implementAuditRequests } from './audit/audit.requests.js';
import { AddressVerificationService } from './address/address-verification.service.js';
import { hostsOf } from './config.js';
import type { DomainConfig } from './config.js';
import { checkMasterKey } from './dkim-key/master-key-check.job.js';
import { KeyWrap } from './dkim-key/dkim-key.js';
import { dkimKeyRequestHandlers } from './dkim-key/dkim-key.requests.js';
import { DnsClient } from './dns/dns.client.js';
import { recheckDue } from './dns/recheck.job.js';
import { BacklogRepository } from './metrics/backlog.repository.js';
import { observeBacklog } from './metrics/backlog.service.js';
import { bootstrap } from './organization/create-organization.service.js';
import { organizationRequestHandlers } from './organization/organization.requests.js';
import { organizationToolHandlers } from './organization/organization.tools.js';
import { permitRequestHandlers } from './rate-limit/permit.requests.js';
import { repositoriesOn } from './repositories.js';
import type { InTransaction, Repositories } from './repositories.js';
import { senderRequestHandlers } from './sender/sender.requests.js';
import { senderToolHandlers } from './sender/sender.tools.js';
import { sendingDomainRequestHandlers } from './sending-domain/sending-domain.requests.js';
import { sendingDomainToolHandlers } from './sending-domain/sending-domain.tools.js';
import { verifySendingDomain } from './sending-domain/sending-domain-verification.service.js';
import type { VerificationParts } from './sending-domain/sending-domain-verification.service.js';
import { TokenRepository } from './token/token.repository.js';
import { tokenRequestHandlers } from './token/token.requests.js';
import { TokenUse } from './token/token-use.js';
import { webDomainRequestHandlers } from './web-domain/web-domain.requests.js';
import { webDomainToolHandlers } from './web-domain/web-domain.tools.js';
import { verifyWebDomain } from './web-domain/web-domain-verification.service.js';

/** Milliseconds for the DNS lookups of an address: a user waits for them at a form. */
const addressLimitMs = 4_000;

type InTransactions = (context: Pick<CallContext, 'transaction'>) => InTransaction;

/** What all calls of a process share. */
function sharedParts(config: DomainConfig) {
  const wrap = new KeyWrap(config.MASTER_KEY);
  const { webHost, mailHost } = hostsOf(config);
  const transactions: InTransactions = (context) => (work) =>
    context.transaction(({ manager }) => work(repositoriesOn(manager, wrap)));
  return {
    wrap,
    webHost,
    mailHost,
    transactions,
    use: new TokenUse(),
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
type SharedParts = ReturnType<typeof sharedParts>;

const domainCalls = (shared: SharedParts, bus: ServiceBus): ImplementationFactory[] => {
  const { wrap, webHost, mailHost, transactions, use, sandboxSuffix, cells, route, dns, addresses } = shared;
  return [
    (context) => {
      const repositories = repositoriesOn(context.manager, wrap);
      const inTransaction = transactions(context);
      return implement(domainTools, {
        ...sendingDomainToolHandlers({ domains: repositories.domains, inTransaction, bus, dns, route, sandboxSuffix }),
        ...senderToolHandlers(repositories),
        ...webDomainToolHandlers({ webDomains: repositories.webDomains, dns, webHost }),
        ...organizationToolHandlers({ inTransaction, bus }),
      });
    },
    (context) => {
      const repositories = repositoriesOn(context.manager, wrap);
      const parts = { repositories, inTransaction: transactions(context), bus };
      return implement(domainRequests, {
        ...tokenRequestHandlers({ ...parts, use }),
        ...permitRequestHandlers(repositories),
        ...organizationRequestHandlers({ ...parts, sandboxSuffix, cells }),
        ...senderRequestHandlers(repositories, mailHost),
        ...webDomainRequestHandlers({ repositories, sandboxSuffix, webHost }),
        ...sendingDomainRequestHandlers(repositories, mailHost),
        ...dkimKeyRequestHandlers(repositories),
      });
    },
    ({ manager }) => implementApprovalRequests(repositoriesOn(manager, wrap)),
    ({ manager }) => implementAuditRequests(repositoriesOn(manager, wrap)),
    () => implement(addressRequests, { verify_email_address: async ({ email }) => await addresses.verify(email) }),
  ];
};

/** The composition root: which repositories each noun's calls are given. */
export const domainPlan = (config: DomainConfig): ServicePlan<DomainConfig> => {
  const shared = sharedParts(config);
  const { wrap, transactions, use, sandboxSuffix, dns, route, webHost } = shared;
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
      RememberWholeRequests1700000000900,
      CreateMasterKeyCheck1700000000950,
    ],
    tools: ({ bus }) => domainCalls(shared, bus),
    observe: ({ dataSource, metrics }) => observeBacklog(metrics.registry, new BacklogRepository(dataSource.manager)),
    jobs: ({ dataSource, contexts, bus, log }: ServiceParts) => [
      checkAgainJob(
        {
          names: repositoriesOn(dataSource.manager, wrap),
          inTransaction: transactions(contexts),
          bus,
          dns,
          route,
          webHost,
        },
        log,
      ),
      {
        name: 'forget the old audit log',
        everyMs: 3_600_000,
        untilNone: true,
        run: () => repositoriesOn(dataSource.manager, wrap).audit.deleteOld(),
      },
      {
        name: 'forget old approvals',
        everyMs: 3_600_000,
        untilNone: true,
        run: () => repositoriesOn(dataSource.manager, wrap).approvals.deleteOld(),
      },
      {
        name: 'record token use',
        everyMs: 5_000,
        run: async () => {
          const used = use.take();
          if (used.length > 0) await new TokenRepository(dataSource.manager).updateLastUsed(used);
        },
      },
    ],
    onReady: async ({ contexts, dataSource, log }) => {
      await checkMasterKey(repositoriesOn(dataSource.manager, wrap).dkimKeys, log);
      const options = { name: config.ORGANIZATION_NAME, cell: null, sandboxSuffix };
      return (await bootstrap(transactions(contexts), options, config.BOOTSTRAP_TOKEN)) ?? {};
    },
  };
};

interface CheckParts extends Omit<VerificationParts, 'domains'> {
  names: Pick<Repositories, 'domains' | 'webDomains'>;
  webHost: string;
}

const checkAgainJob = ({ names, webHost, ...parts }: CheckParts, log: Logger): Job => ({
  name: 'check domains again',
  everyMs: 60_000,
  run: async () => {
    const sending = verifySendingDomain.bind(null, { ...parts, domains: names.domains });
    const web = verifyWebDomain.bind(null, { webDomains: names.webDomains, dns: parts.dns, webHost });
    const now = new Date();
    await recheckDue({ kind: 'sending domain', names: names.domains, verify: sending, now }, log);
    await recheckDue({ kind: 'web domain', names: names.webDomains, verify: web, now }, log);
  },
});

@Module({})
export class DomainModule {
  static of(config: DomainConfig): DynamicModule {
    return ServiceModule.of(DomainModule, domainPlan(config));
  }
}
