import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { connectBus, serviceCaller } from '#bus';
import { domainRequests } from '#contracts';
import { uuidOf } from '#database';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';

const there = `cell_${randomUUID().slice(0, 8)}`;
const cellServices = ['subscriber', 'campaign', 'workflow', 'delivery'];
/** A person's, who reads later than a scanner. */
const browser = { 'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15' };

interface Member {
  client: ToolsClient;
  organizationId: string;
  email: string;
  subscriberId: string;
}

describe('two cells behind one gateway', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  const members: Record<string, Member> = {};
  const databases: Record<string, string> = {};

  beforeAll(async () => {
    sink = await SmtpSink.start();
    system = await startSystem({ SMTP_URL: sink.url, CELLS: there });
    databases.home = system.environment.DATABASE_URL!;
    databases.there = await system.addCell(there, cellServices);
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace: system.databaseName, name: 'spec' });
    const domain = bus.client(domainRequests);
    const nobody = serviceCaller('', 'spec');
    for (const name of ['home', 'there']) {
      const cell = name === 'there' ? there : null;
      const { organization } = await domain.create_organization({ name: 'Shop', cell }, nobody);
      const { secret } = await domain.create_token({ organizationId: organization.id, name: 'spec' }, nobody);
      const email = `ada@${name}.internal`;
      const client = new ToolsClient(system.url(), secret);
      const { subscriber } = await client.data<{ subscriber: { id: string } }>('add_subscriber', { email });
      members[name] = { client, organizationId: organization.id, email, subscriberId: subscriber.id };
    }
    await bus.close();
  }, 120_000);
  afterAll(async () => {
    await system.stop();
    await sink.stop();
  });

  const historyOf = async ({ client, email }: Member) => {
    const { events } = await client.data<{ events: { type: string }[] }>('list_subscriber_events', { email });
    return events.map(({ type }) => type);
  };
  /** The links of the only mail to an address, at the address of this system. */
  const linksTo = (email: string) => {
    const raw = sink.messages
      .find(({ to }) => to === email)!
      .raw.replaceAll('=\r\n', '')
      .replaceAll('=3D', '=');
    return (kind: string) => `${system.url()}${new RegExp(`/${kind}/[\\w-]{40,}`).exec(raw)![0]}`;
  };

  const inBoth = (work: (member: Member) => Promise<void>) => Promise.all(Object.values(members).map(work));

  it('moves a subscriber through a workflow', () =>
    inBoth(async (member) => {
      const { client, email } = member;
      for (const name of ['lead', 'welcomed']) await client.data('create_tag', { name });
      type Made = { workflow: { id: string; updatedAt: string } };
      const { workflow } = await client.data<Made>('create_workflow', { name: 'Welcome' });
      const steps = [
        { id: 'start', type: 'TRIGGER', config: { kind: 'TAG_ADDED', tags: ['lead'] } },
        { id: 'mark', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['welcomed'] } },
      ];
      const edges = [{ source: 'start', target: 'mark' }];
      const draft = { workflowId: workflow.id, expectedUpdatedAt: workflow.updatedAt, steps, edges };
      await client.data('configure_workflow_draft', draft);
      await client.data('publish_workflow', { workflowId: workflow.id });
      await client.data('update_subscriber', { subscriber: email, tags: ['lead'] });
      await until('the run is over', async () => (await historyOf(member)).includes('WORKFLOW_COMPLETED'));
    }));

  it('sends a campaign, counts an open, and unsubscribes the recipient', () =>
    inBoth(async (member) => {
      const { client, email } = member;
      const content = '[Shop](https://shop.example/) [Leave]({{unsubscribeUrl}})';
      const draft = { subject: 'Hello', contentType: 'MARKDOWN', content };
      const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', draft);
      await client.data('schedule_campaign', { campaignId });
      await until('the mail is there', () => sink.messages.some(({ to }) => to === email));
      const link = linksTo(email);
      await until('the reader is counted', async () => {
        await fetch(link('o'), { headers: browser });
        const click = await fetch(link('c'), { headers: browser, redirect: 'manual' });
        expect(click.headers.get('location')).toBe('https://shop.example/');
        const history = await historyOf(member);
        return history.includes('EMAIL_OPENED') && history.includes('EMAIL_CLICKED');
      });
      expect((await fetch(link('u'), { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200);
      const { subscriber } = await client.data<{ subscriber: { status: string } }>('get_subscriber', { email });
      expect(subscriber.status).toBe('UNSUBSCRIBED');
    }));

  it('shows no subscriber of one to the other', () =>
    inBoth(async (member) => {
      const other = Object.values(members).find((one) => one !== member)!;
      const found = await member.client.call('get_subscriber', { subscriberId: other.subscriberId });
      expect([found.status, found.body.reason]).toEqual([404, 'SUBSCRIBER_NOT_FOUND']);
      expect((await member.client.call('get_subscriber', { subscriberId: member.subscriberId })).status).toBe(200);
    }));

  it('each organization has its rows in the database of its cell, and none in the other', async () => {
    for (const [cell, url] of Object.entries(databases)) {
      const owner = new pg.Client({ connectionString: url });
      await owner.connect();
      const { rows: tables } = await owner.query<{ name: string }>(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
         join information_schema.tables using (table_schema, table_name)
         where column_name = 'organization_id' and table_type = 'BASE TABLE' and table_schema = any($1)`,
        [cellServices],
      );
      const counted = async ({ organizationId }: Member) => {
        const all = tables.map(({ name }) => `select count(*) as n from ${name} where organization_id = $1`);
        const { rows } = await owner.query<{ n: number }>(
          `select sum(n)::int as n from (${all.join(' union all ')}) rows`,
          [uuidOf('org', organizationId)],
        );
        return rows[0]!.n;
      };
      const [tenant, otherTenant] = [members[cell]!, members[cell === 'home' ? 'there' : 'home']!];
      expect(await counted(tenant)).toBeGreaterThan(20);
      expect(await counted(otherTenant)).toBe(0);
      await owner.end();
    }
  });
});
