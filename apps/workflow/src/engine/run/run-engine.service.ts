import type { Logger } from '#observability';
import type { CallContext, CallContexts } from '#service-host';
import { EnrolmentRepository } from '../store/enrolment.repository.js';
import { canceled } from './workflow-lifecycle.service.js';
import type { Batch } from '../loop/work-item.js';
import type { Run } from '../../rules/run.js';
import { RunRecorder } from '../store/run-transition.repository.js';
import { RunRepository } from '../store/run.repository.js';
import type { Company, Consequence, Decision, StepPerformer } from './step-executor.service.js';
import type { VersionCache } from './version-cache.service.js';

export interface EngineParts {
  contexts: CallContexts;
  performer: StepPerformer;
  versions: VersionCache;
  log: Logger;
  leaseSeconds?: number;
}

/** At most so many runs of a queue at a time; there are 64 queues. */
const perShard = 200;
/** Runs whose work is asked for in one request. */
const companyMax = 200;
/** Requests to others at a time. */
const askedAtOnce = 8;

/** Addresses outside that are called at a time, in all and for one organization; what comes beyond is put back for so long. */
const callsMax = 800;
const callsPerOrganization = 200;
const putBackSeconds = 5;

const isCall = ({ version, stepId }: Company): boolean => {
  const step = version.has(stepId) ? version.step(stepId) : null;
  return step?.type === 'ACTION' && step.config.kind === 'WEBHOOK';
};

const callsOf = (companies: readonly Company[]): number => companies.reduce((sum, { runs }) => sum + runs.length, 0);

type Decided = Extract<Decision, { transition: unknown }>;

/**
 * Moves runs on: takes those that are due and, round by round, does the work of the step each is at and records where it
 * leads. A step with an effect is begun only once its place is recorded, so that whoever takes over asks for the same effect.
 */
export class RunEngine {
  readonly #leaseSeconds: number;
  /** Whose calls are under way. */
  readonly #calling = new Set<Company>();

  constructor(private readonly parts: EngineParts) {
    this.#leaseSeconds = parts.leaseSeconds ?? 60;
  }

