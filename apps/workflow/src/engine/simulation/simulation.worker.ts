import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { serviceCaller } from '#bus';
import type { Client, ServiceBus } from '#bus';
import { subscriberWorkflowRequests } from '#contracts';
import type { Data } from '#contracts';
import { isTransient } from '#events';
import type { Logger } from '#observability';
import type { CallContexts } from '#service-host';
import { isUnanswered, RemoteFailure, saysNothing } from '#tool-call';
import type { WorkItem } from '../loop/work-item.js';
import { CompiledVersion } from '../../rules/compiled-version.js';
import { SimulatedSubscriber } from '../../rules/simulation/simulated-subscriber.js';
import { SimulationPlan } from '../../rules/simulation/simulation-plan.js';
import { SimulationTotals } from '../../rules/simulation/simulation-totals.js';
import { SimulationRepository } from '../store/simulation.repository.js';
import type { ClaimedSimulation } from '../store/simulation.repository.js';

type PastPage = Data<(typeof subscriberWorkflowRequests)['calls']['list_past_events']>;

interface Dependencies {
  contexts: CallContexts;
  bus: ServiceBus;
  log: Logger;
}

const leaseSeconds = 120;
const requestMs = 60_000;
interface Sizes {
  /** Subscribers a page; an answer with one event each has about 500 kB. */
  pageSize: number;
  /** Work in milliseconds between two saves; what a killed process loses is at most this and one page. */
  partMs: number;
}
const usual: Sizes = { pageSize: 2_500, partMs: 2_000 };
/** Milliseconds after which the process turns to other work: real runs must not wait for simulated ones. */
const sliceMs = 10;
/** Attempts in a row, within about ten minutes, after which a simulation fails. */
const attemptsMax = 12;

/** Plays simulations part by part. Each part is saved with its sums, so that a process that takes over continues there. */
export class SimulationWorker {
  readonly #subscribers: Client<typeof subscriberWorkflowRequests>;

  constructor(
    private readonly parts: Dependencies,
    private readonly sizes = usual,
  ) {
    this.#subscribers = parts.bus.client(subscriberWorkflowRequests);
  }

  async claim(): Promise<WorkItem[]> {
    const simulation = await this.#repository().claim(leaseSeconds);
    return simulation ? [{ size: 1, work: () => this.#advance(simulation) }] : [];
  }

  #repository(): SimulationRepository {
    return new SimulationRepository(this.parts.contexts.plain().manager);
  }

  async #advance(simulation: ClaimedSimulation): Promise<WorkItem[]> {
    try {
      await this.#playPart(simulation);
    } catch (error) {
      const failure = error instanceof RemoteFailure ? error.failure : null;
      const attempts = await this.#repository().updateAttempts(simulation);
      const isPassing = failure ? isUnanswered(failure) || saysNothing(failure) : isTransient(error);
      if (isPassing ? attempts < attemptsMax : !failure && attempts < 3) throw error;
      const reported = failure
        ? `${failure.reason ?? failure.code}: ${failure.message}`
        : 'DEFECT: something went wrong on our side';
      this.parts.log.error({ err: error, simulation: simulation.simulationId }, 'a simulation cannot go on');
      await this.#repository().updateFailed(simulation, reported);
    }
    return [];
  }

  /** Plays pages until the time of a part is over; the next page is requested while one is played. */
  async #playPart(simulation: ClaimedSimulation): Promise<void> {
    const { workflowId, version, draft, from, to } = simulation;
    const plan = new SimulationPlan(new CompiledVersion(workflowId, version ?? 0, draft, {}), { from, to });
    const totals = new SimulationTotals(simulation.totals);
    const begun = performance.now();
    let { after, read, total } = simulation;
    let asked: Promise<PastPage> | null = this.#ask(simulation, plan, after);
    do {
      const page: PastPage = await asked;
      asked = page.next === null ? null : this.#ask(simulation, plan, page.next);
      // The failure is reported where the page is awaited, which the end of the part may skip.
      asked?.catch(() => undefined);
      await this.#play(page, { plan, totals, organizationId: simulation.organizationId });
      after = page.next ?? after;
      read += page.read;
      total ??= page.total;
    } while (asked && performance.now() - begun < this.sizes.partMs);
    const state = { after, read, total, totals: totals.stored(), finished: asked === null };
    await this.#repository().updateProgress(simulation, state);
  }

  #ask({ organizationId }: ClaimedSimulation, plan: SimulationPlan, after: string | null): Promise<PastPage> {
    const caller = serviceCaller(organizationId, randomUUID(), requestMs);
    return this.#subscribers.list_past_events({ ...plan.request(), after, limit: this.sizes.pageSize }, caller);
  }

  async #play(
    page: PastPage,
    { plan, totals, organizationId }: { plan: SimulationPlan; totals: SimulationTotals; organizationId: string },
  ): Promise<void> {
    plan.failures = page.failures;
    if (page.failures.some((failure) => failure !== null)) totals.count('filters-failed');
    let slice = performance.now();
    for (const person of page.people) {
      totals.count('considered');
      const isCut = new SimulatedSubscriber(plan, person, totals).play(organizationId);
      if (isCut || person.cut) totals.count('cut');
      if (performance.now() - slice < sliceMs) continue;
      await nextTurn();
      slice = performance.now();
    }
  }
}
