import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Bus, ConfirmationBucket, connectBus, serviceCaller } from '#bus';
import { catalogue, domainRequests, sessionRequests, v1Endpoints, version } from '#contracts';
import type { OrganizationFacts } from '#contracts';
import { wireId } from '#database';
import { deriveKey, ExportTokens, LinkTokens, OperatorPasses } from '#link-token';
import { createLogger, createMetrics, traced } from '#observability';
import type { Logger, Metrics } from '#observability';
import { PublicFetcher } from '#public-fetch';
import { observeClockSkews } from '#service-host';
import { failureOf, RemoteFailure, ToolError } from '#tool-call';
import type { GatewayConfig } from './config.js';
import { auditedEndpoint, auditedTool, makeAuditLog } from './audit/audit-log.service.js';
import { AuditLog } from './audit/audit-log.js';
import { approvalsOn } from './tool/approval.client.js';
import { Authenticator } from './auth/authenticator.js';
import { OperatorAuthenticator } from './auth/operator-authenticator.js';
import { PermitQueue } from './auth/permit-queue.js';
import { RequestPipeline } from './http/request-pipeline.js';
import type { CallRecord, CallTrace } from './http/request-pipeline.js';
import { CredentialCache } from './auth/credential-cache.js';
import { SessionCookies } from './auth/session-cookies.js';
import { OidcAttempts } from './oidc/oidc-attempts.js';
import { OidcClient } from './oidc/oidc.client.js';
import { OIDC, OidcController } from './oidc/oidc.controller.js';
import type { Oidc } from './oidc/oidc.controller.js';
import { SecondFactorController } from './session/second-factor.controller.js';
import { SessionController } from './session/session.controller.js';
import { SessionExchange } from './session/session-exchange.service.js';
import { DownloadController } from './download/download.controller.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { DashboardFiles } from './dashboard/dashboard-files.service.js';
import { HealthController } from './health/health.controller.js';
import { trustedProxy } from './http/trusted-proxy.js';
import { ImportUploadController } from './import/import-upload.controller.js';
import { ImageController } from './image/image.controller.js';
import { ConfirmationController } from './link/confirmation.controller.js';
import { LinkController } from './link/link.controller.js';
import { LinkEffects, makeLinkEffects } from './link/link-effects.service.js';
import { LinkResolver } from './link/open-link.js';
import { OrganizationNames } from './link/organization-names.client.js';
import { SubscriptionController } from './link/subscription.controller.js';
import { observeChoices, Unsubscriptions } from './link/unsubscription.service.js';
import { LiveController } from './live/live.controller.js';
import { LiveStreams } from './live/live-streams.service.js';
import { MailboxAccess } from './mailbox/mailbox-access.client.js';
import { CATCHER_URL, MailboxController, PUBLIC_URL } from './mailbox/mailbox.controller.js';
import { McpCalls } from './mcp/mcp-calls.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpEndpoint } from './mcp/mcp-endpoint.js';
import { openApiDocument } from './openapi/openapi.js';
import { homePage, referencePage } from './web-page/operator-pages.js';
import { OPERATOR_PAGES, PageController } from './web-page/operator-page.controller.js';
import type { OperatorPages } from './web-page/operator-page.controller.js';
import { ToolController } from './tool/tool.controller.js';
import { ToolCalls } from './tool/tool-calls.js';
import { ToolListing } from './tool/tool-listing.js';
import type { ListedTool } from './tool/tool-listing.js';
import { V1Calls } from './v1/v1-calls.js';
import { V1Controller } from './v1/v1.controller.js';
import { FETCH_TEXT, WebhookController, WEBHOOKS } from './provider-webhook/webhook.controller.js';
import { makeWebhooks } from './provider-webhook/registry.js';

export const LOGGER = Symbol('logger');

export const METRICS = Symbol('metrics');

/** Where the build puts the dashboard, beside this app. */
const dashboardFolder = fileURLToPath(new URL('../../dashboard/public', import.meta.url));

/** Every call first needs its token and a permit: a slow domain service must not hold calls until their deadline. */
const authTimeoutMs = 3_000;

