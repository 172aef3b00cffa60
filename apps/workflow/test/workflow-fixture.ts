import { clientOf } from '#bus';
import type { ServiceBus } from '#bus';
import { domainRequests } from '#contracts';
import type { workflow as workflowSchema, workflowRun } from '#contracts';
import { newUuid, uuidOf } from '#database';
import { createLogger } from '#observability';
import { CallContexts, OrganizationSettingsCache, readEnvironment } from '#service-host';
import { testLogLevel } from '#testing';
import type { z } from 'zod';
import { environmentFor } from '../../../test/harness/service-plans.js';
import { workflowEnvironment } from '../src/config.js';
import { WakeSignals } from '../src/engine/loop/wake-signals.js';
import { drain } from '../src/engine/loop/work-item.js';
import type { WorkItemWorkerOptions } from '../src/engine/loop/work-item.worker.js';
import { VersionCache } from '../src/engine/run/version-cache.service.js';
import { engineLoops } from '../src/workflow.module.js';
import { Harness } from '../../../test/harness/harness.js';
import type { Tenant } from '../../../test/harness/harness.js';

export type WorkflowData = z.output<typeof workflowSchema>;
export type RunData = z.output<typeof workflowRun>;
interface Configured {
  workflow: WorkflowData;
  configuredEmails: { stepId: string; campaignId: string }[];
  warnings: { stepId: string | null; message: string }[];
}

export interface GivenStep {
  id: string;
  type: string;
  name?: string;
  config?: Record<string, unknown>;
}
interface GivenEdge {
  source: string;
  target: string;
  branch?: string;
}
export interface GivenGraph {
  steps: GivenStep[];
  edges: GivenEdge[];
}

export const step = (id: string, type: string, config: Record<string, unknown> = {}): GivenStep => ({
  id,
  type,
  config,
});
export const mail = (id: string, subject = 'Hello'): GivenStep =>
  step(id, 'EMAIL', { subject, contentType: 'MARKDOWN', content: `# ${subject}\n\nDear {{name}}` });
export const addTags = (id: string, ...tags: string[]): GivenStep => step(id, 'ACTION', { kind: 'ADD_TAGS', tags });
export const tagged = (...tagNames: string[]) => ({
  type: 'TAG',
  field: 'tags',
  operator: 'BELONGS_TO_ANY',
  tagNames,
});

/** Steps one after the other; `a>b` and `a>b:BRANCH` add edges of their own where they are given. */
export const graph = (steps: GivenStep[], ...ways: string[]): GivenGraph => ({
  steps,
  edges:
    ways.length > 0
      ? ways.map((way) => {
          const [, source, target, branch] = /^(.+)>([^:]+)(?::(.+))?$/.exec(way)!;
          return { source: source!, target: target!, ...(branch && { branch }) };
        })
      : steps.slice(1).map(({ id }, n) => ({ source: steps[n]!.id, target: id })),
});

export const byHand = step('start', 'TRIGGER', { kind: 'MANUAL' });
export const onSubscribing = step('start', 'TRIGGER', { kind: 'SUBSCRIBED' });
export const onTag = (...tags: string[]): GivenStep => step('start', 'TRIGGER', { kind: 'TAG_ADDED', tags });
export const day = (id = 'wait'): GivenStep => step(id, 'WAIT', { amount: 1, unit: 'DAYS' });
/** A run waits a day, and then does what else is given. */
export const waiting = (...more: GivenStep[]): GivenGraph => graph([byHand, day(), ...more]);

/** All services, two organizations that can send, and what workflows are tested with. */
export class WorkflowFixture {
  /** What moves runs; a test does it by hand. */
  readonly #steps: (() => Promise<number>)[];

  private constructor(
    readonly harness: Harness,
    readonly tenant: Tenant,
    readonly otherTenant: Tenant,
  ) {
    this.#steps = this.engine();
  }

  static async open(): Promise<WorkflowFixture> {
    return await WorkflowFixture.on(await Harness.start());
  }

