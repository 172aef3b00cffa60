import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { domainRequests, sessionRequests } from '#contracts';
import { uuidOf } from '#database';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { Browser } from '../surface/browser.js';
import { ToolsClient } from './client.js';
import { startSystem } from './start-system.js';

jest.setTimeout(240_000);

describe('an approved call', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  let bus: Bus;
  let database: pg.Client;
  let owner: Browser;
  let agent: ToolsClient;
  let sender: string;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    system = await startSystem({ SMTP_URL: sink.url });
    bus = await connectBus({ url: process.env.NATS_URL!, namespace: system.databaseName, name: 'spec' });
    database = new pg.Client({ connectionString: system.environment.DATABASE_URL! });
    await database.connect();
    const caller = serviceCaller('', 'spec');
    const { token } = await bus.client(sessionRequests).issue_setup_link({}, caller);
    owner = new Browser(system.url());
    const setUp = { token, email: 'owner@example.com', name: 'Olga Owner', password: 'correct horse battery staple' };
    expect(await owner.send('POST', '/api/session/setup', setUp)).toMatchObject({ status: 200 });
    const { organizationId } = system;
    const asked = { organizationId, name: 'agent', selfConfirm: false };
    agent = new ToolsClient(system.url(), (await bus.client(domainRequests).create_token(asked, caller)).secret);
    const { senders } = await owner.data<{ senders: { email: string }[] }>('get_email_senders', {});
    sender = senders[0]!.email;
  });
  afterAll(async () => {
    await database.end();
    await bus.close();
    await system.stop();
    await sink.stop();
  });

  const row = async (approvalId: string) => {
    const { rows } = await database.query<{ state: string }>(
      'select state from domain.approval where approval_id = $1',
      [uuidOf('apr', approvalId)],
    );
    return rows[0]!;
  };

  it.each([
    { killed: ['domain'], which: 'while the call is under way' },
    { killed: ['domain', 'delivery'], which: 'before the call had any effect' },
  ])('is carried out once when the domain service is killed $which', async ({ killed }) => {
    const to = `${killed.length}@people.internal`;
    const mail = { from: sender, to, subject: 'Approved', html: '<p>Once</p>' };
    const { approvalId } = (await agent.call('send_email', mail)).body as unknown as { approvalId: string };
    const { approval } = await owner.data<{ approval: { contentHash: string; preview: { html: string } } }>(
      'get_approval',
      { approvalId },
    );
    expect(approval.preview.html).toBe('<p>Once</p>');
    // Descriptions read; the call itself waits for this lock.
    const holder = new pg.Client({ connectionString: system.environment.DATABASE_URL! });
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table delivery.message in share row exclusive mode');
    const decided = owner.call('decide_approval', { approvalId, approved: true, seen: approval.contentHash });
    await until('it is approved', async () => (await row(approvalId)).state === 'EXECUTING');
    await until('the call is under way', async () => {
      const { rows } = await database.query(
        `select 1 from pg_locks where not granted and relation = 'delivery.message'::regclass`,
      );
      return rows.length > 0;
    });
    for (const name of killed) for (const one of system.alive(name)) await system.end(one, 'SIGKILL');
    await holder.query('rollback');
    await holder.end();
    for (const name of killed) await system.add(name);
    expect((await decided).status).not.toBe(200);
    // The job takes up what was approved half a minute ago.
    await database.query(
      `update domain.approval set decided_at = decided_at - interval '1 minute' where state = 'EXECUTING'`,
    );
    await until('it was carried out', async () => (await row(approvalId)).state === 'EXECUTED', 60_000);
    await until('the mail went out', () => (sink.counts.get(to) ?? 0) > 0, 60_000);
    const { rows } = await database.query<{ copies: number }>(
      'select count(*)::int as copies from delivery.message where email = $1',
      [to],
    );
    expect(rows).toEqual([{ copies: 1 }]);
    expect(sink.counts.get(to)).toBe(1);
    const repeated = await agent.call('send_email', mail);
    expect(repeated).toMatchObject({ status: 200, body: { data: { status: 'QUEUED' } } });
    expect(sink.counts.get(to)).toBe(1);
    const audit = await database.query(
      `select 1 from domain.audit_entry where request_id = $1 and approved_by is not null and outcome = 'OK'`,
      [approvalId],
    );
    expect(audit.rows).toHaveLength(1);
  });
});
