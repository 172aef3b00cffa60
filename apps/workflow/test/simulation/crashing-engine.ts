import type { DataSource, EntityManager } from 'typeorm';
import { clientOf } from '#bus';
import type { ServiceBus } from '#bus';
import { applyBatches } from '#events';
import type { EventBatch } from '#events';
import { createLogger } from '#observability';
import { CallContexts, readEnvironment } from '#service-host';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { workflowEnvironment } from '../../src/config.js';
import { WakeSignals } from '../../src/engine/loop/wake-signals.js';
import { drain } from '../../src/engine/loop/work-item.js';
import type { VersionCache } from '../../src/engine/run/version-cache.service.js';
import { watchHandlers } from '../../src/engine/run/subscriber-event.consumer.js';
import { engineLoops } from '../../src/workflow.module.js';
import type { Defect } from './defects.js';
import type { Random } from './random-graph.js';

export class Crash extends Error {}

/** For each seed that runs beside others: an engine dies at the latest at this place, and is held up at this request. */
const diesWithin = 8;
const heldWithin = 2;
const unavailableOdds = 0.005;
/** Nothing sleeps here. */
const wakeSignals = new WakeSignals();
const log = createLogger('workflow', 'silent');
const unbound = { plan: 'ENTERPRISE' as const, quotas: { contacts: null, mailsPerMonth: null, domains: null } };
const organizations = { find: () => Promise.resolve(unbound) };
const simulated = ['starts', 'runs', 'checks'];

export interface CrashingEngineOptions {
  dataSource: DataSource;
  answer: ServiceBus['request'];
  random: Random;
  /** How many run side by side. */
  seeds: number;
  /** Whether nothing happens to this one. */
  spared: boolean;
  /** Shared by all engines: published versions never change, and reading them again would take most of the time. */
  versions: VersionCache;
  defect: Defect | null;
}

/**
 * An engine whose process may die before or after any statement, commit or request. It may also find other services
 * unavailable, or be held up at a request until another engine has taken over its leases.
 */
export class CrashingEngine {
  #wake: (() => void) | null = null;
  #die: (crash: Crash) => void = () => undefined;
  readonly #death: Promise<never>;
  /** Called when the engine is held up. */
  #paused: () => void = () => undefined;
  readonly #steps: (() => Promise<number>)[];
  readonly #source: DataSource;
  #placesLeft: number;
  #requestsLeft: number;

  constructor(private readonly parts: CrashingEngineOptions) {
    // As often among the first ten as among the next ninety: a step may pass five places, or five hundred.
    const within = (most: number) =>
      parts.spared ? Infinity : Math.floor((most * parts.seeds) ** parts.random.next());
    this.#placesLeft = within(diesWithin);
    this.#requestsLeft = within(heldWithin);
    this.#death = new Promise((_resolve, reject) => (this.#die = reject));
    this.#death.catch(() => undefined);
    const { versions } = parts;
    this.#source = this.#fragileSource(parts.dataSource);
    const config = readEnvironment(workflowEnvironment, environmentFor('postgres://simulation'));
    const client: ServiceBus['client'] = (set) => clientOf(set, (...question) => this.#request(...question));
    const bus = { client } as ServiceBus;
    const contexts = new CallContexts('workflow', this.#source, () => undefined);
    this.#steps = engineLoops(config, { contexts, bus, log, versions, wakeSignals, organizations })
      .filter(({ name }) => simulated.includes(name))
      .map(
        ({ claim }) =>
          () =>
            drain(claim),
      );
  }

  /** Hears events as the service does. @throws Crash */
  async hear(envelopes: readonly EventBatch[]): Promise<void> {
    const handlers = watchHandlers({ versions: this.parts.versions, wakeSignals });
    const options = { service: 'workflow', dataSource: this.#source, handlers, log, committed: () => undefined };
    const hearing = applyBatches(options, envelopes, { failures: 0, guard: () => Promise.resolve(true) });
    await Promise.race([hearing, this.#death]);
  }

  /**
   * Does everything there is to do now.
   * @returns how much that was, or that it was held up while it worked
   * @throws Crash, or what the engine itself cannot do
   */
  async work(): Promise<{ moved: number } | { held: Promise<unknown> }> {
    let moved = 0;
    for (const step of this.#steps) {
      const working = Promise.race([step(), this.#death]);
      const held = new Promise<'held'>((resolve) => (this.#paused = () => resolve('held')));
      const done = await Promise.race([working, held]);
      if (done === 'held') return { held: working.catch((error: unknown) => error) };
      moved += done;
    }
    return { moved };
  }

  /** Resumes a process that was held up. */
  wake(): void {
    this.#wake?.();
  }

  /** A place where the process may die. @throws Crash */
  #pass(): void {
    this.#placesLeft -= 1;
    if (this.#placesLeft < 0) throw new Crash();
  }

  /** Runs what may die with the process; after that nothing goes on. */
  async #mortal<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.#die(error);
      return await new Promise<never>(() => undefined);
    }
  }

  async #query(manager: EntityManager, text: string, parameters?: unknown[]): Promise<unknown> {
    this.#pass();
    const rows: unknown = await manager.query(this.parts.defect?.statement?.(text) ?? text, parameters);
    this.#pass();
    return rows;
  }

  #fragileSource(source: DataSource): DataSource {
    const fragile = (manager: EntityManager, query: (text: string, parameters?: unknown[]) => Promise<unknown>) =>
      new Proxy(manager, { get: (target, key) => (key === 'query' ? query : (Reflect.get(target, key) as unknown)) });
    const inside = (manager: EntityManager) =>
      fragile(manager, (text, parameters) => this.#query(manager, text, parameters));
    const whole = async (work: (manager: EntityManager) => Promise<unknown>) => {
      const result = await source.transaction((manager) => work(inside(manager)));
      this.#pass();
      return result;
    };
    const torn = (work: (manager: EntityManager) => Promise<unknown>) => work(inside(source.manager));
    const transaction = this.parts.defect?.torn ? torn : whole;
    return {
      options: {},
      manager: fragile(source.manager, (text, parameters) =>
        this.#mortal(() => this.#query(source.manager, text, parameters)),
      ),
      transaction: (work: Parameters<typeof whole>[0]) => this.#mortal(() => transaction(work)),
    } as unknown as DataSource;
  }

  readonly #request: ServiceBus['request'] = async (kind, target, input, caller) => {
    const { random, answer, spared, defect } = this.parts;
    this.#requestsLeft -= 1;
    if (this.#requestsLeft === 0) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      this.#paused();
      await woken;
    }
    if (!spared && random.next() < unavailableOdds)
      return { ok: false, error: { code: 'UNAVAILABLE', reason: 'SERVICE_UNAVAILABLE', message: 'Nobody answers.' } };
    return await this.#mortal(async () => {
      this.#pass();
      const outcome = await answer(kind, target, defect?.request?.(input) ?? input, caller);
      this.#pass();
      return outcome;
    });
  };
}
