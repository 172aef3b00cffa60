import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { catalogue, domainRequests, sessionRequests, toolSets } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import { until } from '#testing';
import type { TestSystem } from '#testing';
import { png, Site } from '../../apps/campaign/test/image-fixtures.js';
import { Browser } from '../surface/browser.js';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';

jest.setTimeout(300_000);

/** Every tool whose call can become an approval. */
const asking = [...catalogue.values()]
  .filter(({ contract: { confirm, scope, asksByState } }) => confirm === true || scope === 'send' || asksByState)
  .map(({ name }) => name);
const services = [...new Set(toolSets.map(({ service }) => service))];
/** An asker has 20 open approvals at most. */
const callsOfAgent = 15;
const content = 'Hello\n\n[Leave]({{unsubscribeUrl}})';

/** A call that asks, and how often it had its effect. */
interface Prepared {
  input: object;
  effects: () => Promise<number>;
}

describe('of every tool that can ask, an approved call', () => {
  let system: TestSystem;
  let bus: Bus;
  let database: pg.Client;
  let owner: Browser;
  let site: Site;
  let tenant: ToolsClient;
  const agents: ToolsClient[] = [];
  let organization: string;
  let sender: string;
  let sandboxId: string;

  beforeAll(async () => {
    site = await Site.open((_request, response) => response.end(png(8, 8)));
    // Each call holds a connection while it is held up.
    system = await startSystem({ DATABASE_POOL_SIZE: '40', FETCH_ALLOWED_ADDRESSES: site.host });
    await system.awaitLedger();
    bus = await connectBus({ url: process.env.NATS_URL!, namespace: system.databaseName, name: 'spec' });
    database = await connected();
    organization = uuidOf('org', system.organizationId)!;
    const caller = serviceCaller('', 'spec');
    const operator = bus.client(domainRequests);
    await operator.set_organization({ organizationId: system.organizationId, ratePerMinute: 1_000_000 }, caller);
    const { token } = await bus.client(sessionRequests).issue_setup_link({}, caller);
    owner = new Browser(system.url());
    const setUp = { token, email: 'owner@example.com', name: 'Owner', password: 'correct horse battery staple' };
    expect(await owner.send('POST', '/api/session/setup', setUp)).toMatchObject({ status: 200 });
    const asked = {
      organizationId: system.organizationId,
      name: 'spec',
      scopes: ['read', 'write', 'send', 'admin'] as ('read' | 'write' | 'send' | 'admin')[],
    };
    tenant = new ToolsClient(system.url(), (await operator.create_token(asked, caller)).secret);
    for (let n = 0; n < asking.length; n += callsOfAgent) {
      const { secret } = await operator.create_token({ ...asked, selfConfirm: false }, caller);
      agents.push(new ToolsClient(system.url(), secret));
    }
    sender = (await tenant.data<{ senders: { email: string }[] }>('get_email_senders', {})).senders[0]!.email;
    sandboxId = (await tenant.data<{ domains: { id: string }[] }>('list_domains', {})).domains[0]!.id;
  });
  afterAll(async () => {
    await database.end();
    await bus.close();
    await system.stop();
    await site.close();
  });

  const connected = async () => {
    const client = new pg.Client({ connectionString: system.environment.DATABASE_URL! });
    await client.connect();
    return client;
  };
  /** The number that a statement about the organization ($1) answers. */
  const count = async (sql: string, parameters: unknown[] = []): Promise<number> =>
    (await database.query<{ n: number }>(`select (${sql})::int as n`, [organization, ...parameters])).rows[0]!.n;
  /** 1 once a record is gone. */
  const isGone = (table: string, column: string, id: string | null) => () =>
    count(`select 1 - count(*) from ${table} where organization_id = $1 and ${column} = $2`, [id]);
  const idOf = async <N extends string>(tool: string, input: object, noun: N): Promise<string> =>
    (await tenant.data<Record<N, { id: string }>>(tool, input))[noun].id;

  let made = 0;
  const name = (what: string) => `${what} ${(made += 1)}`;
  const subscriber = async (tags: string[] = []) => {
    const email = `${name('person').replace(' ', '')}@people.internal`;
    return { email, id: await idOf('add_subscriber', { email, tags }, 'subscriber') };
  };
  const draft = async (change: object = {}) => {
    const text = { name: name('campaign'), subject: 'Hello', content, contentType: 'MARKDOWN' };
    return (await tenant.data<{ campaignId: string }>('create_campaign', { ...text, ...change })).campaignId;
  };
  /** A campaign that stays SENDING, since no mail server answers. */
  const sending = async () => {
    const tag = name('audience');
    await subscriber([tag]);
    const campaignId = await draft();
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] }];
    await tenant.data('update_campaign_filters', { campaignId, filters });
    await tenant.data('schedule_campaign', { campaignId });
    await until(
      'it is sent',
      async () => (await tenant.data<{ total: number }>('get_campaign_progress', { campaignId })).total === 1,
    );
    return campaignId;
  };
  const sendOf = `(select send_id from delivery.send where organization_id = $1 and campaign_id = $2)`;
  const rowsOf = `organization_id = $1 and message_id between ${sendOf} and delivery.last_message_of(${sendOf})`;
  /** An ACTIVE workflow in which subscribers wait, unless it is left a draft. */
  const workflow = async (isPublished = true) => {
    const created = await tenant.data<{ workflow: { id: string; updatedAt: string } }>('create_workflow', {
      name: name('workflow'),
    });
    const steps = [
      { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
      { id: 'first', type: 'WAIT', config: { amount: 1, unit: 'DAYS' } },
      { id: 'second', type: 'WAIT', config: { amount: 1, unit: 'DAYS' } },
    ];
    const edges = [
      { source: 'start', target: 'first' },
      { source: 'first', target: 'second' },
    ];
    const { id, updatedAt } = created.workflow;
    await tenant.data('configure_workflow_draft', { workflowId: id, expectedUpdatedAt: updatedAt, steps, edges });
    if (isPublished) await tenant.data('publish_workflow', { workflowId: id });
    return id;
  };
  const runsOf = (workflowId: string) => () =>
    count('select count(*) from workflow.run where organization_id = $1 and workflow_id = $2', [
      uuidOf('wf', workflowId),
    ]);

  /** What makes a call of each tool, by the tool. */
  const prepare: Record<string, () => Promise<Prepared>> = {
    send_email: async () => {
      const to = `${name('to').replace(' ', '')}@people.internal`;
      return {
        input: { from: sender, to, subject: 'Once', html: '<p>Once</p>' },
        effects: () => count('select count(*) from delivery.message where organization_id = $1 and email = $2', [to]),
      };
    },
    schedule_campaign: async () => {
      const campaignId = await draft();
      return {
        input: { campaignId, date: '2037-05-01' },
        effects: () =>
          count(
            `select count(*) from campaign.campaign where organization_id = $1 and campaign_id = $2 and status = 'SCHEDULED'`,
            [uuidOf('cmp', campaignId)],
          ),
      };
    },
    set_retention: () => {
      const data = ['runs', 'onlineVersions', 'subscriberEvents'][(made += 1) % 3]!;
      const months = 1 + (made % 12);
      return Promise.resolve({
        input: { [data]: months },
        effects: () =>
          count(
            'select count(*) from domain.retention_period where organization_id = $1 and data = $2 and months = $3',
            [data, months],
          ),
      });
    },
    restore_campaign_history: async () => {
      const campaignId = await draft({ subject: 'Former' });
      const { entries } = await tenant.data<{ entries: { id: string }[] }>('list_campaign_history', { campaignId });
      await tenant.data('edit_campaign', { id: campaignId, subject: 'Later' });
      await tenant.data('schedule_campaign', { campaignId, date: '2037-05-01' });
      const history = () =>
        count('select count(*) from campaign.campaign_history where organization_id = $1 and campaign_id = $2', [
          uuidOf('cmp', campaignId),
        ]);
      const before = await history();
      return {
        input: { campaignId, historyId: entries.at(-1)!.id },
        effects: async () => (await history()) - before,
      };
    },
    resume_campaign: async () => {
      const campaignId = await sending();
      await tenant.data('pause_campaign', { campaignId });
      return {
        input: { campaignId },
        effects: () =>
          count(`select count(*) from delivery.send where send_id = ${sendOf} and state = 'RUNNING'`, [
            uuidOf('cmp', campaignId),
          ]),
      };
    },
    retry_campaign: async () => {
      const campaignId = await sending();
      const id = uuidOf('cmp', campaignId);
      await tenant.data('pause_campaign', { campaignId });
      // As if the relay had refused its only recipient for now.
      for (const sql of [
        `delete from delivery.message_queue where organization_id = $1 and send_id = ${sendOf}`,
        `delete from delivery.campaign_message where ${rowsOf}`,
        `insert into delivery.campaign_message (organization_id, message_id, attempted_at, mailbox_hash, subscriber_id, relay_id,
           attempts, state, kind, email, code, response)
         select organization_id, delivery.message_at(send_id, 0, 0), clock_timestamp(), 1, gen_random_uuid(), 1,
           1, 'F', 'C', 'full@people.internal', 452, '4.2.2 Full' from delivery.send where organization_id = $1 and campaign_id = $2`,
        `update delivery.send_page set failed = 1, state = 'DONE' where organization_id = $1 and send_id = ${sendOf}`,
        `update delivery.send set state = 'DONE', finished_at = clock_timestamp() where organization_id = $1 and campaign_id = $2`,
      ])
        await database.query(sql, [organization, id]);
      return {
        input: { campaignId },
        effects: () => count(`select count(*) from delivery.campaign_message where ${rowsOf} and state <> 'F'`, [id]),
      };
    },
    stop_campaign: async () => {
      const campaignId = await sending();
      return {
        input: { campaignId },
        effects: () =>
          count(`select count(*) from delivery.send where send_id = ${sendOf} and state in ('STOPPED', 'DONE')`, [
            uuidOf('cmp', campaignId),
          ]),
      };
    },
    archive_campaign: async () => {
      const campaignId = await draft();
      return {
        input: { campaignId },
        effects: () =>
          count(
            `select count(*) from campaign.campaign where organization_id = $1 and campaign_id = $2 and status = 'ARCHIVED'`,
            [uuidOf('cmp', campaignId)],
          ),
      };
    },
    delete_campaign: async () => {
      const campaignId = await draft();
      return { input: { campaignId }, effects: isGone('campaign.campaign', 'campaign_id', uuidOf('cmp', campaignId)) };
    },
    delete_image: async () => {
      const { imageId } = await tenant.data<{ imageId: string }>('upload_image', { url: site.url('/bed.png') });
      return { input: { imageId }, effects: isGone('campaign.image', 'image_id', uuidOf('img', imageId)) };
    },
    archive_email_snippet: async () => {
      const { snippetId: id } = await tenant.data<{ snippetId: string }>('create_email_snippet', {
        name: name('snippet'),
      });
      return {
        input: { id },
        effects: () =>
          count(
            'select count(*) from campaign.snippet where organization_id = $1 and snippet_id = $2 and archived_at is not null',
            [uuidOf('snp', id)],
          ),
      };
    },
    publish_workflow: async () => {
      const workflowId = await workflow(false);
      return {
        input: { workflowId },
        effects: () =>
          count('select count(*) from workflow.workflow_version where organization_id = $1 and workflow_id = $2', [
            uuidOf('wf', workflowId),
          ]),
      };
    },
    update_workflow_status: async () => {
      const workflowId = await workflow();
      await tenant.data('update_workflow_status', { workflowId, status: 'PAUSED' });
      return {
        input: { workflowId, status: 'ACTIVE' },
        effects: () =>
          count(
            `select count(*) from workflow.workflow where organization_id = $1 and workflow_id = $2 and status = 'ACTIVE'`,
            [uuidOf('wf', workflowId)],
          ),
      };
    },
    add_subscriber_to_workflow: async () => {
      const workflowId = await workflow();
      const { email } = await subscriber();
      return { input: { workflowId, email }, effects: runsOf(workflowId) };
    },
    add_subscribers_to_workflow: async () => {
      const workflowId = await workflow();
      const { id } = await subscriber();
      return { input: { workflowId, subscriberIds: [id] }, effects: runsOf(workflowId) };
    },
    fast_forward_workflow_subscriber: async () => {
      const workflowId = await workflow();
      const { email } = await subscriber();
      await tenant.data('add_subscriber_to_workflow', { workflowId, email });
      const step = async () => {
        const { runs } = await tenant.data<{ runs: { currentStep: { id: string } }[] }>(
          'get_subscriber_workflow_runs',
          { email, workflowId },
        );
        return runs[0]!.currentStep.id;
      };
      await until('the run waits', async () => (await step()) === 'first');
      return {
        input: { workflowId, email },
        effects: () =>
          count(
            `select count(*) from workflow.run_history h join workflow.run r using (organization_id, run_id)
             where h.organization_id = $1 and r.workflow_id = $2 and h.step_id in ('first', 'second') and h.outcome <> 'WAITING'`,
            [uuidOf('wf', workflowId)],
          ),
      };
    },
    delete_workflow: async () => {
      const workflowId = await workflow(false);
      return { input: { workflowId }, effects: isGone('workflow.workflow', 'workflow_id', uuidOf('wf', workflowId)) };
    },
    delete_workflow_group: async () => {
      const expectedName = name('group');
      const { group } = await tenant.data<{ group: { id: string; updatedAt: string } }>('create_workflow_group', {
        name: expectedName,
      });
      return {
        input: { groupId: group.id, expectedName, expectedUpdatedAt: group.updatedAt },
        effects: isGone('workflow.workflow_group', 'group_id', uuidOf('wfg', group.id)),
      };
    },
    start_subscriber_import: async () => {
      const importId = await idOf('create_subscriber_import', {}, 'import');
      const email = `${name('row').replace(' ', '')}@people.internal`;
      await tenant.data('add_rows_to_subscriber_import', { importId, rows: [{ email }] });
      return {
        input: { importId },
        effects: () =>
          count(
            `select count(*) from subscriber.subscriber_event join subscriber.subscriber s using (organization_id, subscriber_id)
             where organization_id = $1 and s.email = $2`,
            [email],
          ),
      };
    },
    delete_tag: async () => {
      const tagId = await idOf('create_tag', { name: name('tag') }, 'tag');
      return {
        input: { tagId },
        effects: isGone('(select * from subscriber.tag where deleted_at is null) t', 'tag_id', uuidOf('tag', tagId)),
      };
    },
    delete_segment: async () => {
      const { segmentId } = await tenant.data<{ segmentId: string }>('create_segment', { name: name('segment') });
      return { input: { segmentId }, effects: isGone('subscriber.segment', 'segment_id', uuidOf('seg', segmentId)) };
    },
    delete_custom_field: async () => {
      const fieldId = await idOf('create_custom_field', { name: name('field') }, 'customField');
      return {
        input: { fieldId },
        effects: async () => {
          const { customFields } = await tenant.data<{ customFields: { id: string }[] }>('get_custom_fields', {});
          return customFields.some(({ id }) => id === fieldId) ? 0 : 1;
        },
      };
    },
    delete_subscriber: async () => {
      const { email, id } = await subscriber();
      return {
        input: { email },
        effects: isGone('subscriber.subscriber', 'subscriber_id', uuidOf('sub', id)),
      };
    },
    delete_web_domain: async () => {
      const hostname = `${name('links').replace(' ', '')}.example.org`;
      const domainId = await idOf('create_web_domain', { hostname }, 'webDomain');
      return { input: { domainId }, effects: isGone('domain.web_domain', 'hostname', hostname) };
    },
    delete_domain: async () => {
      const domain = `${name('mail').replace(' ', '')}.example.org`;
      const domainId = await idOf('create_domain', { domain }, 'domain');
      return { input: { domainId }, effects: isGone('domain.sending_domain', 'domain', domain) };
    },
    delete_email_sender: async () => {
      const localPart = name('spare').replace(' ', '');
      const spare = { displayName: 'Spare', localPart, domainId: sandboxId };
      const senderId = await idOf('create_email_sender', spare, 'sender');
      return { input: { senderId }, effects: isGone('domain.sender', 'local_part', localPart) };
    },
    remove_member: async () => {
      const email = `${name('member').replace(' ', '')}@example.com`;
      const { rows } = await database.query<{ user_id: string }>(
        `with made as (insert into domain.user_account (user_id, email, email_key, name, password_hash, updated_at)
           values (gen_random_uuid(), $2, $2, 'Member', 'none', now()) returning user_id)
         insert into domain.membership (organization_id, user_id, role, created_at)
           select $1, user_id, 'editor', now() from made returning user_id`,
        [organization, email],
      );
      return {
        input: { userId: wireId('usr', rows[0]!.user_id) },
        effects: isGone('domain.membership', 'user_id', rows[0]!.user_id),
      };
    },
    discard_dead_letters: async () => {
      const id = newUuid();
      const event = { id: newUuid(), name: 'message.sent', organizationId: system.organizationId, data: {} };
      await database.query(
        `insert into subscriber.dead_letter (dead_letter_id, consumer, event, error, attempts)
         values ($1, 'subscriber', $2, 'no room', 5)`,
        [id, event],
      );
      return {
        input: { ids: [wireId('dlt', id)], reason: 'A test.' },
        effects: async () => {
          const { rows } = await database.query(
            'select 1 from subscriber.dead_letter where dead_letter_id = $1 and replayed_at is null',
            [id],
          );
          return 1 - rows.length;
        },
      };
    },
  };

  it('has an entry in this list', () => {
    expect(Object.keys(prepare).sort()).toEqual([...asking].sort());
  });

  interface Asked extends Prepared {
    tool: string;
    agent: ToolsClient;
    approvalId: string;
  }
  const ask = async (tool: string, place: number): Promise<Asked> => {
    const prepared = await prepare[tool]!();
    expect({ tool, effects: await prepared.effects() }).toEqual({ tool, effects: 0 });
    const agent = agents[Math.floor(place / callsOfAgent)]!;
    const { approvalId, ...question } = (await agent.call(tool, prepared.input)).body;
    if (typeof approvalId !== 'string') throw new Error(`${tool} did not ask: ${JSON.stringify(question)}`);
    return { ...prepared, tool, agent, approvalId };
  };
  const states = async (calls: Asked[]): Promise<Record<string, string>> => {
    const { rows } = await database.query<{ tool: string; state: string }>(
      'select tool, state from domain.approval where approval_id = any($1) order by tool',
      [calls.map(({ approvalId }) => uuidOf('apr', approvalId))],
    );
    return Object.fromEntries(rows.map(({ tool, state }) => [tool, state]));
  };
  const allAre = (state: string) => Object.fromEntries([...asking].sort().map((tool) => [tool, state]));
  const approve = async ({ approvalId }: Asked) => {
    const { approval } = await owner.data<{ approval: { contentHash: string } }>('get_approval', { approvalId });
    return await owner.call('decide_approval', { approvalId, approved: true, seen: approval.contentHash });
  };
  /** Approves calls while none can record its answer, and kills services at that point. */
  const strike = async (calls: Asked[], killed: readonly string[]) => {
    // The id of a call is taken, or its answer recorded, in the table that is locked here.
    const holder = await connected();
    await holder.query('begin');
    const tables = services.map((service) => `${service}.executed_call`);
    await holder.query(`lock table ${tables.join(', ')} in share row exclusive mode`);
    const decided = calls.map((call) => approve(call).catch(() => null));
    const isExecuting = async () => Object.values(await states(calls)).every((one) => one === 'EXECUTING');
    await until('all are approved', isExecuting, 120_000);
    await until('all are under way', async () => {
      const { rows } = await database.query(
        `select 1 from pg_locks where not granted and relation = any($1::text[]::regclass[])`,
        [tables],
      );
      return rows.length >= calls.length;
    });
    for (const one of killed) for (const process of system.alive(one)) await system.end(process, 'SIGKILL');
    await holder.query('rollback');
    await holder.end();
    for (const one of killed) await system.add(one);
    await Promise.all(decided);
  };

  it.each([
    { killed: ['domain'], when: 'the domain service is killed while the call is under way' },
    { killed: services, when: 'all services are killed before any effect of the call' },
  ])('has its effect once when $when', async ({ killed }) => {
    const calls: Asked[] = [];
    for (const [place, tool] of asking.entries()) calls.push(await ask(tool, place));
    await strike(calls, killed);
    // As if the minute had passed after which a call belongs to an ended process, and half of it until the job takes it up.
    for (const service of services)
      await database.query(
        `update ${service}.executed_call set created_at = created_at - interval '2 minutes' where state <> 'DONE'`,
      );
    await database.query(
      `update domain.approval set decided_at = decided_at - interval '1 minute' where state = 'EXECUTING'`,
    );
    await until(
      'none is under way',
      async () => !Object.values(await states(calls)).includes('EXECUTING'),
      120_000,
      250,
    );
    expect(await states(calls)).toEqual(allAre('EXECUTED'));
    for (const { tool, effects } of calls)
      await until(`${tool} has its effect`, async () => (await effects()) > 0, 30_000, 100);
    for (const { agent, tool, input } of calls)
      expect({ tool, status: (await agent.call(tool, input)).status }).toEqual({ tool, status: 200 });
    const effects: Record<string, number> = {};
    for (const call of calls) effects[call.tool] = await call.effects();
    expect(effects).toEqual(Object.fromEntries(asking.map((tool) => [tool, 1])));
    const audited = await database.query<{ tool: string; n: number }>(
      `select tool, count(*)::int as n from domain.audit_entry where request_id = any($1) and outcome = 'OK' group by tool`,
      [calls.map(({ approvalId }) => approvalId)],
    );
    expect(Object.fromEntries(audited.rows.map(({ tool, n }) => [tool, n]))).toEqual(
      Object.fromEntries(asking.map((tool) => [tool, 1])),
    );
  });
});
