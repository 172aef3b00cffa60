import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { Client, ServiceBus } from '#bus';
import { messageRequests, subscriberWorkflowRequests } from '#contracts';
import type { Data, Filter, WorkflowAction } from '#contracts';
import { boundsOf, isUnanswered, RemoteFailure } from '#tool-call';
import type { Bounds, Caller } from '#tool-call';
import type { Step, WebhookConfig } from '../../rules/graph/graph.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { expire, TransitionBuilder } from '../../rules/run-transition.js';
import type { CompiledVersion, VersionEmail } from '../../rules/compiled-version.js';
import { effectId } from '../../rules/run.js';
import type { Run, Transition } from '../../rules/run.js';
import {
  decideCondition,
  decideFieldWait,
  decideMail,
  decideWaitUntil,
  exitOf,
  windowOf,
} from '../../rules/step-decision.js';
import type { WebhookClient } from './webhook.client.js';

type Person = Data<(typeof subscriberWorkflowRequests)['calls']['get_people']>['people'][number];
type StepOfType<T extends Step['type']> = Extract<Step, { type: T }>;

/** A change of another workflow's runs, made in the transaction that records the step. */
export interface FollowUp {
  kind: 'ADD_TO_WORKFLOW' | 'REMOVE_FROM_WORKFLOW';
  workflowId: string;
  stepId: string | null;
}

/** A retry has its reason for users of the run and its problem for the operator. */
export type StepResult =
  | { run: Run; transition: Transition; consequence?: FollowUp }
  | { run: Run; retrySeconds: number; reason: string; problem: string };

/** Attempts after which a run fails by a defect of another service. */
const defectsMax = 10;
/** Attempts of a webhook that does not respond; with waits of 0.5 min, doubled up to an hour, they last 24 hours. */
const webhookTriesMax = 30;
/** Wait in seconds when the month's quota is full: it may be raised at any time, and is renewed with the next month. */
const quotaRetrySeconds = 600;
const requestMs = 20_000;
const conditionsMax = 100;
/** Whether filters failed in a way that trying again cannot repair. */
const isLasting = (error: unknown): boolean =>
  error instanceof RemoteFailure &&
  ['FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE', 'RECORDS_EXPIRED'].includes(error.failure.reason ?? '');

/** Runs that are at the same step of the same version. */
export interface StepBatch {
  organizationId: string;
  version: CompiledVersion;
  stepId: string;
  runs: readonly Run[];
}

export interface Organizations {
  find(caller: Caller): Promise<Bounds>;
}

interface StepExecutorDependencies {
  bus: ServiceBus;
  webhooks: WebhookClient;
  secrets: WebhookSecrets;
  organizations: Organizations;
}

/**
 * Executes a step for all runs of a step batch; its requests carry effect ids, so that repeated ones take effect once.
 */
export class StepExecutor {
  readonly #subscribers: Client<typeof subscriberWorkflowRequests>;
  readonly #delivery: Client<typeof messageRequests>;

  constructor(private readonly parts: StepExecutorDependencies) {
    this.#subscribers = parts.bus.client(subscriberWorkflowRequests);
    this.#delivery = parts.bus.client(messageRequests);
  }