  /** A desk with organizations of its own on services that are there. */
  static async on(harness: Harness): Promise<WorkflowFixture> {
    const found = async (name: string): Promise<Tenant> => {
      const nobody = harness.caller({ organizationId: '' });
      const { organization } = await harness.client(domainRequests).create_organization({ name }, nobody);
      return { organizationId: organization.id };
    };
    return new WorkflowFixture(harness, await found('Ours'), await found('Theirs'));
  }

  async close(): Promise<void> {
    await this.harness.stop();
  }

  /** Why a tool refuses. */
  async refusal(tool: string, input: object, tenant = this.tenant): Promise<string> {
    return await this.harness.refusal(tool, input, tenant);
  }

  /** Puts a workflow into a group or out of it. */
  async setGroup(workflowId: string, groupId: string | null): Promise<void> {
    const { updatedAt: expectedUpdatedAt } = await this.get(workflowId);
    await this.harness.data('set_workflow_group', { workflowId, expectedUpdatedAt, groupId }, this.tenant);
  }

  /** The events in a subscriber's history, the newest first. */
  async eventsOf(email: string): Promise<{ type: string; data: Record<string, unknown>; createdAt: string }[]> {
    const { events } = await this.harness.data<{ events: Awaited<ReturnType<WorkflowFixture['eventsOf']>> }>(
      'list_subscriber_events',
      { email },
      this.tenant,
    );
    return events;
  }

  async create(name = 'Welcome', tenant = this.tenant): Promise<WorkflowData> {
    return (await this.harness.data<{ workflow: WorkflowData }>('create_workflow', { name }, tenant)).workflow;
  }

  async get(workflowId: string, tenant = this.tenant): Promise<WorkflowData> {
    return (await this.harness.data<{ workflow: WorkflowData }>('get_workflow', { workflowId }, tenant)).workflow;
  }

  /** Replaces the draft of a workflow as it is now. */
  async configure(
    workflowId: string,
    draft: GivenGraph & { settings?: object; successGoals?: object[] },
    tenant = this.tenant,
  ): Promise<Configured> {
    const { updatedAt } = await this.get(workflowId, tenant);
    const input = { workflowId, expectedUpdatedAt: updatedAt, ...draft };
    return await this.harness.data<Configured>('configure_workflow_draft', input, tenant);
  }

  async subscriber(email: string, fields: object = {}, tenant = this.tenant): Promise<string> {
    const input = { email, ...fields };
    return (await this.harness.data<{ subscriber: { id: string } }>('add_subscriber', input, tenant)).subscriber.id;
  }

  /** Makes tags, so that graphs can name them. @returns their ids */
  async tags(...names: string[]): Promise<string[]> {
    const { tags } = await this.harness.data<{ tags: { id: string }[] }>('get_or_create_tags', { names }, this.tenant);
    return tags.map(({ id }) => id);
  }

  /** Sets how many emails a month may be sent; null for any number. */
  async mailQuota(mailsPerMonth: number | null): Promise<void> {
    const nobody = this.harness.caller({ organizationId: '' });
    await this.harness
      .client(domainRequests)
      .set_organization({ organizationId: this.tenant.organizationId, quotas: { mailsPerMonth } }, nobody);
  }

  /** The steps of another engine, as another process would have it. */
  engine(): (() => Promise<number>)[] {
    return this.loops().map(
      ({ claim }) =>
        () =>
          drain(claim),
    );
  }

  /** Returns the workers of a further engine, which the test runs step by step. */
  loops(bus: ServiceBus = this.harness.bus): WorkItemWorkerOptions[] {
    const log = createLogger('workflow', testLogLevel);
    const contexts = new CallContexts('workflow', this.harness.dataSource('workflow'), () => undefined);
    const config = readEnvironment(workflowEnvironment, environmentFor(this.harness.ownerUrl));
    return engineLoops(config, {
      contexts,
      bus,
      log,
      versions: new VersionCache(),
      wakeSignals: new WakeSignals(),
      organizations: new OrganizationSettingsCache(this.harness.bus),
    }).map((loop) => ({ ...loop, log }));
  }

