import { subscriberQueryTools, subscriberRequests, tagTools } from '#contracts';
import type { Filter, workflowRunTools } from '#contracts';
import { newId } from '#database';
import type { Caller, Handlers } from '#tool-call';
import { enrollable } from '../run/run-context.service.js';
import type { RunDependencies } from '../run/run-context.service.js';
import { shownStep } from '../run/run-result.js';
import { EnrolmentJobRepository, publicCounts } from '../store/enrolment-job.repository.js';
import type { JobCounts } from '../store/enrolment-job.repository.js';
import { countLeftOut, EnrolmentService, batchMax } from './enrolment.service.js';
import type { EnrolmentOutcome } from './enrolment.service.js';
import { peopleOf } from './eligibility.client.js';

/** Most subscribers enrolled within the call; more are enrolled in the background. */
const atOnce = 500;

const tagsOfFilter = 100;

export function countOutcomes(outcomes: readonly EnrolmentOutcome[], counts: JobCounts = {}): JobCounts {
  for (const outcome of outcomes) {
    const key = 'skip' in outcome ? outcome.skip : 'ENROLLED';
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Enrols subscribers by id, in transactions of `batchMax`. @returns counts by outcome */
export async function enrolAll(
  { context, bus, versions }: RunDependencies,
  {
    workflowId,
    stepId,
    subscriberIds,
  }: { workflowId: string; stepId: string | null; subscriberIds: readonly string[] },
  caller: Caller,
): Promise<JobCounts> {
  const counts: JobCounts = {};
  for (let from = 0; from < subscriberIds.length; from += batchMax) {
    const people = await peopleOf(bus, subscriberIds.slice(from, from + batchMax), caller);
    const enrolmentRequests = people.map((person) => ({ ...person, workflowId, stepId }));
    const outcomes = await context.transaction(({ manager: sql, outbox }) =>
      new EnrolmentService({ sql, outbox, versions }).enrol(caller.organizationId, enrolmentRequests),
    );
    countOutcomes(outcomes, counts);
  }
  return counts;
}

/** Returns filters equal to the free-text search of subscriber lists: a part of email, name or tag name. */
async function textFilters({ bus }: RunDependencies, query: string | undefined, caller: Caller): Promise<Filter[]> {
  const text = query?.trim();
  if (!text) return [];
  const { tags } = await bus.client(tagTools).list_tags({}, caller);
  const tagIds = tags.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).map(({ id }) => id);
  const any: Filter[] = ['email', 'name'].map((field) => ({
    type: 'STRING',
    field,
    operator: 'CONTAINS',
    value: text,
  }));
  for (let from = 0; from < tagIds.length; from += tagsOfFilter) {
    const some = tagIds.slice(from, from + tagsOfFilter);
    any.push({ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagIds: some });
  }
  return [{ type: 'GROUP', match: 'ANY', filters: any }];
}

export function manyHandlers(
  parts: RunDependencies,
): Pick<Handlers<typeof workflowRunTools>, 'add_subscribers_to_workflow'> {
  const { context, bus } = parts;
  return {
    add_subscribers_to_workflow: async ({ workflowId, dryRun = false, ...args }, caller) => {
      const { organizationId, now } = caller;
      const version = await enrollable(parts, { workflowId, stepId: args.stepId }, caller);
      const stepId = args.stepId ?? null;
      const steps = version.stepIds.map((id) => shownStep(version, id));
      if (args.subscriberIds) {
        const subscriberIds = [...new Set(args.subscriberIds)];
        if (dryRun) return { matched: subscriberIds.length, steps, dryRun };
        const counts = await enrolAll(parts, { workflowId, stepId, subscriberIds }, caller);
        return { matched: subscriberIds.length, ...publicCounts(counts), dryRun };
      }
      const subscribers = bus.client(subscriberRequests);
      const wanted = [...args.filters, ...(await textFilters(parts, args.query, caller))];
      const { filters } = await subscribers.check_filters({ filters: wanted }, caller);
      const { status } = args;
      const { total: matched } = await bus.client(subscriberQueryTools).count_subscribers({ filters, status }, caller);
      if (dryRun) return { matched, steps, dryRun };
      const leaveOut = (people: number) =>
        context.transaction(({ manager }) => countLeftOut(manager, { organizationId, workflowId }, { people, now }));
      if (status !== 'SUBSCRIBED' || matched === 0) {
        await leaveOut(matched);
        return { matched, ...publicCounts(matched > 0 ? { NOT_SUBSCRIBED: matched } : {}), dryRun };
      }
      if (matched > atOnce) {
        const jobId = newId('job');
        const job = { jobId, workflowId, stepId, audienceId: newId('aud'), filters, matched };
        await context.transaction(({ manager }) =>
          new EnrolmentJobRepository(manager).insert(organizationId, job, now),
        );
        return { matched, status: 'RUNNING' as const, jobId, dryRun };
      }
      const audienceId = newId('aud');
      await subscribers.freeze_audience({ audienceId, purpose: 'ENROLMENT', filters }, caller);
      const enrolPage = async () => {
        const page = { audienceId, pageNumber: 0, showIf: [], variables: [] };
        const { recipients } = await subscribers.get_audience_page(page, caller);
        const subscriberIds = recipients.map(({ subscriberId }) => subscriberId);
        return { subscriberIds, counts: await enrolAll(parts, { workflowId, stepId, subscriberIds }, caller) };
      };
      const { subscriberIds, counts } = await enrolPage().finally(() =>
        subscribers.release_audience({ audienceId }, caller),
      );
      const suppressed = matched - subscriberIds.length;
      if (suppressed > 0) {
        await leaveOut(suppressed);
        counts.NOT_SUBSCRIBED = (counts.NOT_SUBSCRIBED ?? 0) + suppressed;
      }
      return { matched: Math.max(matched, subscriberIds.length), ...publicCounts(counts), dryRun };
    },
  };
}