@Module({})
export class GatewayModule {
  static of(config: GatewayConfig): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        ToolController,
        SecondFactorController,
        SessionController,
        OidcController,
        V1Controller,
        LinkController,
        SubscriptionController,
        ConfirmationController,
        DashboardController,
        DownloadController,
        ImageController,
        ImportUploadController,
        LiveController,
        MailboxController,
        McpController,
        HealthController,
        PageController,
        WebhookController,
      ],
      providers: [
        { provide: LOGGER, useFactory: () => createLogger('gateway', config.LOG_LEVEL) },
        { provide: METRICS, inject: [Bus], useFactory: makeMetrics },
        { provide: Bus, useFactory: () => gatewayBus(config) },
        ...authentication(config),
        ...identityProvider(config),
        ...interfaces(config),
        { provide: ToolListing, useFactory: () => new ToolListing(catalogue, `${config.PUBLIC_URL}/docs`) },
        {
          provide: LinkResolver,
          useFactory: () => new LinkResolver(new LinkTokens(deriveKey(config.MASTER_KEY, 'links')), wireId),
        },
        { provide: ExportTokens, useFactory: () => new ExportTokens(deriveKey(config.MASTER_KEY, 'exports')) },
        liveStreams(config),
        { provide: OrganizationNames, inject: [Bus], useFactory: (bus: Bus) => new OrganizationNames(bus) },
        ...linkEffects(config),
        ...webhooks(config),
        {
          provide: MailboxAccess,
          inject: [Bus, Authenticator],
          useFactory: (bus: Bus, authenticator: Authenticator) => new MailboxAccess(bus, authenticator),
        },
        ...ownPages(config),
      ],
    };
  }
}

const ownPages = (config: GatewayConfig): Provider[] => [
  { provide: CATCHER_URL, useValue: config.CATCHER_URL ?? null },
  { provide: PUBLIC_URL, useValue: config.PUBLIC_URL },
  { provide: DashboardFiles, useFactory: () => new DashboardFiles(config.DASHBOARD ? dashboardFolder : null) },
  {
    provide: OPERATOR_PAGES,
    inject: [ToolListing],
    useFactory: ({ tools }: ToolListing) => operatorPages(config, tools),
  },
];

const gatewayBus = (config: GatewayConfig) =>
  connectBus({
    url: config.NATS_URL,
    name: 'gateway',
    namespace: config.NATS_NAMESPACE,
    cells: config.CELLS,
    repeatMs: 2_000,
  });

const linkEffects = (config: GatewayConfig): Provider[] => [
  {
    provide: LinkEffects,
    inject: [Bus, LOGGER, METRICS],
    useFactory: (bus: Bus, log: Logger, { registry }: Metrics) =>
      makeLinkEffects({
        bus,
        replicas: config.NATS_REPLICAS,
        hitsBytesMax: config.HITS_MAX_MB * 1e6,
        log,
        registry,
      }),
  },
  {
    provide: Unsubscriptions,
    inject: [Bus, LOGGER],
    useFactory: (bus: Bus, log: Logger) => new Unsubscriptions({ bus, replicas: config.NATS_REPLICAS, log }),
  },
];

const liveStreams = ({ NATS_REPLICAS: replicas }: GatewayConfig): Provider => ({
  provide: LiveStreams,
  inject: [Bus, Authenticator, LOGGER, METRICS],
  useFactory: (bus: Bus, authenticator: Authenticator, log: Logger, { registry }: Metrics) =>
    new LiveStreams({ bus, authenticator, replicas, log, registry }),
});

/** The providers' webhooks; Amazon's certificates and confirmations are fetched from public addresses only. */
function webhooks(config: GatewayConfig): Provider[] {
  const fetcher = new PublicFetcher({ allowed: new Set(), dnsServers: config.DNS_SERVERS });
  const fetchText = async (url: string) =>
    (
      await fetcher.fetch({ organizationId: '', url, accept: '*/*', bytesMax: 64 * 1024, deadlineMs: 10_000 })
    ).body.toString('utf8');
  return [
    { provide: WEBHOOKS, useFactory: () => makeWebhooks(config, fetchText) },
    { provide: FETCH_TEXT, useValue: fetchText },
  ];
}

