import { randomUUID } from 'node:crypto';
import { PollingWorker } from '#concurrency';
import { featuresOf, protocolVersion, replicaRequests } from '#contracts';
import type { Service } from '#contracts';
import { serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { FeatureRepository, ReplicaRepository } from '#database';
import type { Sql } from '#database';
import type { Logger } from '#observability';

const leaseSeconds = 15;
const renewEveryMs = 5_000;
const requestMs = 2_000;
const role = 'service';

export interface ReplicaWorkerOptions {
  service: Service;
  sql: Sql;
  bus: Pick<Bus, 'clientIn' | 'namespace' | 'home'>;
  log: Logger;
  /** Whether a process is older for a reason that only this service knows. */
  hasOlderReplica?: (() => Promise<boolean>) | undefined;
  /** The protocol version of this process. */
  version?: number;
}

/**
 * Says that this process lives, and enables the formats that all live replicas can read: of this service, and of the
 * services that read them.
 */
export class ReplicaWorker {
  readonly #owner = randomUUID();
  readonly #replicas: ReplicaRepository;
  readonly #features: FeatureRepository;
  readonly #polling: PollingWorker;

  constructor(private readonly options: ReplicaWorkerOptions) {
    this.#replicas = new ReplicaRepository(options.sql);
    this.#features = new FeatureRepository(options.sql);
    this.#polling = new PollingWorker({
      poll: () => this.#poll().then(() => 0),
      minMs: renewEveryMs,
      maxMs: renewEveryMs,
      onError: (error) => options.log.warn({ err: error }, 'this process cannot say that it lives'),
    });
  }

  /** Returns once this process is known, and what depends on this service alone is enabled. */
  async start(): Promise<void> {
    await this.#renew();
    await this.enableFeatures({ isAlone: true });
    this.#polling.start();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
    await this.#replicas.end(role, this.#owner).catch(() => undefined);
  }

  async #poll(): Promise<void> {
    await this.#renew();
    await this.#replicas.deleteOld();
    await this.enableFeatures({ isAlone: false });
  }

  async #renew(): Promise<void> {
    await this.#replicas.renew(role, this.#owner, this.options.version ?? protocolVersion, leaseSeconds);
  }

  /**
   * Enables the features of this service that all replicas concerned know.
   * @param isAlone whether features that other services read are left for later, so that none is requested
   */
  async enableFeatures({ isAlone }: { isAlone: boolean }): Promise<void> {
    const { service, log } = this.options;
    const decided = await this.#features.list();
    const open = featuresOf(service).filter(
      ([name, { readers }]) => !decided.has(name) && !(isAlone && readers.length > 0),
    );
    if (open.length === 0) return;
    const own = await this.#leastVersion();
    for (const [name, { version, readers }] of open) {
      if (own < version || !(await this.#know(readers, version))) continue;
      if (await this.#features.enable(name)) log.info({ feature: name }, 'all replicas know this format: enabled');
    }
  }

  async #leastVersion(): Promise<number> {
    const { service, hasOlderReplica } = this.options;
    if (await hasOlderReplica?.()) return 0;
    return await this.#replicas.leastVersion(service);
  }

  /** Whether all services have this version. One that does not answer, or does not know the request, has not. */
  async #know(services: readonly Service[], version: number): Promise<boolean> {
    const { bus } = this.options;
    for (const service of services) {
      const client = bus.clientIn(service === 'domain' ? bus.home : bus.namespace, replicaRequests(service));
      const least = await client
        .get_protocol_version({}, serviceCaller('', randomUUID(), requestMs))
        .then((answer) => answer.version)
        .catch(() => 0);
      if (least < version) return false;
    }
    return true;
  }
}
