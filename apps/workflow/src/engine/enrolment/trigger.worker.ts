import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { subscriberWorkflowRequests } from '#contracts';
import type { Filter } from '#contracts';
import type { Logger } from '#observability';
import type { CallContexts } from '#service-host';
import { RemoteFailure } from '#tool-call';
import type { WorkItem } from '../loop/work-item.js';
import { groupBy } from '../../rules/group-by.js';
import type { WakeSignals } from '../loop/wake-signals.js';
import type { VersionCache } from '../run/version-cache.service.js';
import { ineligibility } from '../../rules/enrolment.js';
import type { SkipReason } from '../../rules/enrolment.js';
import { EnrolmentRepository } from '../store/enrolment.repository.js';
import type { StartRequest } from '../store/enrolment.repository.js';
import { EnrolmentService } from './enrolment.service.js';

export interface TriggerWorkerDependencies {
  contexts: CallContexts;
  bus: ServiceBus;
  versions: VersionCache;
  log: Logger;
  wakeSignals: WakeSignals;
}

/** Most requests of one organization per claim, so that no organization waits behind a larger one. */
const perOrganization = 200;
const leaseSeconds = 30;
const requestMs = 20_000;
/** Failures of filters that cannot be repaired by trying again: their trigger starts no run. */
const lasting = ['FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'];

export class TriggerWorker {
  constructor(private readonly parts: TriggerWorkerDependencies) {}

  /** Claims the oldest request of each subscriber; each organization's requests become a work item of their own. */
  async claim(): Promise<WorkItem[]> {
    const repository = new EnrolmentRepository(this.parts.contexts.plain().manager);
    const requests = await repository.claimRequests(perOrganization, leaseSeconds);
    return [...groupBy(requests, ({ organizationId }) => organizationId)].map(([organizationId, theirs]) => ({
      size: theirs.length,
      work: () => this.#decide(organizationId, theirs),
    }));
  }

  async #decide(organizationId: string, requests: readonly StartRequest[]): Promise<WorkItem[]> {
    const objections = await this.#ineligibilities(organizationId, requests);
    await this.#enrol(organizationId, requests, objections);
    this.parts.wakeSignals.wake('runs');
    return [];
  }

  /** Returns the reason against each request; requests with equal filters share one call. */
  async #ineligibilities(
    organizationId: string,
    requests: readonly StartRequest[],
  ): Promise<Map<string, SkipReason | null>> {
    const found = new Map<string, SkipReason | null>();
    const { get_people } = this.parts.bus.client(subscriberWorkflowRequests);
    const byFilters = groupBy(requests, ({ filters }) => JSON.stringify(filters));
    for (const some of byFilters.values()) {
      const { filters } = some[0]!;
      const conditions = filters ? [filters as Filter[]] : [];
      const subscriberIds = some.map(({ subscriberId }) => subscriberId);
      const caller = serviceCaller(organizationId, randomUUID(), requestMs);
      try {
        const { people } = await get_people({ subscriberIds, conditions, fieldIds: [] }, caller);
        const byId = new Map(people.map((person) => [person.subscriberId, person]));
        for (const { seq, subscriberId, anyStatus } of some) {
          const person = byId.get(subscriberId);
          const filtered = filters && person && !person.shows[0] ? ('FILTERED' as const) : null;
          found.set(seq, filtered ?? ineligibility(person, anyStatus));
        }
      } catch (error) {
        if (!(error instanceof RemoteFailure) || !lasting.includes(error.failure.reason ?? '')) throw error;
        this.parts.log.warn({ err: error, workflow: some[0]!.workflowId }, 'cannot evaluate the filters of a trigger');
        for (const { seq } of some) found.set(seq, 'FILTERED');
      }
    }
    return found;
  }

  async #enrol(
    organizationId: string,
    requests: readonly StartRequest[],
    objections: Map<string, SkipReason | null>,
  ): Promise<void> {
    const { contexts, versions } = this.parts;
    await contexts.transaction(async ({ manager: sql, outbox }) => {
      const queue = new EnrolmentRepository(sql);
      const mine = await queue.deleteRequests(requests.map(({ seq }) => seq));
      // A subscriber who does not meet the trigger's filters is not counted as skipped.
      const meant = requests.filter(({ seq }) => mine.has(seq) && objections.get(seq) !== 'FILTERED');
      const enrolmentRequests = meant.map(({ seq, subscriberId, workflowId, stepId }) => ({
        subscriberId,
        workflowId,
        stepId,
        skip: objections.get(seq)!,
      }));
      // Otherwise, further triggers that the same event meets would start the workflow once more.
      const chosen = meant.filter(({ seq, filters }) => filters !== null && objections.get(seq) === null);
      if (chosen.length > 0) await queue.deleteAlike(chosen);
      if (enrolmentRequests.length > 0)
        await new EnrolmentService({ sql, outbox, versions }).enrol(organizationId, enrolmentRequests);
    });
  }
}