const authentication = ({ MASTER_KEY: masterKeyHex }: GatewayConfig): Provider[] => [
  { provide: SessionCookies, useFactory: () => new SessionCookies(masterKeyHex) },
  {
    provide: SessionExchange,
    inject: [Authenticator, SessionCookies, OIDC],
    useFactory: (authenticator: Authenticator, cookies: SessionCookies, { isOnly }: Oidc) =>
      new SessionExchange(authenticator, cookies, isOnly),
  },
  {
    provide: OperatorAuthenticator,
    inject: [Bus],
    useFactory: (bus: Bus) => makeOperatorAuthenticator(bus, masterKeyHex),
  },
  {
    provide: Authenticator,
    inject: [Bus, SessionCookies, OperatorAuthenticator],
    useFactory: makeAuthenticator,
  },
];

const identityProvider = (config: GatewayConfig): Provider[] => {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const redirectUri = `${config.PUBLIC_URL}/api/session/oidc/callback`;
  const isSet = issuer !== undefined && clientId !== undefined && clientSecret !== undefined;
  const client = isSet ? new OidcClient({ issuer, clientId, clientSecret, redirectUri }) : null;
  const useFactory = (): Oidc => ({
    client,
    attempts: new OidcAttempts(config.MASTER_KEY),
    isOnly: config.OIDC_ONLY,
  });
  return [{ provide: OIDC, useFactory }];
};

const interfaces = (config: GatewayConfig): Provider[] => [
  {
    provide: AuditLog,
    inject: [Bus, LOGGER, METRICS],
    useFactory: makeAuditLog,
  },
  {
    provide: ToolCalls,
    inject: [Bus, AuditLog],
    useFactory: (bus: Bus, audit: AuditLog) =>
      new ToolCalls({
        ask: bus.request.bind(bus),
        confirmations: new ConfirmationBucket(bus, config.NATS_REPLICAS),
        approvals: approvalsOn(bus),
        audit: (call, input, outcome) => audit.note(auditedTool(call, input, outcome)),
        deadlineMs: config.CALL_DEADLINE_MS,
      }),
  },
  {
    provide: RequestPipeline,
    inject: [Authenticator, LOGGER, METRICS],
    useFactory: (authenticator: Authenticator, log: Logger, metrics: Metrics) =>
      new RequestPipeline(authenticator, makeCallRecord(log, metrics), traceCall, isTrustedPeer(config)),
  },
  {
    provide: McpEndpoint,
    inject: [ToolCalls, ToolListing],
    useFactory: (calls: ToolCalls, { tools }: ToolListing) =>
      new McpEndpoint(new McpCalls(calls), () => tools, version, config.PUBLIC_URL),
  },
  {
    provide: V1Calls,
    inject: [Bus, AuditLog],
    useFactory: (bus: Bus, audit: AuditLog) =>
      new V1Calls(v1Endpoints, bus.request.bind(bus), config.CALL_DEADLINE_MS, (call, input, outcome) =>
        audit.note(auditedEndpoint(call, input, outcome)),
      ),
  },
];

/** Created at the first request: they take longer than the rest of a start. */
function operatorPages(config: GatewayConfig, tools: readonly ListedTool[]): OperatorPages {
  const source = { tools, catalogue, endpoints: v1Endpoints, publicUrl: config.PUBLIC_URL, version };
  return {
    home: once(() => homePage(catalogue.size, config.CATCHER_URL !== undefined)),
    reference: once(() => referencePage()),
    openApi: once(() => JSON.stringify(openApiDocument(source))),
  };
}

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
};

function makeMetrics(bus: Bus): Metrics {
  const metrics = createMetrics('gateway', { processMetrics: true });
  observeChoices(metrics.registry, bus);
  observeClockSkews(metrics.registry, bus);
  return metrics;
}

const authCaller = (organizationId = '') => serviceCaller(organizationId, 'door', authTimeoutMs);

