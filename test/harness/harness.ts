import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { DataSource } from 'typeorm';
import type { NewLiveUpdate } from '#bus';
import type { CallSet, DomainEvent, Service } from '#contracts';
import { catalogue, generalReasons, refusalsOf } from '#contracts';
import { applyBatches, eventsOf } from '#events';
import type { EventBatch, EventHandlers } from '#events';
import { deriveKey } from '#link-token';
import { factoriesOf, ToolHost } from '#service-host';
import type { ServiceDependencies, ServicePlan } from '#service-host';
import { LocalBus } from '#testing';
import type { TestDatabase } from '#testing';
import type { Bounds, Caller, Outcome } from '#tool-call';
import { environmentFor, freshDatabase, partsOf, plans } from './service-plans.js';

interface Hosted {
  plan: ServicePlan;
  parts: ServiceDependencies;
  host: ToolHost;
  handlers: EventHandlers;
}

/** A tenant of a test: every call is made on its behalf. */
export interface Tenant {
  organizationId: string;
  /** As a token of an organization with quotas brings them. */
  bounds?: Bounds;
}

/**
 * All services in one process on a database of their own, with the parse, transaction and once-only path of production
 * and without a broker: what tool specs run on.
 */
export class Harness {
  private constructor(
    private readonly hosted: Map<Service, Hosted>,
    readonly bus: LocalBus,
    /** Connects as the owner of the database, who may do what services may not. */
    readonly ownerUrl: string,
    private readonly dropDatabase: () => Promise<void>,
    /** Whether all records are of this version: the first one made some that were changed before they were made. */
    private readonly isNew: boolean,
  ) {}

  /** @param change of the environment of the services */
  static async start(change: NodeJS.ProcessEnv = {}): Promise<Harness> {
    const database = await freshDatabase();
    return await Harness.on(database, { ...environmentFor(database.url), ...change }, { isNew: true });
  }

  /** All services on a database that is migrated, which goes with them. */
  static async on(
    database: TestDatabase,
    environment: NodeJS.ProcessEnv,
    { isNew } = { isNew: false },
  ): Promise<Harness> {
    const bus = new LocalBus();
    const hosted = new Map<Service, Hosted>();
    for (const makePlan of plans) {
      const one = await host(makePlan(environment), bus);
      hosted.set(one.plan.service, one);
      bus.serve(one.plan.service, one.host);
    }
    return new Harness(hosted, bus, database.url, database.drop, isNew);
  }

  async stop(): Promise<void> {
    for (const { parts } of this.hosted.values()) await parts.dataSource.destroy();
    await this.dropDatabase();
  }

  /** A caller of a tenant, as the gateway would make it. */
  caller({ organizationId, bounds }: Tenant, change: Partial<Caller> = {}): Caller {
    const at = Date.now();
    return {
      organizationId,
      tokenId: null,
      requestId: randomUUID(),
      callId: null,
      deadline: at + 25_000,
      now: new Date(at),
      source: 'tools',
      scopes: ['read', 'write', 'send'],
      bounds,
      ...change,
    };
  }

  /** Calls a tool as a tenant, without the confirmation that the gateway asks for. */
  async call(tool: string, input: object, tenant: Tenant, change: Partial<Caller> = {}): Promise<Outcome> {
    return await this.#ask('tools', tool, input, this.caller(tenant, change));
  }

