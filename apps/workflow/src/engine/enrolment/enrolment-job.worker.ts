import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import { subscriberRequests } from '#contracts';
import type { Client } from '#bus';
import { isTransient } from '#events';
import { isUnanswered, RemoteFailure, saysNothing } from '#tool-call';
import type { WorkItem } from '../loop/work-item.js';
import { countLeftOut, EnrolmentService, batchMax } from './enrolment.service.js';
import { countOutcomes } from './bulk-enrolment.tools.js';
import { EnrolmentJobRepository } from '../store/enrolment-job.repository.js';
import type { Job } from '../store/enrolment-job.repository.js';
import { peopleOf } from './eligibility.client.js';
import type { TriggerWorkerDependencies } from './trigger.worker.js';

const leaseSeconds = 60;
/** Attempts in a row, within about an hour, after which a part that fails by a defect ends the job. */
const defectsMax = 20;
/** Age at which a failing job ends: its audience holds addresses, which must not be kept without a limit. */
const longestMs = 3 * 86_400_000;
/** Deadline in milliseconds: freezing a large audience takes longer than a tool may. */
const freezeMs = 600_000;
const partsPerPage = 500 / batchMax;

/** Each transaction enrols half a chunk of the frozen audience and records the progress. */
export class EnrolmentJobWorker {
  readonly #subscribers: Client<typeof subscriberRequests>;

  constructor(private readonly parts: TriggerWorkerDependencies) {
    this.#subscribers = parts.bus.client(subscriberRequests);
  }

  async claim(): Promise<WorkItem[]> {
    const job = await new EnrolmentJobRepository(this.parts.contexts.plain().manager).claim(leaseSeconds);
    return job ? [{ size: 1, work: () => (job.finished ? this.#release(job) : this.#advance(job)) }] : [];
  }

  async #advance(job: Job): Promise<WorkItem[]> {
    try {
      await (job.pages === null ? this.#freeze(job) : this.#enrol(job, job.pages));
    } catch (error) {
      const failure = await this.#failureOf(job, error);
      if (failure === null) throw error;
      this.parts.log.error({ err: error, job: job.jobId, failure }, 'an enrolment cannot go on');
      await new EnrolmentJobRepository(this.parts.contexts.plain().manager).updateFailed(job, failure);
    }
    return [];
  }

  /** Returns why a job cannot go on; null for a passing failure, which must not end an enrolment of thousands. */
  async #failureOf(job: Job, error: unknown): Promise<string | null> {
    const failure = error instanceof RemoteFailure ? error.failure : null;
    const reported = failure
      ? `${failure.reason ?? failure.code}: ${failure.message}`
      : 'DEFECT: something went wrong on our side';
    if (failure && !saysNothing(failure)) return reported;
    const attempts = await new EnrolmentJobRepository(this.parts.contexts.plain().manager).updateAttempts(job);
    if (Date.now() - job.createdAt.getTime() > longestMs)
      return `ENROLMENT_EXPIRED: it was not over after three days; ${reported}`;
    const isPassing = failure ? isUnanswered(failure) : isTransient(error);
    return isPassing || attempts < defectsMax ? null : reported;
  }

  async #release(job: Job): Promise<WorkItem[]> {
    const { organizationId, audienceId } = job;
    await this.#subscribers.release_audience({ audienceId }, serviceCaller(organizationId, randomUUID()));
    await new EnrolmentJobRepository(this.parts.contexts.plain().manager).updateReleased(job);
    return [];
  }

  async #freeze(job: Job): Promise<void> {
    const { audienceId, filters } = job;
    const caller = serviceCaller(job.organizationId, randomUUID(), freezeMs);
    const { total, pages } = await this.#subscribers.freeze_audience(
      { audienceId, purpose: 'ENROLMENT', filters },
      caller,
    );
    const left = job.matched - total;
    const counts: Job['counts'] = left > 0 ? { NOT_SUBSCRIBED: left } : {};
    await this.parts.contexts.transaction(async ({ manager: sql }) => {
      const state = { page: 0, pages, counts, finished: pages === 0, matched: total };
      const mine = await new EnrolmentJobRepository(sql).update(job, state);
      if (mine && left > 0) await countLeftOut(sql, job, { people: left, now: new Date() });
    });
  }

  async #enrol(job: Job, pages: number): Promise<void> {
    const { organizationId, workflowId, stepId, audienceId, page } = job;
    const caller = serviceCaller(organizationId, randomUUID(), leaseSeconds * 1000);
    const asked = { audienceId, pageNumber: Math.floor(page / partsPerPage), showIf: [], variables: [] };
    const { recipients } = await this.#subscribers.get_audience_page(asked, caller);
    const from = (page % partsPerPage) * batchMax;
    const ids = recipients.slice(from, from + batchMax).map(({ subscriberId }) => subscriberId);
    const people = ids.length > 0 ? await peopleOf(this.parts.bus, ids, caller) : [];
    const finished = page + 1 >= pages * partsPerPage;
    const { contexts, versions } = this.parts;
    await contexts.transaction(async ({ manager: sql, outbox }) => {
      const enrolmentRequests = people.map((person) => ({ ...person, workflowId, stepId }));
      const outcomes =
        enrolmentRequests.length > 0
          ? await new EnrolmentService({ sql, outbox, versions }).enrol(organizationId, enrolmentRequests)
          : [];
      const counts = countOutcomes(outcomes, { ...job.counts });
      const mine = await new EnrolmentJobRepository(sql).update(job, { page: page + 1, pages, counts, finished });
      if (!mine) throw new Error(`the enrolment ${job.jobId} was claimed by another process`);
    });
    this.parts.wakeSignals.wake('runs');
  }
}
