import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import { subscriberWorkflowRequests } from '#contracts';
import { RemoteFailure } from '#tool-call';
import { sweepMs } from '../enrolment/enrolment.writer.js';
import type { StartParts } from '../enrolment/start.worker.js';
import { groupBy } from './group-by.js';
import { changesByTime } from './live-version.js';
import type { LiveVersion, Watch } from './live-version.js';
import { react } from './react.js';
import type { Run } from './run.js';
import { RunRecorder } from './run.recorder.js';
import { RunRepository } from './run.repository.js';

type Checked = Run & { checkAt: Date };

const claimMax = 400;
const leaseSeconds = 30;
const requestMs = 20_000;
const peopleMax = 200;

/** Tests the filters that open runs look out for: when something touched the subscriber, and now and then for time's sake. */
export class CheckWorker {
  constructor(private readonly parts: StartParts) {}

  /** @returns how many runs were tested */
  async step(): Promise<number> {
    const { contexts, versions } = this.parts;
    const { manager } = contexts.plain();
    const runs = await new RunRepository(manager).claimChecks(claimMax, leaseSeconds);
    const companies = groupBy(runs, (run) => `${run.organizationId} ${run.workflowId} ${run.version}`);
    for (const company of companies.values()) {
      const version = await versions.get(manager, company[0]!.organizationId, company[0]!);
      for (let from = 0; from < company.length; from += peopleMax)
        await this.#check(company.slice(from, from + peopleMax), version);
    }
    return runs.length;
  }

  async #check(runs: readonly Checked[], version: LiveVersion): Promise<void> {
    const watches = version.filterWatches;
    const met = await this.#ask(runs, watches);
    const { organizationId } = runs[0]!;
    await this.parts.contexts.transaction(async ({ manager: sql, outbox }) => {
      const repository = new RunRepository(sql);
      const now = await repository.getNow();
      const recorder = new RunRecorder({ sql, outbox }, now);
      const before = new Map(runs.map((run) => [run.id, run]));
      const open = await repository.lockByIds(organizationId, [...before.keys()]);
      for (const run of open) {
        const shows = met.get(run.subscriberId) ?? [];
        const isMet = (watch: Watch) =>
          Boolean(shows[watches.indexOf(watch)]) &&
          (watch.filters !== undefined || before.get(run.id)!.met.includes(watch.key));
        const transition = react(run, version, { now, isMet, what: { by: 'FILTERS' } });
        if (!transition) continue;
        const [raised] = await repository.raiseFence([run]);
        await recorder.record([{ ...transition, run: raised! }]);
      }
      const timed = watches.some(({ filters }) => filters && changesByTime(filters));
      const next = timed ? new Date(now.getTime() + sweepMs) : null;
      await repository.updateChecked(runs.map((run) => ({ run, next })));
    });
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
