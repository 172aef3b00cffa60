import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import { subscriberWorkflowRequests } from '#contracts';
import type { CallContext } from '#service-host';
import { RemoteFailure } from '#tool-call';
import { sweepMs } from '../enrolment/enrolment.writer.js';
import type { StartParts } from '../enrolment/start.worker.js';
import type { Batch } from './batch.js';
import { groupBy } from './group-by.js';
import { changesByTime } from './live-version.js';
import type { LiveVersion, Watch } from './live-version.js';
import { react } from './react.js';
import type { Run, Transition } from './run.js';
import { RunRecorder } from './run.recorder.js';
import { RunRepository } from './run.repository.js';

type Checked = Run & { checkAt: Date };
/** What its owner says of a run's subscriber: which of the version's filter watches are met. */
interface Answer {
  run: Checked;
  version: LiveVersion;
  shows: boolean[];
}

/** At most so many runs of a queue at a time, and of a version in one request. */
const perShard = 50;
const leaseSeconds = 30;
const requestMs = 20_000;

/** Tests the filters that open runs look out for: when something touched the subscriber, and now and then for time's sake. */
export class CheckWorker {
  constructor(private readonly parts: StartParts) {}

  /** Takes runs to be tested, those of each version by themselves: filters that take long hold up no others. */
  async claim(): Promise<Batch[]> {
    const runs = await new RunRepository(this.parts.contexts.plain().manager).claimChecks(perShard, leaseSeconds);
    const byVersion = groupBy(runs, (run) => `${run.organizationId} ${run.workflowId} ${run.version}`);
    return [...byVersion.values()].map((company) => ({ size: company.length, work: () => this.#test(company) }));
  }

  async #test(runs: readonly Checked[]): Promise<Batch[]> {
    const { contexts, versions } = this.parts;
    const version = await versions.get(contexts.plain().manager, runs[0]!.organizationId, runs[0]!);
    const met = await this.#ask(runs, version.filterWatches);
    const answers = runs.map((run) => ({ run, version, shows: met.get(run.subscriberId) ?? [] }));
    await contexts.transaction((context) => this.#settle(answers, context));
    // A run that goes on from here has work to do.
    this.parts.bells.ring('runs');
    return [];
  }

  async #settle(answers: readonly Answer[], { manager: sql, outbox }: CallContext): Promise<void> {
    const repository = new RunRepository(sql);
    const now = await repository.getNow();
    const asked = new Map(answers.map((answer) => [answer.run.id, answer]));
    const transitions: Transition[] = [];
    for (const run of await repository.lockByIds(answers.map((answer) => answer.run))) {
      const { run: before, version, shows } = asked.get(run.id)!;
      const watches = version.filterWatches;
      const isMet = (watch: Watch) =>
        Boolean(shows[watches.indexOf(watch)]) && (watch.filters !== undefined || before.met.includes(watch.key));
      const transition = react(run, version, { now, isMet, what: { by: 'FILTERS' } });
      if (transition) transitions.push(transition);
    }
    const raised = await repository.raiseFence(transitions.map(({ run }) => run));
    const recorder = new RunRecorder({ sql, outbox }, now);
    await recorder.record(transitions.map((transition, place) => ({ ...transition, run: raised[place]! })));
    const later = new Date(now.getTime() + sweepMs);
    await repository.updateChecked(
      answers.map(({ run, version }) => {
        const timed = version.filterWatches.some(({ filters }) => filters && changesByTime(filters));
        return { run, next: timed ? later : null };
      }),
    );
  }

  /** For each person, which watches' filters they meet; filters that cannot be answered are met by nobody. */
  async #ask(runs: readonly Run[], watches: readonly Watch[]): Promise<Map<string, boolean[]>> {
    const { get_people } = this.parts.bus.client(subscriberWorkflowRequests);
    const subscriberIds = [...new Set(runs.map(({ subscriberId }) => subscriberId))];
    const conditions = watches.map(({ filters, event }) => filters ?? event!.filters!);
    try {
      const caller = serviceCaller(runs[0]!.organizationId, randomUUID(), requestMs);
      const { people } = await get_people({ subscriberIds, conditions, fieldIds: [] }, caller);
      return new Map(people.map(({ subscriberId, shows }) => [subscriberId, shows]));
    } catch (error) {
      if (!(error instanceof RemoteFailure) || ['UNAVAILABLE', 'TIMEOUT', 'INTERNAL'].includes(error.failure.code))
        throw error;
      this.parts.log.warn(
        { err: error, workflow: runs[0]!.workflowId },
        'filters that runs wait for cannot be answered',
      );
      return new Map();
    }
  }
}
