import type { NatsContext } from '@nestjs/microservices';
import { BusServer, connectBus, serviceCaller } from '#bus';
import type { Bus, CallKind } from '#bus';
import { domainRequests, toolSets } from '#contracts';
import type { Scope } from '#contracts';
import type { Caller } from '#tool-call';
import { freshNamespace, TestGateway } from '../../apps/gateway/test/fake-services.js';
import { ToolsClient } from '../e2e/client.js';
import { Harness } from '../harness/harness.js';
import { testMasterKey } from '../harness/service-plans.js';

/** Broadcasts of the domain service that gateways hear. */
const broadcasts = [
  'token.changed',
  'organization.changed',
  'member.changed',
  'session.ended',
  'session.changed',
  'ui',
];

const services = [...new Set(toolSets.map(({ service }) => service))];

/** An organization with a token for everything, and a mailbox on its verified sandbox domain. */
export interface ApiTenant {
  organizationId: string;
  token: string;
  client: ToolsClient;
  sender: string;
}

/** A real gateway before all services, these in one process: every interface as its clients see it. */
export class ApiFixture {
  private constructor(
    readonly harness: Harness,
    readonly gateway: TestGateway,
    readonly namespace: string,
    private readonly line: BusServer,
    private readonly bus: Bus,
  ) {}

  static async start(): Promise<ApiFixture> {
    const harness = await Harness.start();
    const namespace = freshNamespace();
    const line = new BusServer({ url: process.env.NATS_URL!, namespace, name: 'services', queue: 'services' });
    for (const kind of ['tools', 'requests', 'describe'] as const) {
      for (const service of services) {
        line.addHandler(`${kind}.${service}.*`, async (body: Uint8Array, context: NatsContext) => {
          const caller = JSON.parse(context.getHeaders().get('caller')) as Caller;
          const [, , name] = context.getSubject().split('.') as [CallKind, string, string];
          return await harness.bus.request(kind, { service, name }, JSON.parse(Buffer.from(body).toString()), caller);
        });
      }
    }
    await new Promise<void>((resolve, reject) => {
      void line.listen((error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
    });
    const bus = await connectBus({ url: process.env.NATS_URL!, name: 'services', namespace });
    for (const subject of broadcasts) harness.bus.onBroadcast(subject, (message) => bus.broadcast(subject, message));
    return new ApiFixture(
      harness,
      await TestGateway.start(namespace, { MASTER_KEY: testMasterKey() }),
      namespace,
      line,
      bus,
    );
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.line.close();
    await this.bus.close();
    await this.harness.stop();
  }

  get url(): string {
    return this.gateway.url;
  }

  /** Founds an organization. */
  async customer(name = 'Shop'): Promise<ApiTenant> {
    const domain = this.harness.client(domainRequests);
    const { organization, sender } = await domain.create_organization({ name }, serviceCaller('', 'spec'));
    const token = await this.token(organization.id);
    return {
      organizationId: organization.id,
      token,
      sender: sender.email,
      client: new ToolsClient(this.url, token),
    };
  }

  /** Makes another token of an organization. */
  async token(organizationId: string, change: { scopes?: Scope[]; selfConfirm?: boolean } = {}): Promise<string> {
    const made = { organizationId, name: 'spec', ...change };
    return (await this.harness.client(domainRequests).create_token(made, serviceCaller('', 'spec'))).secret;
  }

  /** Lowers an organization's rate limit. */
  async limit(organizationId: string, ratePerMinute: number): Promise<void> {
    await this.harness
      .client(domainRequests)
      .set_organization({ organizationId, ratePerMinute }, serviceCaller('', 'spec'));
  }
}
