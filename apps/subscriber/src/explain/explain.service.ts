import type { ServiceBus } from '#bus';
import { explainCampaignRequests, explainMessageRequests, explainWorkflowRequests } from '#contracts';
import type { Args, Data, ExplainCheck, ExplainedTrigger, ExplainedWorkflow, Filter } from '#contracts';
import { isByPosition, messageIdAt, uuidOf, wireId } from '#database';
import { isUnanswered, RemoteFailure, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { FilterEngine } from '../filter/filter-engine.service.js';
import type { FilterPlan } from '../filter/filter-plan.js';
import type { SegmentRepository } from '../segment/segment.repository.js';
import { actionsFor, explainMessage, filterChecks, standingChecks } from './explain.js';
import type { Explanation, FilterResult } from './explain.js';
import {
  activeCheck,
  entryChecks,
  explainEnded,
  explainEntry,
  explainRun,
  isOpen,
  triggerCheck,
} from './explain-workflow.js';
import type { ExplainRepository } from './explain.repository.js';

/** Milliseconds that a service has whose part of the explanation may be left out. */
const otherServiceMs = 80;

interface Dependencies {
  explanations: ExplainRepository;
  segments: SegmentRepository;
  engine: FilterEngine;
  bus: ServiceBus;
}
type Campaign = Data<(typeof explainCampaignRequests)['calls']['get_campaign_audience']>;
type FindMessage = Args<(typeof explainMessageRequests)['calls']['find_message']>;
type Found = Data<(typeof explainMessageRequests)['calls']['find_message']>;

/** Conditions that the history can answer for an earlier instant; counters, names and runs are known as of now only. */
const rewindable = new Set(['TAG', 'FIELD', 'EVENT', 'CAMPAIGN', 'SEGMENT']);

export class ExplainService {
  constructor(private readonly dependencies: Dependencies) {}

  async segment(subscriberId: string, segmentId: string, caller: Caller): Promise<Explanation> {
    const { name, filters } = await this.dependencies.segments.get(caller.organizationId, segmentId);
    const checks = filterChecks(await this.#filters(subscriberId, filters, null, caller), caller.now);
    const failed = checks.find(({ passed }) => !passed);
    return {
      ...nothing,
      subscriberId,
      verdict: failed ? 'OUT' : 'IN',
      at: caller.now.toISOString(),
      headline: failed
        ? `Not in the segment '${name}': ${filterText(failed)} ${failed.actual}.`
        : `In the segment '${name}'.`,
      checks,
    };
  }

  /** @throws ToolError MESSAGE_NOT_FOUND, also if it is another subscriber's; RemoteFailure while it is being sent */
  async message(messageId: string, subscriberId: string | null, caller: Caller): Promise<Explanation> {
    const request = { messageId, sendId: null, subscriberId: null };
    const { message } = await this.dependencies.bus.client(explainMessageRequests).find_message(request, caller);
    if (!message || (subscriberId !== null && message.subscriberId !== subscriberId))
      throw new ToolError('MESSAGE_NOT_FOUND', { id: messageId });
    return { ...nothing, subscriberId: message.subscriberId, ...explainMessage(message) };
  }

  /** @throws RemoteFailure MESSAGE_IN_PROGRESS while the message is being sent */
  async campaign(subscriberId: string, campaignId: string, caller: Caller): Promise<Explanation> {
    const campaign = await this.dependencies.bus
      .client(explainCampaignRequests)
      .get_campaign_audience({ campaignId }, caller);
    return campaign.sendId === null || campaign.startedAt === null
      ? await this.#before(subscriberId, campaign, caller)
      : await this.#after(subscriberId, { ...campaign, sendId: campaign.sendId }, new Date(campaign.startedAt), caller);
  }

  /** Without an answer of the workflow service, the explanation is IN_DOUBT. */
  async workflow(subscriberId: string, workflowId: string, caller: Caller): Promise<Explanation> {
    const { now, organizationId } = caller;
    const standing = await this.dependencies.explanations.findStanding(organizationId, subscriberId, now);
    if (!standing) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: subscriberId });
    const bus = this.dependencies.bus.client(explainWorkflowRequests);
    const found = await answerInTime(bus.find_workflow_run({ workflowId, subscriberId }, hurried(caller)));
    const standings = standingChecks(standing, now);
    if (found === null)
      return {
        ...nothing,
        subscriberId,
        verdict: 'IN_DOUBT',
        at: now.toISOString(),
        headline: 'Whether this subscriber entered the workflow is unknown: its service did not answer in time.',
        checks: standings,
        unknown: ['workflow'],
      };
    const { name, run } = found;
    if (run && isOpen(run)) return { ...nothing, subscriberId, ...explainRun(name, run) };
    const triggers = await this.#triggerChecks(subscriberId, found, caller);
    const checks = [activeCheck(found, now), ...triggers, ...standings, ...entryChecks(found, now)];
    const failed = checks.find(({ passed }) => passed === false);
    const explained = run ? explainEnded(explainRun(name, run), checks) : explainEntry(name, checks, now);
    return { ...nothing, subscriberId, ...explained, actions: actionsFor(failed, subscriberId) };
  }

  async #triggerChecks(subscriberId: string, workflow: ExplainedWorkflow, caller: Caller): Promise<ExplainCheck[]> {
    const { triggers, publishedAt = null } = workflow;
    const since = publishedAt === null ? null : new Date(publishedAt);
    const each = await Promise.all(triggers.map((trigger) => this.#checkTrigger(subscriberId, trigger, since, caller)));
    const met = (checks: ExplainCheck[]) => checks.findIndex(({ passed }) => passed === false);
    return each.find((checks) => met(checks) === -1) ?? each.sort((a, b) => met(b) - met(a))[0] ?? [];
  }

  async #checkTrigger(
    subscriberId: string,
    trigger: ExplainedTrigger,
    since: Date | null,
    caller: Caller,
  ): Promise<ExplainCheck[]> {
    const { explanations } = this.dependencies;
    const last =
      trigger.eventTypes.length === 0
        ? null
        : await explanations.findLastEvent(caller.organizationId, subscriberId, trigger);
    const results = await this.#filters(subscriberId, trigger.filters, null, caller);
    return [triggerCheck(trigger, { last, since }, caller.now), ...filterChecks(results, caller.now)];
  }

  async #before(subscriberId: string, campaign: Campaign, caller: Caller): Promise<Explanation> {
    const { name, status, scheduledAt, failure, waitingFor = null } = campaign;
    const { checks, failed } = await this.#audienceChecks(subscriberId, campaign.filters, caller.now, caller);
    const willReceive = status === 'SCHEDULED' && !failed && waitingFor === null;
    const isWaiting = status === 'SCHEDULED' && waitingFor !== null;
    const headline = failed
      ? `Would not receive '${name}': ${reasonText(failed)}`
      : isWaiting
        ? `'${name}' would be sent to this subscriber, and waits: ${waitingFor}.`
        : willReceive
          ? `Receives '${name}' at ${scheduledAt} if nothing changes.`
          : `'${name}' is ${status}${failure ? `: ${failure}` : ''}. It would be sent to this subscriber now.`;
    return {
      ...nothing,
      subscriberId,
      verdict: failed ? verdictOf(failed) : isWaiting ? 'WAITING' : willReceive ? 'WILL_RECEIVE' : 'NOT_STARTED',
      at: caller.now.toISOString(),
      headline,
      checks,
      nextPossibleAt: willReceive ? scheduledAt : null,
      actions: actionsFor(failed, subscriberId),
    };
  }

  async #after(
    subscriberId: string,
    campaign: Campaign & { sendId: string },
    startedAt: Date,
    caller: Caller,
  ): Promise<Explanation> {
    const { sendId, audienceId } = campaign;
    const { found, unknown } = await this.#findMessage({ messageId: null, sendId, subscriberId }, caller);
    const at = startedAt.toISOString();
    const frozen = (passed: boolean): ExplainCheck => ({
      rule: 'audience',
      expected: 'in the audience when it was frozen',
      actual: passed ? 'in the audience' : 'not in the audience',
      passed,
      certainty: 'RECORDED',
      at,
      source: 'subscriber',
    });
    const place =
      found?.message || !audienceId
        ? null
        : await this.dependencies.explanations.findPlace(caller.organizationId, audienceId, subscriberId);
    const message = found?.message ?? (found && place && (await this.#findAt(sendId, place, caller)));
    if (message) {
      const explained = explainMessage(message);
      return { ...nothing, subscriberId, ...explained, checks: [frozen(true), ...explained.checks] };
    }
    if (place)
      return {
        ...nothing,
        subscriberId,
        ...waiting(campaign.name, found?.send ?? null),
        at,
        checks: [frozen(true)],
        unknown,
      };
    const { checks, failed } = await this.#audienceChecks(subscriberId, campaign.filters, startedAt, caller);
    return {
      ...nothing,
      subscriberId,
      verdict: failed ? verdictOf(failed) : 'NOT_IN_AUDIENCE',
      at,
      headline: failed
        ? `Did not receive '${campaign.name}': ${reasonText(failed)}`
        : `Was not in the audience of '${campaign.name}'. The history does not show which filter excluded this subscriber.`,
      checks: [...checks, ...(audienceId ? [frozen(false)] : [])],
      unknown,
    };
  }

  /** Null, and the service as unknown, when the delivery service does not answer in time. */
  async #findMessage(request: FindMessage, caller: Caller): Promise<{ found: Found | null; unknown: string[] }> {
    const { find_message } = this.dependencies.bus.client(explainMessageRequests);
    const found = await answerInTime(find_message(request, hurried(caller)));
    return { found, unknown: found ? [] : ['delivery'] };
  }

  /**
   * Finds the message of a place in the audience, whose id is known before it has a row.
   * @throws RemoteFailure MESSAGE_IN_PROGRESS while it is being sent
   */
  async #findAt(sendId: string, { page, position }: { page: number; position: number }, caller: Caller) {
    const send = uuidOf('send', sendId) ?? '';
    if (!isByPosition(send)) return null;
    const messageId = wireId('msg', messageIdAt(send, page, position));
    return (await this.#findMessage({ messageId, sendId: null, subscriberId: null }, caller)).found?.message ?? null;
  }

  async #audienceChecks(subscriberId: string, filters: readonly Filter[], at: Date, caller: Caller) {
    const standing = await this.dependencies.explanations.findStanding(caller.organizationId, subscriberId, at);
    if (!standing) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: subscriberId });
    const rewound =
      at < caller.now
        ? await this.dependencies.explanations.rewind(caller.organizationId, subscriberId, standing, at)
        : null;
    const results = await this.#filters(subscriberId, filters, rewound, { ...caller, now: at });
    const checks = [...standingChecks(standing, at), ...filterChecks(results, at)];
    return { checks, failed: checks.find(({ passed }) => !passed) };
  }

  /** One plan a filter. Targets are looked up for all at once; only if one is gone, filter by filter. */
  async #plans(filters: readonly Filter[], caller: Caller): Promise<(FilterPlan | { gone: string })[]> {
    const { engine } = this.dependencies;
    const whole = await engine.plan(caller, filters, { from: 'store' }).catch(goneTarget);
    if (!('gone' in whole)) return whole.each();
    return await Promise.all(
      filters.map((filter) => engine.plan(caller, [filter], { from: 'store' }).catch(goneTarget)),
    );
  }

  async #filters(
    subscriberId: string,
    filters: readonly Filter[],
    rewound: Parameters<ExplainRepository['evaluate']>[3],
    caller: Caller,
  ): Promise<FilterResult[]> {
    const { engine, explanations } = this.dependencies;
    const plans = await this.#plans(filters, caller);
    const read = await Promise.all(
      plans.map(async (plan, place) => {
        const filter = filters[place]!;
        if ('gone' in plan) return { filter, gone: plan.gone, certainty: 'NOW' as const, where: null };
        const isRewound = rewound && plan.types().every((type) => rewindable.has(type));
        const certainty = isRewound ? ('REWOUND' as const) : ('NOW' as const);
        return { filter, gone: null, certainty, where: await engine.conditionOf(caller, plan) };
      }),
    );
    const conditions = read.flatMap(({ where }) => where ?? []);
    const holds = await explanations.evaluate(caller.organizationId, subscriberId, conditions, rewound);
    let next = 0;
    return read.map(({ where, ...one }) => ({ ...one, holds: where ? holds[next++]! : null }));
  }
}