  /**
   * @throws Error when data is other than the tool's contract says, or older than itself, or a refusal gives a reason it
   * does not declare
   */
  async #ask(kind: 'tools' | 'describe', tool: string, input: object, caller: Caller): Promise<Outcome> {
    const { service, contract } = catalogue.get(tool)!;
    const outcome = await this.bus.request(kind, { service, name: tool }, input, caller);
    if (outcome.ok && kind === 'tools' && !isDeepStrictEqual(contract.output.parse(outcome.data), outcome.data))
      throw new Error(`${tool} answers more than its contract says: ${JSON.stringify(outcome.data)}`);
    if (outcome.ok && this.isNew && isOlderThanItself(outcome.data))
      throw new Error(`${tool} answers an updatedAt before its createdAt: ${JSON.stringify(outcome.data)}`);
    const reason = outcome.ok ? undefined : outcome.error.reason;
    if (reason && ![...generalReasons, ...refusalsOf(contract)].includes(reason))
      throw new Error(`${tool} refuses with ${reason}, which its contract does not declare`);
    return outcome;
  }

  /** Calls a tool that must succeed and answers its data. */
  async data<D = Record<string, never>>(tool: string, input: object, tenant: Tenant): Promise<D> {
    const outcome = await this.call(tool, input, tenant);
    if (!outcome.ok) throw new Error(`${tool}: ${outcome.error.message} ${JSON.stringify(outcome.error.issues ?? '')}`);
    return outcome.data as D;
  }

  /** Calls a tool that must be refused and answers the reason (or the class, where there is no reason). */
  async refusal(tool: string, input: object, tenant: Tenant): Promise<string> {
    const outcome = await this.call(tool, input, tenant);
    if (outcome.ok) throw new Error(`${tool} was expected to refuse, and answered ${JSON.stringify(outcome.data)}`);
    return outcome.error.reason ?? outcome.error.code;
  }

  /** What a tool with confirmation would tell before it acts. */
  async describe(tool: string, input: object, tenant: Tenant): Promise<Outcome> {
    return await this.#ask('describe', tool, input, this.caller(tenant));
  }

  /** A typed client of internal requests. */
  client<S extends CallSet>(set: S) {
    return this.bus.client(set);
  }

  /** The data source of a service, for looking at rows that no tool shows. */
  dataSource(service: Service): DataSource {
    return this.hosted.get(service)!.parts.dataSource;
  }

  /** Carries every unpublished event to every service, until none is left. @returns what was carried, in order */
  async deliverEvents(): Promise<DomainEvent[]> {
    const carried: DomainEvent[] = [];
    for (;;) {
      const envelopes = await this.#takeOutboxes();
      if (envelopes.length === 0) return carried;
      carried.push(...eventsOf(envelopes));
      for (const { plan, parts, handlers } of this.hosted.values()) {
        const options = {
          service: plan.service,
          dataSource: parts.dataSource,
          handlers,
          concernedBy: plan.concernedBy,
          lockForEvents: plan.lockForEvents,
          log: parts.log,
          committed: (_wroteEvents: boolean, updates: readonly NewLiveUpdate[]) =>
            updates.forEach((update) => this.bus.live.publish(update)),
        };
        await applyBatches(options, envelopes, { failures: 0, guard: () => Promise.resolve(true) });
      }
    }
  }

  async #takeOutboxes() {
    const envelopes: EventBatch[] = [];
    for (const { parts } of this.hosted.values()) {
      const [rows]: [{ outbox_id: string; events: EventBatch['events']; seq: string }[]] = await parts.dataSource.query(
        `update outbox set published_at = clock_timestamp() where published_at is null returning outbox_id, seq, events`,
      );
      rows.sort((a, b) => Number(a.seq) - Number(b.seq));
      envelopes.push(...rows.map(({ outbox_id, events }) => ({ outboxId: outbox_id, events })));
    }
    return envelopes;
  }
}

async function host(plan: ServicePlan, bus: LocalBus): Promise<Hosted> {
  const parts = partsOf(plan, bus);
  await parts.dataSource.initialize();
  const handlers = plan.eventHandlers?.(parts) ?? {};
  return {
    plan,
    parts,
    host: new ToolHost({
      ...parts,
      factories: factoriesOf(plan, parts),
      hashKey: deriveKey(plan.config.MASTER_KEY, 'request-hashes'),
      live: bus.live,
    }),
    handlers,
  };
}

/** Whether anything in the data was changed before it was made. */
function isOlderThanItself(data: unknown): boolean {
  if (data === null || typeof data !== 'object') return false;
  const { createdAt, updatedAt } = data as { createdAt?: string; updatedAt?: string };
  return updatedAt! < createdAt! || Object.values(data).some(isOlderThanItself);
}
