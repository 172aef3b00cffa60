import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { requestHash } from '#tool-call';
import { findText } from '../../../test/harness/find-text.js';
import { environmentFor, plans } from '../../../test/harness/service-plans.js';
import { byHand, graph, step } from './workflow-fixture.js';
import type { WorkflowFixture, GivenGraph, WorkflowData } from './workflow-fixture.js';
import { isolatedFixture, issuesOf } from './isolated-fixture.js';

let fixture: WorkflowFixture;
let hooks: Server;
let url = '';
const received: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  hooks = createServer((request, response) => {
    received.push(request.headers);
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(hooks.address() as AddressInfo).port}`;
  url = `http://${host}/hook`;
  process.env.FETCH_ALLOWED_ADDRESSES = host;
  fixture = await isolatedFixture();
});
afterAll(async () => {
  delete process.env.FETCH_ALLOWED_ADDRESSES;
  await new Promise((resolve) => hooks.close(resolve));
});

const hook = (change: object = {}) => step('h', 'ACTION', { kind: 'WEBHOOK', url, ...change });
const calling = (change: object = {}): GivenGraph => graph([byHand, hook(change)]);
/** What a workflow says of its webhook, in its draft or its published version. */
const shown = ({ draft, published }: WorkflowData, which: 'draft' | 'published' = 'draft') =>
  (which === 'draft' ? draft : published!).steps.find(({ id }) => id === 'h')!.config;
const dataOf = (outcome: Awaited<ReturnType<WorkflowFixture['harness']['call']>>) => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.data as { workflow: WorkflowData };
};
const read = async (workflowId: string, scopes: ('read' | 'write' | 'send')[]) =>
  dataOf(await fixture.harness.call('get_workflow', { workflowId }, fixture.tenant, { scopes })).workflow;
const unique = (name: string) => `${name}-${randomUUID()}`;
const runJob = async () => {
  const job = plans[4]!(environmentFor(fixture.harness.ownerUrl)).jobs!({
    contexts: { plain: () => ({ manager: fixture.harness.dataSource('workflow').manager }) },
    dataSource: fixture.harness.dataSource('workflow'),
  } as never).find(({ name }) => name === 'seal webhook secrets')!;
  while (((await job.run()) ?? 0) > 0);
};