  /** Never throws: a passing failure schedules a retry, a lasting one fails the run. */
  async execute(stepBatch: StepBatch, now: Date): Promise<StepResult[]> {
    try {
      return await this.#perform(stepBatch, now);
    } catch (error) {
      const { runs } = stepBatch;
      const isDefect = !(error instanceof RemoteFailure) || error.failure.code === 'INTERNAL';
      // One run may cause the defect, so each is executed by itself.
      if (isDefect && runs.length > 1) {
        const alone = [];
        for (const run of runs) alone.push(...(await this.execute({ ...stepBatch, runs: [run] }, now)));
        return alone;
      }
      return runs.map((run) => this.#failed(run, stepBatch, error, now));
    }
  }

  #failed(run: Run, { version }: StepBatch, error: unknown, now: Date): StepResult {
    const failure = error instanceof RemoteFailure ? error.failure : null;
    const isLimit = failure?.code === 'RATE_LIMITED' || failure?.code === 'PLAN_LIMIT_REACHED';
    const passes = failure && (isLimit || isUnanswered(failure));
    const isDefect = !failure || failure.code === 'INTERNAL';
    const reported = `${failure?.reason ?? failure?.code ?? 'DEFECT'}: ${failure ? failure.message : 'something went wrong on our side'}`;
    const reason = reported.slice(0, 500);
    if (passes || (isDefect && run.attempts < defectsMax))
      return {
        run,
        reason,
        problem: (error as Error).message,
        retrySeconds: failure?.code === 'PLAN_LIMIT_REACHED' ? quotaRetrySeconds : Math.min(300, 2 ** run.attempts),
      };
    return { run, transition: new TransitionBuilder(run, version, now).end('FAILED', reason).transition() };
  }