  /** Takes what is due, to be moved to its next rest. */
  async claim(): Promise<Batch[]> {
    const runs = await this.#runs().claim({ perShard, leaseSeconds: this.#leaseSeconds });
    return runs.length > 0 ? [{ size: runs.length, work: () => this.#move(runs) }] : [];
  }

  /** @returns the calls of addresses outside that the runs have come to: nobody knows how long those take */
  async #move(runs: readonly Run[]): Promise<Batch[]> {
    const apart: Company[] = [];
    for (let open = runs; open.length > 0;) {
      const companies = await this.#companies(open);
      const calls = companies.filter(isCall);
      for (const company of calls) {
        if (this.#mayCall(company, apart)) apart.push(company);
        else await this.#runs().updatePutBack(company.runs, putBackSeconds);
      }
      open = await this.#round(companies.filter((company) => !calls.includes(company)));
    }
    return apart.map((company) => ({ size: 0, work: () => this.#call(company) }));
  }

  /** Calls are made beside everything else; those of an organization that has many under way come later. */
  #mayCall({ organizationId }: Company, soon: readonly Company[]): boolean {
    const underWay = [...this.#calling, ...soon];
    const own = underWay.filter((other) => other.organizationId === organizationId);
    return callsOf(own) < callsPerOrganization && callsOf(underWay) < callsMax;
  }

  async #call(company: Company): Promise<Batch[]> {
    this.#calling.add(company);
    try {
      return await this.#move(await this.#round([company]));
    } finally {
      this.#calling.delete(company);
    }
  }

  #runs(manager: CallContext['manager'] = this.parts.contexts.plain().manager): RunRepository {
    return new RunRepository(manager);
  }

  /** @returns the runs that have more to do at once */
  async #round(companies: readonly Company[]): Promise<Run[]> {
    if (companies.length === 0) return [];
    const now = await this.#runs().getNow();
    const decisions: Decision[][] = [];
    for (let from = 0; from < companies.length; from += askedAtOnce) {
      const some = companies.slice(from, from + askedAtOnce);
      decisions.push(...(await Promise.all(some.map((company) => this.parts.performer.perform(company, now)))));
    }
    return await this.#recordAll(decisions, now);
  }

  /** Records what became of all companies at once; when that fails, of each by itself, so that one harms no other. */
  async #recordAll(decisions: readonly Decision[][], now: Date): Promise<Run[]> {
    try {
      return await this.#record(decisions.flat(), now);
    } catch (error) {
      if (decisions.length === 1) throw error;
    }
    const going: Run[] = [];
    for (const some of decisions) {
      const recorded = await this.#record(some, now).catch((error: unknown) => {
        const [{ run }] = some as [Decision];
        this.parts.log.error({ err: error, workflow: run.workflowId, step: run.stepId }, 'steps cannot be recorded');
        return [];
      });
      going.push(...recorded);
    }
    return going;
  }

  async #companies(runs: readonly Run[]): Promise<Company[]> {
    const { manager } = this.parts.contexts.plain();
    const byStep = new Map<string, Company & { runs: Run[] }>();
    const companies: Company[] = [];
    for (const run of runs) {
      const key = `${run.organizationId} ${run.workflowId} ${run.version} ${run.stepId}`;
      const known = byStep.get(key);
      if (known && known.runs.length < companyMax) {
        known.runs.push(run);
        continue;
      }
      const { organizationId, stepId } = run;
      const version = await this.parts.versions.get(manager, organizationId, run);
      const company = { organizationId, version, stepId, runs: [run] };
      byStep.set(key, company);
      companies.push(company);
    }
    return companies;
  }

  async #record(decisions: readonly Decision[], now: Date): Promise<Run[]> {
    const decided = decisions.filter((one): one is Decided => 'transition' in one);
    const retries = decisions.filter((one) => 'retrySeconds' in one);
    if (retries.length > 0) {
      const [{ problem, run }] = retries as [(typeof retries)[0]];
      this.parts.log.warn(
        { problem, workflow: run.workflowId, step: run.stepId, runs: retries.length },
        'step is tried again',
      );
      await this.#runs().updateRetry(retries);
    }
    if (decided.length === 0) return [];
    return await this.parts.contexts.transaction(async (context) => {
      // Still in hand: not due for others before the lease is over.
      const until = new Date(now.getTime() + this.#leaseSeconds * 1000);
      const transitions = decided.map(({ transition }) => {
        const { to } = transition;
        return to?.state === 'ACTIVE' ? { ...transition, to: { ...to, nextActionAt: until } } : transition;
      });
      const { manager: sql, outbox } = context;
      // Told with the time at which it is done: what the steps brought about is older than the end that it led to.
      const written = await new RunRecorder({ sql, outbox }, await this.#runs(sql).getNow()).record(transitions);
      const done = decided.filter(({ run }) => written.has(run.id));
      const ended = await this.#follow(context, done, now);
      return done.flatMap(({ run, transition: { to, visit } }) =>
        to?.state === 'ACTIVE' && !ended.has(run.id)
          ? { ...run, ...to, visit, arrival: visit, state: 'ACTIVE' as const }
          : [],
      );
    });
  }

  /** What follows from decisions within this service, in the same transaction. @returns the ids of runs that ended by it */
  async #follow({ manager, outbox }: CallContext, decided: readonly Decided[], now: Date): Promise<Set<string>> {
    const ended = new Set<string>();
    const some = decided.flatMap(({ run, consequence }) => (consequence ? { run, consequence } : []));
    const of = (kind: Consequence['kind']) => some.filter(({ consequence }) => consequence.kind === kind);
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

/** Ends the other runs of a person in a workflow. @returns their ids */
async function removeFrom(
  { manager, outbox }: Pick<CallContext, 'manager' | 'outbox'>,
  by: Run,
  workflowId: string,
  { now, versions }: { now: Date; versions: VersionCache },
): Promise<string[]> {
  const runs = new RunRepository(manager);
  const open = await runs.lockOpen([by.organizationId], [by.subscriberId]);
  const theirs = await runs.raiseFence(open.filter((run) => run.workflowId === workflowId && run.id !== by.id));
  const recorder = new RunRecorder({ sql: manager, outbox }, now);
  for (const run of theirs) {
    const version = await versions.get(manager, by.organizationId, run);
    await recorder.record([canceled(run, version, now, 'REMOVED', { by: by.workflowId })]);
  }
  return theirs.map(({ id }) => id);
}