const hurried = (caller: Caller): Caller => ({
  ...caller,
  deadline: Math.min(caller.deadline, Date.now() + otherServiceMs),
});

/** The answer of another service, or its refusal thrown, such as MESSAGE_IN_PROGRESS; null when none arrives in time. */
const answerInTime = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (!(error instanceof RemoteFailure) || !isUnanswered(error.failure)) throw error;
    if (error.failure.reason === 'MESSAGE_IN_PROGRESS') throw error;
    return null;
  });

function goneTarget(error: unknown): { gone: string } {
  if (error instanceof ToolError && ['FILTER_TARGET_GONE', 'RECORDS_EXPIRED'].includes(error.reason))
    return { gone: error.message };
  throw error;
}

const nothing = { nextPossibleAt: null, actions: [], unknown: [] };

const verdictOf = ({ rule }: ExplainCheck) => (rule === 'filter' ? 'NOT_IN_AUDIENCE' : 'LEFT_OUT');

const filterText = ({ filter }: ExplainCheck): string =>
  [filter?.type, filter?.field, filter?.operator].filter(Boolean).join(' ');

const reasonText = (failed: ExplainCheck): string =>
  failed.rule === 'filter'
    ? `the filter ${filterText(failed)} ${failed.actual}.`
    : `${failed.rule} is ${failed.actual}, expected ${failed.expected}.`;

function waiting(name: string, send: Found['send']): Pick<Explanation, 'verdict' | 'headline'> {
  if (send?.state === 'STOPPED')
    return { verdict: 'LEFT_OUT', headline: `In the audience of '${name}', whose send was stopped before their turn.` };
  const why = send?.pausedReason ?? send?.waitingFor;
  return {
    verdict: 'WAITING',
    headline: `In the audience of '${name}'; their turn has not come${why ? `: ${why}` : '.'}`,
  };
}