  async #perform(stepBatch: StepBatch, now: Date): Promise<StepResult[]> {
    const { version, stepId, runs } = stepBatch;
    const expired = runs.flatMap((run): StepResult[] => {
      const transition = run.waiting && expire(run, version, { now, by: 'TIME' });
      return transition ? [{ run, transition }] : [];
    });
    const done = new Set(expired.map(({ run }) => run.id));
    const open = { ...stepBatch, runs: runs.filter(({ id }) => !done.has(id)) };
    if (open.runs.length === 0) return expired;
    const step = version.step(stepId);
    return [...expired, ...(await this.#work(step, open, now))];
  }

  async #work(step: Step, stepBatch: StepBatch, now: Date): Promise<StepResult[]> {
    switch (step.type) {
      case 'WAIT':
        return await this.#withPeople(stepBatch, now, { fieldIds: [step.config.fieldId!] }, (walk, { fields }) => {
          const { timezone } = stepBatch.version;
          return decideFieldWait(walk, step.config, { now, timezone, value: fields[0] ?? null });
        });
      case 'WAIT_UNTIL':
        return await this.#withPeople(stepBatch, now, { conditions: [step.config.filters!] }, (walk, { shows }) =>
          decideWaitUntil(walk, step.config, { now, isMet: Boolean(shows[0]) }),
        );
      case 'CONDITION':
        return await this.#withPeople(stepBatch, now, { conditions: [step.config.filters] }, (walk, { shows }) =>
          decideCondition(walk, Boolean(shows[0])),
        );
      case 'EMAIL':
        return await this.#mail(stepBatch, now);
      case 'ACTION': {
        const ended = await this.#exits(stepBatch, now);
        const done = new Set(ended.map(({ run }) => run.id));
        const staying = { ...stepBatch, runs: stepBatch.runs.filter(({ id }) => !done.has(id)) };
        return staying.runs.length > 0 ? [...ended, ...(await this.#act(step, staying, now))] : ended;
      }
      default:
        throw new Error(`a run rests at ${step.id}, a ${step.type}`);
    }
  }

  /** Reads the subscribers of all runs by one request, then decides each run; runs of deleted subscribers end. */
  async #withPeople(
    { organizationId, version, runs }: StepBatch,
    now: Date,
    asked: { conditions?: Filter[][]; fieldIds?: string[] },
    go: (walk: TransitionBuilder, person: Person, run: Run) => TransitionBuilder,
  ): Promise<StepResult[]> {
    const subscriberIds = [...new Set(runs.map(({ subscriberId }) => subscriberId))];
    const request = { subscriberIds, conditions: asked.conditions ?? [], fieldIds: asked.fieldIds ?? [] };
    const { people } = await this.#subscribers.get_people(request, callerOf(organizationId));
    const byId = new Map(people.map((person) => [person.subscriberId, person]));
    return runs.map((run) => {
      const person = byId.get(run.subscriberId);
      const walk = new TransitionBuilder(run, version, now);
      const went = person ? go(walk, person, run) : walk.end('CANCELED', 'SUBSCRIBER_DELETED');
      return { run, transition: went.transition() };
    });
  }

  async #mail(stepBatch: StepBatch, now: Date): Promise<StepResult[]> {
    const { organizationId, version, stepId } = stepBatch;
    const opens = windowOf(version, now);
    if (opens) {
      const later = (run: Run) => new TransitionBuilder(run, version, now).wait('SEND_WINDOW', opens).transition();
      return stepBatch.runs.map((run) => ({ run, transition: later(run) }));
    }
    const email = version.emails[stepId]!;
    const messages: { sourceKey: string; subscriberId: string; email: string }[] = [];
    const conditions = version.exitFilters.map(({ filters }) => filters);
    const mail = (walk: TransitionBuilder, person: Person, run: Run): TransitionBuilder => {
      const sent = { campaignId: email.campaignId, email: person.email };
      const decided = decideMail(walk, version, { facts: person, sent });
      const { subscriberId } = person;
      if (decided.isSent) messages.push({ sourceKey: effectId(run), subscriberId, email: person.email });
      return decided.walk;
    };
    const decisions = await this.#withPeople(stepBatch, now, { conditions }, mail).catch((error: unknown) => {
      // A rule whose target is deleted matches no subscriber, and must not withhold the mail.
      if (!isLasting(error)) throw error;
      return this.#withPeople(stepBatch, now, {}, mail);
    });
    if (messages.length === 0) return decisions;
    const gone = await this.#goneOf(email, messages[0]!.subscriberId, organizationId);
    if (gone) {
      const mailed = new Set(messages.map(({ sourceKey }) => sourceKey));
      return decisions.map((one) =>
        mailed.has(effectId(one.run)) ? this.#failed(one.run, stepBatch, gone, now) : one,
      );
    }
    const { template, sender, replyTo, organizationName, campaignId, name, sendKey, subject } = email;
    const reported = { campaignId, campaignName: name, template, sender, replyTo, organizationName };
    const caller = callerOf(organizationId);
    caller.bounds = boundsOf(await this.parts.organizations.find(caller));
    const known = await this.#delivery.queue_workflow_messages({ sendKey, subject, messages, mail: null }, caller);
    if (!known.accepted)
      await this.#delivery.queue_workflow_messages({ sendKey, subject, messages, mail: reported }, caller);
    return decisions;
  }

  /**
   * Returns the failure of an email's conditional blocks whose filters cannot be evaluated; delivery would skip such a
   * message silently.
   */
  async #goneOf(
    { references, template }: VersionEmail,
    subscriberId: string,
    organizationId: string,
  ): Promise<unknown> {
    if (references.length === 0) return null;
    const conditions = (template as { showIf: Filter[][] }).showIf.slice(0, conditionsMax);
    const request = { subscriberIds: [subscriberId], conditions, fieldIds: [] };
    return await this.#subscribers.get_people(request, callerOf(organizationId)).then(
      () => null,
      (error: unknown) => {
        if (!isLasting(error)) throw error;
        return error;
      },
    );
  }

  /**
   * Ends the runs that meet an exit rule before the step takes effect: the regular test of the rules may come later.
   */
  async #exits({ organizationId, version, runs }: StepBatch, now: Date): Promise<StepResult[]> {
    const conditions = version.exitFilters.map(({ filters }) => filters);
    if (conditions.length === 0) return [];
    const subscriberIds = [...new Set(runs.map(({ subscriberId }) => subscriberId))];
    const request = { subscriberIds, conditions, fieldIds: [] };
    const { people } = await this.#subscribers.get_people(request, callerOf(organizationId)).catch((error: unknown) => {
      if (!isLasting(error)) throw error;
      return { people: [] };
    });
    const byId = new Map(people.map((person) => [person.subscriberId, exitOf(version, person.shows)]));
    return runs.flatMap((run) => {
      const exit = byId.get(run.subscriberId);
      return exit ? { run, transition: new TransitionBuilder(run, version, now).end(...exit).transition() } : [];
    });
  }

  async #act({ config }: StepOfType<'ACTION'>, stepBatch: StepBatch, now: Date): Promise<StepResult[]> {
    const { version, runs, organizationId } = stepBatch;
    const leave = (run: Run, data: Record<string, unknown> = {}) =>
      new TransitionBuilder(run, version, now).leave('DONE', data).transition();
    if (config.kind === 'WEBHOOK') return await Promise.all(runs.map((run) => this.#call(config, run, stepBatch, now)));
    if (config.kind === 'ADD_TO_WORKFLOW' || config.kind === 'REMOVE_FROM_WORKFLOW') {
      const { kind, workflowId, stepId = null } = config;
      return runs.map((run) => ({ run, transition: leave(run), consequence: { kind, workflowId, stepId } }));
    }
    const subjects = runs.map((run) => ({ subscriberId: run.subscriberId, callId: effectId(run) }));
    const asked = { workflowId: version.workflowId, action: actionOf(config), subjects };
    await this.#subscribers.apply_workflow_action(asked, callerOf(organizationId));
    return runs.map((run) => ({ run, transition: leave(run) }));
  }

  async #call(
    config: WebhookConfig,
    run: Run,
    { organizationId, version, stepId }: StepBatch,
    now: Date,
  ): Promise<StepResult> {
    const { people } = await this.#subscribers.get_people(
      { subscriberIds: [run.subscriberId], conditions: [], fieldIds: [] },
      callerOf(organizationId),
    );
    const walk = new TransitionBuilder(run, version, now);
    const [person] = people;
    if (!person) return { run, transition: walk.end('CANCELED', 'SUBSCRIBER_DELETED').transition() };
    const { subscriberId, workflowId, id: runId } = run;
    const body = { subscriberId, subscriberEmail: person.email, stepId, workflowId, organizationId, runId };
    const webhookCall = this.parts.secrets.openConfig({ organizationId, workflowId }, stepId, config);
    const { status, problem, later } = await this.parts.webhooks.post(webhookCall, body, effectId(run));
    const reason = `${later ? 'WEBHOOK_UNREACHABLE' : 'WEBHOOK_REFUSED'}: ${problem}`;
    if (later && run.attempts < webhookTriesMax)
      return { run, retrySeconds: Math.min(3_600, 30 * 2 ** run.attempts), problem, reason };
    const webhook = { url: config.url, status };
    if (status !== null && status < 400)
      return { run, transition: { ...walk.leave('DONE', { status }).transition(), webhook } };
    return { run, transition: { ...walk.end('FAILED', reason, { status }).transition(), webhook } };
  }
}

/** Maps an action step to the subscriber service's request; tags that do not exist yet are given by name. */
function actionOf(config: StepOfType<'ACTION'>['config']): WorkflowAction {
  switch (config.kind) {
    case 'ADD_TAGS':
    case 'REMOVE_TAGS': {
      const tagIds = config.tags.filter(isTagId);
      if (config.kind === 'REMOVE_TAGS') return { kind: 'REMOVE_TAGS', tagIds };
      return { kind: 'ADD_TAGS', tagIds, names: config.tags.filter((tag) => !isTagId(tag)) };
    }
    case 'SET_FIELD':
      return { kind: 'SET_FIELD', fieldId: config.field, value: config.value };
    case 'UNSUBSCRIBE':
      return { kind: 'UNSUBSCRIBE', reason: config.reason ?? null };
    default:
      throw new Error(`${config.kind} is no effect on a person`);
  }
}

const isTagId = (tag: string): boolean => /^tag_[0-9a-z]{26}$/.test(tag);
const callerOf = (organizationId: string) => serviceCaller(organizationId, randomUUID(), requestMs);
