import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from '#events';
import type { Logger } from '#observability';
import type { CallContext, CallContexts } from '#service-host';
import { EnrolmentRepository } from '../store/enrolment.repository.js';
import { canceled } from './workflow-lifecycle.service.js';
import type { WorkItem } from '../loop/work-item.js';
import { lastTurn } from '../../rules/last-turn.js';
import type { Run } from '../../rules/run.js';
import { RunTransitionRepository } from '../store/run-transition.repository.js';
import { RunRepository } from '../store/run.repository.js';
import type { StepBatch, FollowUp, StepResult, StepExecutor } from './step-executor.service.js';
import type { VersionCache } from './version-cache.service.js';

export interface RunEngineDependencies {
  contexts: CallContexts;
  executor: StepExecutor;
  versions: VersionCache;
  log: Logger;
  leaseSeconds?: number;
}

/** Most runs of a shard per claim; there are 64 shards. */
const perShard = 200;
/** Most runs per claim: it is recorded in one transaction a round, long before its lease ends. */
const claimedMax = 2_000;
/** Most runs whose step is executed by one request. */
const stepBatchMax = 200;
const askedAtOnce = 8;
/** Attempts of one transaction, and milliseconds between the first two, at most. */
const attemptsMax = 5;
const retryMs = 200;

/**
 * Concurrent webhook calls, in all and of one organization; calls over a limit are rescheduled by `rescheduleSeconds`.
 */
const callsMax = 800;
const callsPerOrganization = 200;
const rescheduleSeconds = 5;

const isCall = ({ version, stepId }: StepBatch): boolean => {
  const step = version.has(stepId) ? version.step(stepId) : null;
  return step?.type === 'ACTION' && step.config.kind === 'WEBHOOK';
};

const callsOf = (stepBatches: readonly StepBatch[]): number =>
  stepBatches.reduce((sum, { runs }) => sum + runs.length, 0);

type Decided = Extract<StepResult, { transition: unknown }>;

/**
 * Claims due runs, executes their current step in batches and records the transitions, until each run waits or ends. A
 * step with side effects starts only after the run's position is committed, so a process that takes over repeats the
 * same effect id.
 */
export class RunEngine {
  readonly #leaseSeconds: number;
  readonly #calling = new Set<StepBatch>();
  #turn: string | null = null;

  constructor(private readonly parts: RunEngineDependencies) {
    this.#leaseSeconds = parts.leaseSeconds ?? 60;
  }

  async claim(): Promise<WorkItem[]> {
    const limits = { perShard, most: claimedMax, after: this.#turn, leaseSeconds: this.#leaseSeconds };
    const runs = await this.#runs().claim(limits);
    this.#turn = lastTurn(runs, limits);
    return runs.length > 0 ? [{ size: runs.length, work: () => this.#move(runs) }] : [];
  }

  /**
   * @returns the webhook calls that the runs have reached: they run detached, since their duration is not bounded by us
   */
  async #move(runs: readonly Run[]): Promise<WorkItem[]> {
    const detached: StepBatch[] = [];
    for (let open = runs; open.length > 0;) {
      const stepBatches = await this.#stepBatches(open);
      const calls = stepBatches.filter(isCall);
      for (const stepBatch of calls) {
        if (this.#mayCall(stepBatch, detached)) detached.push(stepBatch);
        else await this.#runs().updateRescheduled(stepBatch.runs, rescheduleSeconds);
      }
      open = await this.#round(stepBatches.filter((stepBatch) => !calls.includes(stepBatch)));
    }
    return detached.map((stepBatch) => ({ size: 0, work: () => this.#call(stepBatch) }));
  }

  /** Whether a batch of webhooks may be called now; each organization has its own limit beside the total one. */
  #mayCall({ organizationId }: StepBatch, soon: readonly StepBatch[]): boolean {
    const underWay = [...this.#calling, ...soon];
    const own = underWay.filter((other) => other.organizationId === organizationId);
    return callsOf(own) < callsPerOrganization && callsOf(underWay) < callsMax;
  }

  async #call(stepBatch: StepBatch): Promise<WorkItem[]> {
    this.#calling.add(stepBatch);
    try {
      return await this.#move(await this.#round([stepBatch]));
    } finally {
      this.#calling.delete(stepBatch);
    }
  }

  #runs(manager: CallContext['manager'] = this.parts.contexts.plain().manager): RunRepository {
    return new RunRepository(manager);
  }

  async #round(stepBatches: readonly StepBatch[]): Promise<Run[]> {
    if (stepBatches.length === 0) return [];
    const now = await this.#runs().getNow();
    const decisions: StepResult[][] = [];
    for (let from = 0; from < stepBatches.length; from += askedAtOnce) {
      const some = stepBatches.slice(from, from + askedAtOnce);
      decisions.push(...(await Promise.all(some.map((stepBatch) => this.parts.executor.execute(stepBatch, now)))));
    }
    return await this.#recordAll(decisions, now);
  }

  /**
   * Records all step batches in one transaction, or each by itself if that fails, so that a faulty one does not affect
   * the others.
   */
  async #recordAll(decisions: readonly StepResult[][], now: Date): Promise<Run[]> {
    try {
      return await this.#record(decisions.flat(), now);
    } catch (error) {
      if (decisions.length === 1) throw error;
    }
    const going: Run[] = [];
    for (const some of decisions) {
      const recorded = await this.#record(some, now).catch((error: unknown) => {
        const [{ run }] = some as [StepResult];
        this.parts.log.error({ err: error, workflow: run.workflowId, step: run.stepId }, 'cannot record steps');
        return [];
      });
      going.push(...recorded);
    }
    return going;
  }