function makeOperatorAuthenticator(bus: Bus, masterKeyHex: string): OperatorAuthenticator {
  const domain = bus.client(domainRequests);
  const note = ({ id, cell }: OrganizationFacts) => bus.placement.note({ organizationId: id, cell });
  return new OperatorAuthenticator(new OperatorPasses(deriveKey(masterKeyHex, 'operator-passes')), {
    get: async (organizationId) => {
      const { organization } = await domain.get_organization({}, authCaller(organizationId)).catch(asUnavailable);
      note(organization);
      return organization;
    },
    list: async () => {
      const { organizations } = await domain.list_organizations({}, authCaller()).catch(asUnavailable);
      organizations.forEach(note);
      return organizations;
    },
  });
}

function makeAuthenticator(bus: Bus, cookies: SessionCookies, operator: OperatorAuthenticator): Authenticator {
  const domain = bus.client(domainRequests);
  const people = bus.client(sessionRequests);
  const tokens = new CredentialCache(bus, async (tokenHash) => {
    const { token } = await domain.authenticate_token({ tokenHash }, authCaller()).catch(asUnavailable);
    if (token) bus.placement.note(token);
    return token;
  });
  const sessions = new CredentialCache(bus, async (secretHash) => {
    const { session } = await people.authenticate_session({ secretHash }, authCaller()).catch(asUnavailable);
    for (const membership of session?.memberships ?? []) bus.placement.note(membership);
    return session;
  });
  const permits = new PermitQueue({
    take: async (takes) => (await domain.take_permits({ takes }, authCaller()).catch(asUnavailable)).grants,
    giveBack: async (returns) => await domain.return_permits({ returns }, authCaller()),
  });
  const authenticator = new Authenticator({ tokens, sessions, cookies, operator, permits });
  bus.onBroadcast<{ tokenHash: string }>('token.changed', (change) => {
    tokens.forget((_facts, hash) => hash === change.tokenHash);
    authenticator.noteChange(change);
  });
  // Facts include the plan and limit of the organization.
  bus.onBroadcast<{ organizationId: string }>('organization.changed', ({ organizationId }) => {
    tokens.forget((token) => token.organizationId === organizationId);
    sessions.forget(({ memberships }) => memberships.some((one) => one.organizationId === organizationId));
    authenticator.noteChange({ organizationId });
  });
  bus.onBroadcast<{ userId: string }>('member.changed', ({ userId }) => {
    sessions.forget(({ user }) => user.id === userId);
    tokens.forget((token) => token.userId === userId);
    authenticator.noteChange({ userId });
  });
  for (const change of ['session.ended', 'session.changed']) {
    bus.onBroadcast<{ sessionIds: string[] }>(change, ({ sessionIds }) => {
      sessions.forget(({ sessionId }) => sessionIds.includes(sessionId));
      authenticator.noteChange({ sessionIds, isEnd: change === 'session.ended' });
    });
  }
  return authenticator;
}

/** Nothing has been done before authentication ends, so that a timeout there counts as an unavailable service. */
function asUnavailable(error: unknown): never {
  if (!(error instanceof RemoteFailure) || error.failure.code !== 'TIMEOUT') throw error;
  throw new RemoteFailure(failureOf(new ToolError('SERVICE_UNAVAILABLE', { service: 'domain' })).error);
}

function makeCallRecord(log: Logger, { calls, callSeconds }: Metrics): CallRecord {
  return ({ thrown, ...facts }) => {
    const { call, outcome, seconds } = facts;
    calls.inc({ call, outcome });
    callSeconds.observe({ call }, seconds);
    if (outcome === 'INTERNAL') log.error({ ...facts, err: thrown }, 'defect');
    else if (outcome === 'UNAVAILABLE' || outcome === 'TIMEOUT') {
      log.warn({ ...facts, err: (thrown as Error | undefined)?.cause }, 'call failed');
    } else log.debug(facts, 'call');
  };
}

const traceCall: CallTrace = ({ name, ...facts }, work) =>
  traced(name, { kind: 'server', ...facts }, (span) => work((attributes) => span.set(attributes)));

function isTrustedPeer({ TRUST_PROXY }: GatewayConfig): (request: FastifyRequest) => boolean {
  const isTrusted = trustedProxy(TRUST_PROXY);
  return ({ socket }) => isTrusted(socket);
}