describe('the secrets of a webhook', () => {
  it('appear nowhere in the database, after any outcome of the calls that named them', async () => {
    const [secret, token] = [unique('secret'), unique('token')];
    const secrets = { secret, headers: { Authorization: `Bearer ${token}` } };
    const { id, updatedAt } = await fixture.create();
    const configure = (callId: string, change: object) =>
      fixture.harness.call(
        'configure_workflow_draft',
        { workflowId: id, expectedUpdatedAt: updatedAt, ...calling({ ...secrets, ...change }) },
        fixture.tenant,
        { callId },
      );
    // Refused, carried out, carried out before, and refused as another request of the same key.
    expect((await configure('key:refused', { headers: { 'X-Token': token, Host: token } })).ok).toBe(false);
    expect((await configure('key:taken', {})).ok).toBe(true);
    expect(await configure('key:taken', {})).toMatchObject({ ok: true, replayed: true });
    expect(await configure('key:taken', { secret: 'another' })).toMatchObject({
      error: { reason: 'IDEMPOTENCY_KEY_REUSED' },
    });
    for (const [tool, input] of [
      ['publish_workflow', {}],
      ['update_workflow_status', { status: 'PAUSED' }],
      ['update_workflow_status', { status: 'ACTIVE' }],
    ] as const)
      dataOf(
        await fixture.harness.call(tool, { workflowId: id, ...input }, fixture.tenant, {
          callId: `key:${tool} ${JSON.stringify(input)}`,
        }),
      );
    await fixture.subscriber('dumped@example.com');
    await fixture.enrol(id, 'dumped@example.com');
    received.length = 0;
    await fixture.run();
    expect(received).toMatchObject([{ 'x-tidings-secret': secret, authorization: `Bearer ${token}` }]);
    for (const text of [secret, token]) expect(await findText(fixture.harness.ownerUrl, text)).toEqual([]);
    const deleted = await fixture.harness.call('delete_workflow', { workflowId: id }, fixture.tenant, {
      callId: 'key:gone',
    });
    expect(shown(dataOf(deleted).workflow)!.secret).toBe('***');
    for (const text of [secret, token]) expect(await findText(fixture.harness.ownerUrl, text)).toEqual([]);
  });

  it('are in no hash that a guess could be tried against', async () => {
    const { id: workflowId, updatedAt: expectedUpdatedAt } = await fixture.create();
    const input = { workflowId, expectedUpdatedAt, ...calling({ secret: 'guessable' }) };
    dataOf(await fixture.harness.call('configure_workflow_draft', input, fixture.tenant, { callId: 'key:hash' }));
    const [call]: { request_hash: string }[] = await fixture.harness
      .dataSource('workflow')
      .query(`select request_hash from executed_call where organization_id = $1 and call_id = 'key:hash'`, [
        uuidOf('org', fixture.tenant.organizationId),
      ]);
    expect(call!.request_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(call!.request_hash).not.toBe(requestHash('configure_workflow_draft', input));
  });

  it('are shown to a caller that may write, and to others as ***', async () => {
    const secrets = { secret: 'shh', headers: { 'X-Own': 'mine' } };
    const id = await fixture.live(calling(secrets));
    const hidden = { kind: 'WEBHOOK', url, secret: '***', headers: { 'X-Own': '***' } };
    const [writer, reader] = [await read(id, ['read', 'write']), await read(id, ['read', 'send'])];
    for (const which of ['draft', 'published'] as const) {
      expect(shown(writer, which)).toEqual({ kind: 'WEBHOOK', url, ...secrets });
      expect(shown(reader, which)).toEqual(hidden);
    }
    expect(writer.difference).toMatchObject({ stepsChanged: [] });
    expect(shown(await fixture.status(id, 'PAUSED'))).toEqual(hidden);
  });

  it('stay as they are where *** is written back, and a webhook without any has none', async () => {
    const id = await fixture.live(calling({ secret: 'first', headers: { 'X-Own': 'mine', 'X-Other': 'old' } }));
    const { workflow } = await fixture.configure(
      id,
      calling({ secret: '***', headers: { 'x-own': '***', 'X-Other': 'new' } }),
    );
    expect(workflow.difference).toMatchObject({ stepsChanged: ['h'] });
    expect(shown(await fixture.get(id))).toMatchObject({
      secret: 'first',
      headers: { 'x-own': 'mine', 'X-Other': 'new' },
    });
    await fixture.configure(id, calling({ secret: '***', headers: { 'X-Own': '***', 'X-Other': '***' } }));
    expect(shown(await fixture.get(id))).toMatchObject({ headers: { 'X-Own': 'mine', 'X-Other': 'new' } });
    await fixture.configure(id, calling({ headers: {} }));
    expect(shown(await fixture.get(id))).toEqual({ kind: 'WEBHOOK', url, headers: {} });
    // What the draft lost, the published version still has.
    await fixture.configure(id, calling({ secret: '***' }));
    expect(shown(await fixture.get(id))).toEqual({ kind: 'WEBHOOK', url, secret: 'first' });
  });

  it('cannot be *** without a former value; the refusal names their places', async () => {
    const { id: workflowId, updatedAt: expectedUpdatedAt } = await fixture.create();
    const given = calling({ secret: '***', headers: { 'X-Own': '***', 'X-Said': 'yes' } });
    const problem = (what: string) =>
      `step "h" (ACTION): "***" keeps a former value, and this step has no ${what}; give the value itself`;
    expect(await issuesOf(fixture, 'configure_workflow_draft', { workflowId, expectedUpdatedAt, ...given })).toEqual([
      `steps.1.config.secret ${problem('secret')}`,
      `steps.1.config.headers.X-Own ${problem('header X-Own')}`,
    ]);
    expect(
      await issuesOf(fixture, 'update_workflow_draft', { workflowId, expectedUpdatedAt, definition: given }),
    ).toContain(`definition.steps.1.config.secret ${problem('secret')}`);
  });

  it('that were stored in plain are sealed in drafts and versions, and go on working', async () => {
    const secret = unique('plain');
    const id = await fixture.live(calling({ secret, headers: { 'X-Own': secret } }));
    const before = await fixture.get(id);
    const sql = fixture.harness.dataSource('workflow');
    const config = JSON.stringify({ kind: 'WEBHOOK', url, secret, headers: { 'X-Own': secret } });
    // As a process of a version before writes it, also after the job has run.
    for (const _again of [1, 2]) {
      for (const [table, column] of [
        ['workflow', 'draft'],
        ['workflow_version', 'graph'],
      ])
        await sql.query(
          `update ${table} set ${column} = jsonb_set(${column}, '{steps,1,config}', $2) where workflow_id = $1`,
          [uuidOf('wf', id), config],
        );
      expect(await findText(fixture.harness.ownerUrl, secret)).toEqual([
        'workflow.workflow.draft',
        'workflow.workflow_version.graph',
      ]);
      expect(await fixture.get(id)).toEqual(before);
      await runJob();
      expect(await findText(fixture.harness.ownerUrl, secret)).toEqual([]);
      expect(await fixture.get(id)).toEqual(before);
    }
    await fixture.subscriber('sealed@example.com');
    await fixture.enrol(id, 'sealed@example.com');
    received.length = 0;
    await fixture.run();
    expect(received).toMatchObject([{ 'x-tidings-secret': secret, 'x-own': secret }]);
  });
});
