import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { campaignTools, domainRequests, workflowLifeTools, workflowRunTools, workflowTools } from '#contracts';
import { uuidOf, wireId } from '#database';
import { copySubscribers, TestSystem } from '#testing';
import { content } from '../campaign-send/organization.js';
import { environment } from '../report.js';
import { SinkClient } from '../versus-listmonk/sink-client.js';
import { awaitSlowly } from '../workflows/organization.js';
import type { Options } from './options.js';

/** Calls at one time while organizations are made: enough to keep two cores busy. */
const callsMax = 8;
/** Most subscribers that one call enrols. */
const enrolledMax = 500;
const enrolledWithinMs = 900_000;

/** Runs wait at `wait` until all organizations have theirs; then `first` and `second` are measured. */
const steps = [
  { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
  { id: 'wait', type: 'WAIT', config: { amount: 30, unit: 'DAYS' } },
  { id: 'first', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['first'] } },
  { id: 'pause', type: 'WAIT', config: { duration: 1 } },
  { id: 'second', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['second'] } },
];
const edges = steps.slice(1).map(({ id }, n) => ({ source: steps[n]!.id, target: id }));

export interface Organization {
  organizationId: string;
  campaignId: string;
  workflowId: string;
  subscriberIds: string[];
}

/** The real system with a relay that takes everything, and organizations with a campaign and a workflow each. */
export class Installation {
  private constructor(
    readonly system: TestSystem,
    private readonly sink: SinkClient,
    private readonly bus: Bus,
    /** The owner's connection. */
    readonly sql: pg.Client,
  ) {}

  static async start({ replicas, environment: added }: Options): Promise<Installation> {
    const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
    const sink = await SinkClient.start(buildDir);
    await sink.count();
    const replicated = Array.from({ length: replicas }, () => ['workflow', 'delivery']).flat();
    const system = await TestSystem.start({
      buildDir,
      databaseUrl,
      natsUrl,
      masterKey,
      // Unsigned: signatures take time, and say nothing about turns.
      environment: { SMTP_URL: `smtp://127.0.0.1:${sink.port}`, SMTP_DKIM: 'relay', SMTP_CONNECTIONS: '40', ...added },
      processes: ['domain', 'subscriber', 'campaign', ...replicated],
    });
    await system.awaitLedger();
    const bus = await connectBus({ url: natsUrl, namespace: system.databaseName, name: 'bench' });
    const sql = new pg.Client({ connectionString: system.environment.DATABASE_URL });
    await sql.connect();
    return new Installation(system, sink, bus, sql);
  }

  async stop(): Promise<void> {
    await this.sql.end();
    await this.bus.close();
    await this.system.stop();
    this.sink.stop();
  }

  /** Makes organizations of `size` subscribers, with a DRAFT campaign and a live workflow each. */
  async organizations(count: number, size: number): Promise<Organization[]> {
    const numbers = Array.from({ length: count }, (_, n) => n);
    const organizations = await eachOf(numbers, (n) => this.#organization(`Bench ${n}`, size));
    await this.sql.query('vacuum analyze subscriber.subscriber, subscriber.subscriber_tag');
    return organizations;
  }

  async #organization(name: string, size: number): Promise<Organization> {
    const { organization } = await this.bus.client(domainRequests).create_organization({ name }, caller(''));
    const organizationId = organization.id;
    const place = { databaseUrl: this.system.environment.DATABASE_URL!, organizationId };
    const { uuidAt } = await copySubscribers({ ...place, count: size, analyze: false });
    const own = caller(organizationId);
    const mail = { subject: "{{firstName | 'Friend'}}, spring is here", contentType: 'MARKDOWN' as const, content };
    const { campaignId } = await this.bus.client(campaignTools).create_campaign(mail, own);
    const drafts = this.bus.client(workflowTools);
    const { workflow, workflowId } = await drafts.create_workflow({ name: 'Bench' }, caller(organizationId));
    const draft = { workflowId, expectedUpdatedAt: workflow.updatedAt, steps, edges };
    await drafts.configure_workflow_draft(draft, caller(organizationId));
    await this.bus.client(workflowLifeTools).publish_workflow({ workflowId }, caller(organizationId));
    const subscriberIds = Array.from({ length: size }, (_, n) => wireId('sub', uuidAt(n)));
    return { organizationId, campaignId, workflowId, subscriberIds };
  }

  /** Enrols the first subscribers of each organization, and waits until their runs wait. */
  async enrol(organizations: readonly Organization[], runs: number): Promise<void> {
    const calls = organizations.flatMap(({ organizationId, workflowId, subscriberIds }) => {
      const enrolled = subscriberIds.slice(0, runs);
      return Array.from({ length: Math.ceil(enrolled.length / enrolledMax) }, (_, n) => ({
        organizationId,
        request: { workflowId, subscriberIds: enrolled.slice(n * enrolledMax, (n + 1) * enrolledMax) },
      }));
    });
    const client = this.bus.client(workflowRunTools);
    await eachOf(calls, (call) => client.add_subscribers_to_workflow(call.request, caller(call.organizationId)));
    const sql = `select not exists (select from workflow.run where step_id <> 'wait' and organization_id = any($1)) as waiting`;
    const keys = organizations.map(({ organizationId }) => uuidOf('org', organizationId));
    const isWaiting = async () => (await this.sql.query<{ waiting: boolean }>(sql, [keys])).rows[0]!.waiting;
    await awaitSlowly('every run waits', isWaiting, enrolledWithinMs);
  }

  /** Schedules the campaigns of organizations for a day that does not come; `beginAt` moves them. */
  async schedule(organizations: readonly Organization[]): Promise<void> {
    const client = this.bus.client(campaignTools);
    const date = new Date(Date.now() + 30 * 86_400_000).toISOString();
    await eachOf(organizations, ({ organizationId, campaignId }) =>
      client.schedule_campaign({ campaignId, date }, caller(organizationId)),
    );
  }

  /** Makes the scheduled campaigns of organizations, and the timers of their runs, due at one moment. */
  async beginAt(organizations: readonly Organization[], moment: Date): Promise<void> {
    const keys = organizations.map(({ organizationId }) => uuidOf('org', organizationId));
    const runsSql = `update workflow.run set next_action_at = $2 where step_id = 'wait' and organization_id = any($1)`;
    await this.sql.query(`update campaign.campaign set scheduled_at = $2 where organization_id = any($1)`, [
      keys,
      moment,
    ]);
    await this.sql.query(runsSql, [keys, moment]);
  }
}

const caller = (organizationId: string) => serviceCaller(organizationId, randomUUID());

/** Does one thing for each item, `callsMax` at one time, in their order. */
async function eachOf<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [n, item] of left) results[n] = await work(item);
  };
  await Promise.all(Array.from({ length: callsMax }, worker));
  return results;
}