  /** What another engine would take under a name. @param after what happens before it hears the answer to a question */
  claimOf(
    loop: string,
    after: (question: string) => Promise<void> = () => Promise.resolve(),
  ): WorkItemWorkerOptions['claim'] {
    const { bus } = this.harness;
    const request: typeof bus.request = async (...question) => {
      const outcome = await bus.request(...question);
      await after(question[1].name);
      return outcome;
    };
    const interrupted = { ...bus, client: (set: Parameters<typeof bus.client>[0]) => clientOf(set, request) };
    return this.loops(interrupted as typeof bus).find(({ name }) => name === loop)!.claim;
  }

  /** Carries events and moves runs until nothing moves any more. */
  async run(): Promise<void> {
    for (let moved = 1; moved > 0;) {
      moved = (await this.harness.deliverEvents()).length;
      for (const step of this.#steps) moved += await step();
    }
  }

  async publish(workflowId: string, input: object = {}, tenant = this.tenant): Promise<WorkflowData> {
    return (await this.harness.data<{ workflow: WorkflowData }>('publish_workflow', { workflowId, ...input }, tenant))
      .workflow;
  }

  /** A workflow that is ACTIVE with such a graph. @returns its id */
  async live(
    draft: GivenGraph & { settings?: object; successGoals?: object[] },
    name = 'Live',
    tenant = this.tenant,
  ): Promise<string> {
    const { id } = await this.create(name, tenant);
    await this.configure(id, draft, tenant);
    await this.publish(id, {}, tenant);
    return id;
  }

  async status(workflowId: string, status: string): Promise<WorkflowData> {
    const input = { workflowId, status };
    return (await this.harness.data<{ workflow: WorkflowData }>('update_workflow_status', input, this.tenant)).workflow;
  }

  async enrol(workflowId: string, email: string): Promise<RunData> {
    const input = { workflowId, email };
    return (await this.harness.data<{ run: RunData }>('add_subscriber_to_workflow', input, this.tenant)).run;
  }

  async runs(email: string, workflowId?: string): Promise<RunData[]> {
    const input = { email, ...(workflowId && { workflowId }) };
    return (await this.harness.data<{ runs: RunData[] }>('get_subscriber_workflow_runs', input, this.tenant)).runs;
  }

  /** The steps a run has behind it with what came of each: `wait:DONE`. */
  async way(email: string, workflowId?: string): Promise<string[]> {
    const [run] = await this.runs(email, workflowId);
    return run!.history.map(({ stepId, outcome }) => `${stepId}:${outcome}`);
  }

  async fastForward(
    workflowId: string,
    email: string,
  ): Promise<{ run: RunData; expiredStep: { id: string }; nextStep: { id: string } | null }> {
    return await this.harness.data('fast_forward_workflow_subscriber', { workflowId, email }, this.tenant);
  }

  /** Adds `count` ended runs like the existing run of a workflow, started now. */
  async fillRuns(workflowId: string, count: number): Promise<void> {
    const ids = Array.from({ length: count }, newUuid);
    await this.harness.dataSource('workflow').query(
      `insert into run select (jsonb_populate_record(r, jsonb_build_object('run_id', id, 'state', 'COMPLETED', 'next_action_at', null))).*
       from run r, unnest($2::uuid[]) id where r.workflow_id = $1`,
      [uuidOf('wf', workflowId), ids],
    );
  }

  /** Moves the timers of a workflow's runs into the past by `interval`. */
  async pass(workflowId: string, interval: string): Promise<void> {
    await this.harness.dataSource('workflow').query(
      `update run set next_action_at = next_action_at - $2::interval, held_at = held_at - $2::interval,
         check_at = check_at - $2::interval where workflow_id = $1`,
      [uuidOf('wf', workflowId), interval],
    );
  }

  /** The subjects of the workflow messages that delivery has for an address. */
  async mails(email: string): Promise<string[]> {
    const rows: { subject: string }[] = await this.harness
      .dataSource('delivery')
      .query(`select subject from message where kind = 'WORKFLOW' and email = $1 order by message_id`, [email]);
    return rows.map(({ subject }) => subject);
  }

  async tagsOf(email: string): Promise<string[]> {
    const input = { email };
    const { subscriber } = await this.harness.data<{ subscriber: { tags: { name: string }[] } }>(
      'get_subscriber',
      input,
      this.tenant,
    );
    return subscriber.tags.map(({ name }) => name).sort();
  }
}