  async #stepBatches(runs: readonly Run[]): Promise<StepBatch[]> {
    const { manager } = this.parts.contexts.plain();
    const byStep = new Map<string, StepBatch & { runs: Run[] }>();
    const stepBatches: StepBatch[] = [];
    for (const run of runs) {
      const key = `${run.organizationId} ${run.workflowId} ${run.version} ${run.stepId}`;
      const known = byStep.get(key);
      if (known && known.runs.length < stepBatchMax) {
        known.runs.push(run);
        continue;
      }
      const { organizationId, stepId } = run;
      const version = await this.parts.versions.get(manager, organizationId, run);
      const stepBatch = { organizationId, version, stepId, runs: [run] };
      byStep.set(key, stepBatch);
      stepBatches.push(stepBatch);
    }
    return stepBatches;
  }

  async #record(decisions: readonly StepResult[], now: Date): Promise<Run[]> {
    const decided = decisions.filter((one): one is Decided => 'transition' in one);
    const retries = decisions.filter((one) => 'retrySeconds' in one);
    if (retries.length > 0) {
      const [{ problem, run }] = retries as [(typeof retries)[0]];
      this.parts.log.warn(
        { problem, workflow: run.workflowId, step: run.stepId, runs: retries.length },
        'step will be retried',
      );
      await this.#runs().updateRetry(retries);
    }
    if (decided.length === 0) return [];
    return await this.#transaction(async (context) => {
      // The run stays claimed: no other process may take it before the lease ends.
      const until = new Date(now.getTime() + this.#leaseSeconds * 1000);
      const transitions = decided.map(({ transition }) => {
        const { to } = transition;
        return to?.state === 'ACTIVE' ? { ...transition, to: { ...to, nextActionAt: until } } : transition;
      });
      const { manager: sql, outbox } = context;
      // Recorded with the time of the commit: events caused by the steps must not be newer than the end they led to.
      const written = await new RunTransitionRepository({ sql, outbox }, await this.#runs(sql).getNow()).record(
        transitions,
      );
      const done = decided.filter(({ run }) => written.has(run.id));
      const ended = await this.#follow(context, done, now);
      return done.flatMap(({ run, transition: { to, visit } }) =>
        to?.state === 'ACTIVE' && !ended.has(run.id)
          ? { ...run, ...to, visit, arrival: visit, state: 'ACTIVE' as const }
          : [],
      );
    });
  }

  /**
   * Runs a transaction again if what others did at that moment ended it, such as a deadlock with the consumer of events:
   * without a record, claimed runs would stand still until their lease ends.
   */
  async #transaction<T>(work: (context: CallContext) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.parts.contexts.transaction(work);
      } catch (error) {
        if (attempt === attemptsMax || !isTransient(error)) throw error;
        await sleep(retryMs * attempt * Math.random());
      }
    }
  }

  /** Applies the follow-ups of decisions in the same transaction. @returns the ids of runs that they ended */
  async #follow({ manager, outbox }: CallContext, decided: readonly Decided[], now: Date): Promise<Set<string>> {
    const ended = new Set<string>();
    const some = decided.flatMap(({ run, consequence }) => (consequence ? { run, consequence } : []));
    const of = (kind: FollowUp['kind']) => some.filter(({ consequence }) => consequence.kind === kind);
    await new EnrolmentRepository(manager).insertRequests(
      of('ADD_TO_WORKFLOW').map(({ run, consequence: { workflowId, stepId } }) => ({
        organizationId: run.organizationId,
        subscriberId: run.subscriberId,
        workflowId,
        stepId,
        filters: null,
        anyStatus: false,
        cause: run.id,
      })),
    );
    for (const { run, consequence } of of('REMOVE_FROM_WORKFLOW')) {
      const by = { now, versions: this.parts.versions };
      const theirs = await removeFrom({ manager, outbox }, run, consequence.workflowId, by);
      for (const id of theirs) ended.add(id);
    }
    return ended;
  }
}

async function removeFrom(
  { manager, outbox }: Pick<CallContext, 'manager' | 'outbox'>,
  by: Run,
  workflowId: string,
  { now, versions }: { now: Date; versions: VersionCache },
): Promise<string[]> {
  const runs = new RunRepository(manager);
  const open = await runs.lockOpen([by.organizationId], [by.subscriberId]);
  const theirs = await runs.raiseFence(open.filter((run) => run.workflowId === workflowId && run.id !== by.id));
  const recorder = new RunTransitionRepository({ sql: manager, outbox }, now);
  for (const run of theirs) {
    const version = await versions.get(manager, by.organizationId, run);
    await recorder.record([canceled(run, version, now, 'REMOVED', { by: by.workflowId })]);
  }
  return theirs.map(({ id }) => id);
}
