import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import { subscriberWorkflowRequests } from '#contracts';
import type { CallContext } from '#service-host';
import { RemoteFailure, saysNothing } from '#tool-call';
import type { TriggerWorkerDependencies } from '../enrolment/trigger.worker.js';
import type { WorkItem } from '../loop/work-item.js';
import { groupBy } from '../../rules/group-by.js';
import { recheck } from '../../rules/compiled-version.js';
import type { CompiledVersion, RunCondition } from '../../rules/compiled-version.js';
import { lastTurn } from '../../rules/last-turn.js';
import { handleFilters } from '../../rules/handle-event.js';
import { sweepMs } from '../../rules/step-decision.js';
import type { Run, Transition } from '../../rules/run.js';
import { RunTransitionRepository } from '../store/run-transition.repository.js';
import { RunRepository } from '../store/run.repository.js';

type Checked = Run & { checkAt: Date };
type Meeting = ReadonlySet<string>;
interface Answer {
  run: Checked;
  version: CompiledVersion;
  met: readonly Meeting[];
}

/** Most runs of a shard per claim, and of a version in one request. */
const perShard = 50;
/** Most runs per claim, so that all are tested before their lease ends. */
const claimedMax = 1_000;
const leaseSeconds = 30;
const requestMs = 20_000;
const conditionsMax = 100;
/**
 * Delay of the recheck in milliseconds: events reach all services within a second, or within some seconds while a
 * campaign's events are delivered.
 */
const againMs = 10_000;

/** Tests the filter conditions of open runs: after an event of the subscriber, and at intervals. */
export class FilterCheckWorker {
  #turn: string | null = null;

  constructor(private readonly parts: TriggerWorkerDependencies) {}

  /**
   * Claims runs due for a test; each version becomes a work item of its own, so that slow filters do not delay other
   * versions.
   */
  async claim(): Promise<WorkItem[]> {
    const limits = { perShard, most: claimedMax, after: this.#turn, leaseSeconds };
    const runs = await new RunRepository(this.parts.contexts.plain().manager).claimChecks(limits);
    this.#turn = lastTurn(runs, limits);
    const byVersion = groupBy(runs, (run) => `${run.organizationId} ${run.workflowId} ${run.version}`);
    return [...byVersion.values()].map((stepBatch) => ({ size: stepBatch.length, work: () => this.#test(stepBatch) }));
  }

  async #test(runs: readonly Checked[]): Promise<WorkItem[]> {
    const { contexts, versions } = this.parts;
    const version = await versions.get(contexts.plain().manager, runs[0]!.organizationId, runs[0]!);
    const met = await this.#ask(runs, version.filterWatches);
    const answers = runs.map((run) => ({ run, version, met }));
    await contexts.transaction((context) => this.#settle(answers, context));
    // Runs that advanced have work to do.
    this.parts.wakeSignals.wake('runs');
    return [];
  }

  async #settle(answers: readonly Answer[], { manager: sql, outbox }: CallContext): Promise<void> {
    const repository = new RunRepository(sql);
    const now = await repository.getNow();
    const asked = new Map(answers.map((answer) => [answer.run.id, answer]));
    const transitions: Transition[] = [];
    for (const run of await repository.lockByIds(answers.map((answer) => answer.run))) {
      const { run: before, version, met } = asked.get(run.id)!;
      const watches = version.filterWatches;
      const shows = (condition: RunCondition) => Boolean(met[watches.indexOf(condition)]?.has(run.subscriberId));
      const transition = handleFilters(run, version, { now, shows, met: before.met });
      if (transition) transitions.push(transition);
    }
    const raised = await repository.raiseFence(transitions.map(({ run }) => run));
    const recorder = new RunTransitionRepository({ sql, outbox }, now);
    await recorder.record(transitions.map((transition, place) => ({ ...transition, run: raised[place]! })));
    await repository.updateChecked(
      answers.map(({ run, version }) => {
        const afterMs = run.met.includes(recheck) ? againMs : version.sweeps ? sweepMs : null;
        return { run, next: afterMs === null ? null : new Date(now.getTime() + afterMs) };
      }),
    );
  }

  async #ask(runs: readonly Run[], watches: readonly RunCondition[]): Promise<Meeting[]> {
    const met: Meeting[] = [];
    for (let from = 0; from < watches.length; from += conditionsMax)
      met.push(...(await this.#askSome(runs, watches.slice(from, from + conditionsMax))));
    return met;
  }

  /** Filters that fail are met by no subscriber and do not affect the other conditions of the request. */
  async #askSome(runs: readonly Run[], watches: readonly RunCondition[]): Promise<Meeting[]> {
    const { get_people } = this.parts.bus.client(subscriberWorkflowRequests);
    const subscriberIds = [...new Set(runs.map(({ subscriberId }) => subscriberId))];
    const conditions = watches.map(({ filters, event }) => filters ?? event!.filters!);
    try {
      const caller = serviceCaller(runs[0]!.organizationId, randomUUID(), requestMs);
      const { people } = await get_people({ subscriberIds, conditions, fieldIds: [] }, caller);
      return watches.map(
        (_condition, place) => new Set(people.flatMap(({ subscriberId, shows }) => (shows[place] ? subscriberId : []))),
      );
    } catch (error) {
      if (!(error instanceof RemoteFailure) || saysNothing(error.failure)) throw error;
      const half = Math.ceil(watches.length / 2);
      if (watches.length > 1)
        return [
          ...(await this.#askSome(runs, watches.slice(0, half))),
          ...(await this.#askSome(runs, watches.slice(half))),
        ];
      this.parts.log.warn(
        { err: error, workflow: runs[0]!.workflowId, watch: watches[0]!.key },
        'cannot evaluate the filters that runs wait for',
      );
      return [new Set()];
    }
  }
}
