import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { approvalRequests, catalogue, domainRequests, sessionRequests } from '#contracts';
import type { CatalogueEntry } from '#contracts';
import { newId, newUuid, wireId } from '#database';
import { until } from '#testing';
import type { TestSystem } from '#testing';
import { png, Site } from '../../apps/campaign/test/image-fixtures.js';
import { Browser } from '../surface/browser.js';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';

const scopes = ['read', 'write', 'send', 'admin'] as const;
const entries = [...catalogue.values()];

describe('every tool over HTTP', () => {
  let system: TestSystem;
  let tenant: ToolsClient;
  let otherTenant: ToolsClient;
  /** A token that may not confirm its own calls. */
  let agent: ToolsClient;
  let bus: Bus;
  /** A user's session, for tools that no token may call. */
  let owner: Browser;
  /** Ids of the sample data, by the name that examples use. */
  const samples: Record<string, string> = {};
  /** Who writes in examples: a mailbox on our own verified domain. */
  let sender: string;
  /** What fetching tools are asked for. */
  let site: Site;

  beforeAll(async () => {
    site = await Site.open((request, response) =>
      request.url === '/bed.png'
        ? response.end(png(64, 48))
        : response.setHeader('content-type', 'text/html').end('<h1>A page</h1>'),
    );
    system = await startSystem(
      { FETCH_ALLOWED_ADDRESSES: site.host, DNS_SERVERS: '127.0.0.1:9' },
      { inOneProcess: true },
    );
    bus = await connectBus({ url: process.env.NATS_URL!, namespace: system.databaseName, name: 'spec' });
    const operator = bus.client(domainRequests);
    const { organization } = await operator.create_organization({ name: 'Theirs' }, serviceCaller('', 'spec'));
    const { secret } = await operator.create_token(
      { organizationId: organization.id, name: 'spec', scopes: [...scopes] },
      serviceCaller('', 'spec'),
    );
    const { organizationId } = system;
    await operator.set_organization({ organizationId, ratePerMinute: 1_000_000 }, serviceCaller('', 'spec'));
    const asked = { organizationId, name: 'spec', scopes: [...scopes] };
    const ourToken = await operator.create_token(asked, serviceCaller('', 'spec'));
    tenant = new ToolsClient(system.url(), ourToken.secret);
    await addPeople(ourToken.token.id);
    samples.organizationId = organizationId;
    samples.tokenId = ourToken.token.id;
    samples.spareTokenId = (await operator.create_token(asked, serviceCaller('', 'spec'))).token.id;
    samples.webDomainId = (
      await operator.add_web_domain(
        { organizationId: system.organizationId, hostname: 'links.example.org' },
        serviceCaller('', 'spec'),
      )
    ).webDomain.id;
    const bound = { ...asked, name: 'agent', selfConfirm: false };
    agent = new ToolsClient(system.url(), (await operator.create_token(bound, serviceCaller('', 'spec'))).secret);
    otherTenant = new ToolsClient(system.url(), secret);
    await tenant.data('add_subscriber', { email: 'ada@example.com', name: 'Ada Lovelace', tags: ['customer', 'news'] });
    const made = { email: 'hedy@example.com', tags: ['customer'] };
    samples.subscriberId = (await tenant.data<{ subscriber: { id: string } }>('add_subscriber', made)).subscriber.id;
    const field = async (name: string) =>
      (await tenant.data<{ customField: { id: string } }>('create_custom_field', { name })).customField.id;
    samples.spareWebDomainId = (
      await tenant.data<{ webDomain: { id: string } }>('create_web_domain', { hostname: 'spare.example.org' })
    ).webDomain.id;
    samples.spareDomainId = (
      await tenant.data<{ domain: { id: string } }>('create_domain', { domain: 'spare.example.net' })
    ).domain.id;
    samples.tagId = (await tenant.data<{ tag: { id: string } }>('create_tag', { name: 'former' })).tag.id;
    await tenant.data('add_subscriber', { email: 'leaving@example.com' });
    samples.fieldId = await field('shoe');
    samples.oldFieldId = await field('old');
    samples.exportId = (await tenant.data<{ exportId: string }>('create_subscriber_export', {})).exportId;
    for (const name of ['import', 'readyImport']) await rowsToImport(name);
    samples.campaignId = await draft(tenant, 'A draft');
    samples.scheduledCampaignId = await draft(tenant, 'A scheduled one');
    await tenant.data('schedule_campaign', { campaignId: samples.scheduledCampaignId, date: '2037-01-01' });
    samples.spareCampaignId = await draft(tenant, 'A spare one');
    const email = { from: await senderAddress(), to: 'grace@example.net', subject: 'Receipt', html: '<p>Thanks</p>' };
    samples.messageId = (await tenant.data<{ id: string }>('send_email', email)).id;
    samples.draftCampaignId = await draft(tenant, 'A draft to delete');
    samples.sendingCampaignId = await sendingCampaign();
    samples.historyId = await newestEntry(samples.campaignId);
    samples.snippetId = (
      await tenant.data<{ snippetId: string }>('create_email_snippet', { name: 'Greeting' })
    ).snippetId;
    samples.imageId = (await tenant.data<{ imageId: string }>('upload_image', { url: site.url('/bed.png') })).imageId;
    samples.spareImageId = (
      await tenant.data<{ imageId: string }>('upload_image', { url: site.url('/bed.png') })
    ).imageId;
    const [first] = (await tenant.data<{ senders: { id: string; email: string }[] }>('get_email_senders', {})).senders;
    sender = first!.email;
    samples.senderId = first!.id;
    samples.segmentId = await segment('Friends');
    samples.sandboxDomainId = (await tenant.data<{ domains: { id: string }[] }>('list_domains', {})).domains[0]!.id;
    const spare = { displayName: 'Spare', localPart: 'spare', domainId: samples.sandboxDomainId };
    samples.spareSenderId = (await tenant.data<{ sender: { id: string } }>('create_email_sender', spare)).sender.id;
    const registered = await tenant.data<{ domain: { id: string } }>('create_domain', { domain: 'shop.example.org' });
    samples.domainId = registered.domain.id;
    samples.spareSegmentId = await segment('Nobody needs it');
    for (const name of ['workflow', 'draftWorkflow', 'spareWorkflow', 'groupWorkflow']) await workflow(name);
    for (const name of ['group', 'spareGroup']) await group(name);
    await waitingRun();
    await deadLetters();
  }, 120_000);
  afterAll(async () => {
    await bus.close();
    await system.stop();
    await site.close();
  });

  /** An owner's session, another member, an open invitation, and calls that wait for approval. */
  const addPeople = async (tokenId: string) => {
    const people = bus.client(sessionRequests);
    const { token } = await people.issue_setup_link({}, serviceCaller('', 'spec'));
    owner = new Browser(system.url());
    const setUp = { token, email: 'owner@example.com', name: 'Owner', password: 'correct horse battery' };
    await owner.send('POST', '/api/session/setup', setUp);
    await withDatabase(async (client) => {
      const { rows } = await client.query<{ user_id: string }>(
        `with made as (insert into domain.user_account (user_id, email, email_key, name, password_hash, updated_at)
           select gen_random_uuid(), n || '@example.com', n || '@example.com', 'Member', 'none', now()
           from generate_series(1, 2) n returning user_id)
         insert into domain.membership (organization_id, user_id, role, created_at)
           select organization_id, user_id, 'editor', now() from domain.organization, made where number = 1 returning user_id`,
      );
      [samples.memberId, samples.spareMemberId] = rows.map(({ user_id }) => wireId('usr', user_id)) as [string, string];
    });
    const invited = { email: 'invited@example.com', role: 'viewer' };
    samples.invitationId = (await owner.data<{ invitation: { id: string } }>('invite_member', invited)).invitation.id;
    const ask = async (requestHash: string) => {
      const call = { actor: { kind: 'TOKEN' as const, id: tokenId }, requestHash, callId: null };
      const asked = { ...call, tool: 'delete_tag', parameters: { name: 'x' }, action: 'Delete', message: 'Deletes x.' };
      const caller = serviceCaller(system.organizationId, 'spec');
      return (await bus.client(approvalRequests).ask_approval(asked, caller)).approval.id;
    };
    samples.approvalId = await ask('a');
    samples.ownApprovalId = await ask('b');
  };

  const withDatabase = async (work: (client: Client) => Promise<void>) => {
    const client = new Client({
      connectionString: process.env.DATABASE_URL!.replace(/\/[^/?]*(?=\?|$)/, `/${system.databaseName}`),
    });
    await client.connect();
    await work(client).finally(() => client.end());
  };

  /** Events that the subscriber service could not apply, for tools that decide on them. */
  const deadLetters = () =>
    withDatabase(async (client) => {
      const event = { id: newUuid(), name: 'message.sent', organizationId: system.organizationId, data: {} };
      for (const name of ['deadLetterId', 'spareDeadLetterId']) {
        const id = newUuid();
        samples[name] = wireId('dlt', id);
        await client.query(
          `insert into subscriber.dead_letter (dead_letter_id, consumer, event, error, attempts)
           values ($1, 'subscriber', $2, 'no room', 5)`,
          [id, event],
        );
      }
    });

  const draft = async (client: ToolsClient, name: string) =>
    (await client.data<{ campaignId: string }>('create_campaign', { name, subject: 'Hello' })).campaignId;

  const senderAddress = async () =>
    (await tenant.data<{ senders: { email: string }[] }>('get_email_senders', {})).senders[0]!.email;

  /** A campaign that stays SENDING, since no mail server answers. */
  const sendingCampaign = async () => {
    await tenant.data('add_subscriber', { email: 'pending@people.internal', tags: ['pending'] });
    const campaignId = await draft(tenant, 'A sending one');
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['pending'] }];
    await tenant.data('update_campaign_filters', { campaignId, filters });
    await tenant.data('schedule_campaign', { campaignId });
    await until(
      'the send starts',
      async () => (await tenant.data<{ total: number }>('get_campaign_progress', { campaignId })).total === 1,
    );
    return campaignId;
  };

  const rowsToImport = async (name: string) => {
    const { import: made } = await tenant.data<{ import: { id: string } }>('create_subscriber_import', {});
    const rows = [{ email: 'lin@example.com', city: 'Taipei' }];
    await tenant.data('add_rows_to_subscriber_import', { importId: made.id, rows });
    samples[`${name}Id`] = made.id;
  };

  const newestEntry = async (campaignId: string) =>
    (await tenant.data<{ entries: { id: string }[] }>('list_campaign_history', { campaignId })).entries[0]!.id;

  const segment = async (name: string) =>
    (await tenant.data<{ segmentId: string }>('create_segment', { name })).segmentId;

  const workflow = async (name: string) => {
    const made = await tenant.data<{ workflow: { id: string; updatedAt: string } }>('create_workflow', { name });
    samples[`${name}Id`] = made.workflow.id;
    samples[`${name}UpdatedAt`] = made.workflow.updatedAt;
  };
  /** A subscriber who waits in a workflow, for tools that end the wait. */
  const waitingRun = async () => {
    await workflow('waitingWorkflow');
    const [workflowId, expectedUpdatedAt] = [samples.waitingWorkflowId!, samples.waitingWorkflowUpdatedAt];
    const steps = [
      { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
      { id: 'wait', type: 'WAIT', config: { amount: 1, unit: 'DAYS' } },
    ];
    const edges = [{ source: 'start', target: 'wait' }];
    await tenant.data('configure_workflow_draft', { workflowId, expectedUpdatedAt, steps, edges });
    await tenant.data('publish_workflow', { workflowId });
    await tenant.data('add_subscriber', { email: 'waiting@example.com' });
    await tenant.data('add_subscriber_to_workflow', { workflowId, email: 'waiting@example.com' });
  };
  const group = async (name: string) => {
    const named = name === 'spareGroup' ? 'A spare group' : 'A group';
    const made = await tenant.data<{ group: { id: string; updatedAt: string } }>('create_workflow_group', {
      name: named,
    });
    samples[`${name}Id`] = made.group.id;
    samples[`${name}UpdatedAt`] = made.group.updatedAt;
  };

  /** A tool's example with ids of the sample data and our sender; it fetches from our own test site. */
  const exampleOf = ({ contract }: CatalogueEntry) =>
    JSON.parse(
      JSON.stringify(contract.example)
        .replace(/"\{(\w+)\}"/g, (_all, name: string) => JSON.stringify(samples[name]))
        .replaceAll('hello@shop.example', sender)
        .replaceAll('"url":"https://example.com/', `"url":"${site.url('/')}`),
    ) as Record<string, unknown>;

  it('is listed with its schema, by name and by group', async () => {
    const headers = { authorization: `Bearer ${system.apiToken}` };
    const listing = (await (await fetch(`${system.url()}/api/v2/tools/`, { headers })).json()) as {
      total: number;
      tools: { name: string; inputSchema: object }[];
    };
    expect(listing.tools.map(({ name }) => name)).toEqual(entries.map(({ name }) => name));
    expect(listing.total).toBe(entries.length);
    const one = (await (await fetch(`${system.url()}/api/v2/tools/list_tags`, { headers })).json()) as { tool: object };
    expect(one.tool).toMatchObject({ name: 'list_tags', requiresConfirmation: false, annotations: { readOnly: true } });
  });

  it.each(entries.map((entry) => [entry.name, entry] as const))(
    '%s answers its example as its schema says',
    async (name, entry) => {
      const example = exampleOf(entry);
      const data = canAsk(entry)
        ? await approvedData(name, example)
        : await (entry.contract.userOnly ? owner : tenant).data(name, example);
      expect(entry.contract.output.parse(data)).toEqual(data);
    },
  );

  const canAsk = ({ contract: { confirm, scope } }: CatalogueEntry) => confirm === true || scope === 'send';

  /** Asks for a call, and approves it ten times at once. @returns the result */
  const approvedData = async (name: string, example: object): Promise<unknown> => {
    const asked = await agent.call(name, example);
    if (asked.status === 200) return asked.body.data;
    const { approvalId } = asked.body as unknown as { approvalId: string };
    const { approval } = await owner.data<{ approval: { contentHash: string } }>('get_approval', { approvalId });
    const seen = { approvalId, approved: true, seen: approval.contentHash };
    const done = await Promise.allSettled(Array.from({ length: 10 }, () => owner.data('decide_approval', seen)));
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const repeated = await agent.call(name, example);
    expect(repeated.status).toBe(200);
    return repeated.body.data;
  };

  it('serves a hosted image publicly and permanently, and no other', async () => {
    const response = await fetch(`${system.url()}/i/${samples.imageId}.png`);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(png(64, 48))).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const etag = response.headers.get('etag')!;
    const known = await fetch(`${system.url()}/i/${samples.imageId}.png`, { headers: { 'if-none-match': etag } });
    expect(known.status).toBe(304);
    for (const id of [newId('img'), 'none', samples.campaignId]) {
      expect((await fetch(`${system.url()}/i/${id}.png`)).status).toBe(404);
    }
  });

  it('shows the effects of the examples to other tools', async () => {
    const tags = (await tenant.data<{ tags: { name: string; subscribersCount: number }[] }>('list_tags', {})).tags;
    expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining(['newsletter', 'customer', 'lead']));
    expect(tags.find(({ name }) => name === 'customer')!.subscribersCount).toBe(2);
    const grace = await tenant.data<{ subscriber: object }>('get_subscriber', { email: 'GRACE@example.com' });
    expect(grace.subscriber).toMatchObject({
      name: 'Grace Hopper',
      customFields: { city: 'New York' },
      status: 'SUBSCRIBED',
    });
    expect((await tenant.data<{ total: number }>('list_subscribers', { tag: 'LEAD' })).total).toBe(1);
    expect(
      (await tenant.data<{ subscriber: object }>('get_subscriber', { email: 'ada@example.com' })).subscriber,
    ).toMatchObject({ status: 'UNSUBSCRIBED' });
    const events = await tenant.data<{ events: { type: string }[] }>('list_subscriber_events', {
      email: 'ada@example.com',
    });
    expect(events.events.map(({ type }) => type)).toEqual(['UNSUBSCRIBED', 'TAG_ADDED', 'TAG_ADDED', 'SUBSCRIBED']);
    const campaigns = await tenant.data<{ campaigns: { id: string; status: string; subject: string }[] }>(
      'list_campaigns',
      {},
    );
    expect(campaigns.campaigns.find(({ id }) => id === samples.scheduledCampaignId)).toMatchObject({ status: 'DRAFT' });
    expect(campaigns.campaigns.find(({ id }) => id === samples.campaignId)).toMatchObject({
      status: 'SCHEDULED',
      // What the example of restore_campaign_history gave back.
      subject: 'Hello',
    });
  });

  it('ends the campaign that an example stopped', async () => {
    const { sendingCampaignId: campaignId } = samples;
    const status = async () =>
      (await tenant.data<{ campaign: { status: string } }>('get_campaign', { campaignId })).campaign.status;
    await until('the campaign ends', async () => (await status()) === 'FAILED', 60_000);
  });

  it.each(entries.map((entry) => [entry.name, entry] as const))(
    '%s shows and changes nothing of another organization',
    async (name, entry) => {
      const before = await everything(tenant);
      const example = exampleOf(entry);
      const answer = await otherTenant.call(name, example);
      if (entry.contract.userOnly) return expect(answer.status).toBe(403);
      const confirmed =
        answer.body.error === 'CONFIRMATION_REQUIRED'
          ? await otherTenant.call(name, { ...example, confirmationCode: answer.body.confirmationCode })
          : answer;
      const text = JSON.stringify(confirmed.body);
      // An id of the input may be repeated as unknown.
      const unsaid = Object.values(samples).filter((id) => !JSON.stringify(example).includes(id));
      for (const id of unsaid) if (confirmed.body.success) expect(text).not.toContain(id);
      expect(text).not.toMatch(/Ada Lovelace|A draft/);
      // Their id is answered like one that never was.
      const named = Object.entries(example).find(([, value]) => Object.values(samples).includes(value as string));
      if (named) {
        const unknown = await otherTenant.call(name, { ...example, [named[0]]: newId('cmp') });
        expect({ status: answer.status, reason: answer.body.reason }).toEqual({
          status: unknown.status,
          reason: unknown.body.reason,
        });
        expect(answer.status).toBe(404);
      }
      expect(await everything(tenant)).toEqual(before);
    },
  );

  /** All that another organization's call might have changed. */
  const everything = async (client: ToolsClient) => [
    await client.data('list_tags', {}),
    await client.data('list_subscribers', { limit: 100 }),
    await client.data('list_campaigns', { limit: 100 }),
    await client.data('list_segments', { limit: 100 }),
    await client.data('get_email_senders', {}),
    await client.data('list_domains', {}),
  ];
});
