import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { until } from '#testing';
import { addTags, byHand, graph, step } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { WorkItemWorker } from '../../src/engine/loop/work-item.worker.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
/** What webhooks are sent to, and how it answers. */
let hooks: Server;
let host = '';
const posts: { request: IncomingMessage; body: string }[] = [];
let answer = 200;
/** When it answers. */
let answering: Promise<void> = Promise.resolve();

beforeAll(async () => {
  hooks = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      posts.push({ request, body });
      void answering.then(() => response.writeHead(answer).end());
    });
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(hooks.address() as AddressInfo).port}`;
  process.env.FETCH_ALLOWED_ADDRESSES = host;
  fixture = await isolatedFixture();
});
afterAll(async () => {
  delete process.env.FETCH_ALLOWED_ADDRESSES;
  await new Promise((resolve) => hooks.close(resolve));
});

describe('a webhook', () => {
  const hook = (change: object = {}) => step('h', 'ACTION', { kind: 'WEBHOOK', url: `http://${host}/hook`, ...change });
  const call = async (email: string, change: object = {}) => {
    posts.length = 0;
    const id = await fixture.live(graph([byHand, hook(change)]));
    await fixture.subscriber(email);
    await fixture.enrol(id, email);
    await fixture.run();
    return id;
  };

  it('is signed, says who, and is recorded', async () => {
    answer = 204;
    const id = await call('hook@example.com', { secret: 'shh', headers: { 'X-Own': 'yes' } });
    expect(posts).toHaveLength(1);
    const { request, body } = posts[0]!;
    expect(JSON.parse(body)).toMatchObject({ subscriberEmail: 'hook@example.com', stepId: 'h', workflowId: id });
    const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers['x-tidings-signature'] as string)!;
    expect(createHmac('sha256', 'shh').update(`${seconds}.${body}`).digest('hex')).toBe(hex);
    expect(request.headers).toMatchObject({ 'x-own': 'yes', 'content-type': 'application/json' });
    const events = await fixture.eventsOf('hook@example.com');
    const event = events.find(({ type }) => type === 'WEBHOOK_EXECUTED');
    expect(event!.data).toMatchObject({ url: `http://${host}/hook`, status: 204, stepId: 'h' });
    // Newest first: it was called before the run was over.
    const [last, before] = events;
    expect([last!.type, before!.type]).toEqual(['WORKFLOW_COMPLETED', 'WEBHOOK_EXECUTED']);
  });

  it('that is refused fails the run; one that breaks is tried again', async () => {
    answer = 410;
    await call('refused@example.com');
    expect(await fixture.runs('refused@example.com')).toMatchObject([
      { status: 'FAILED', reason: 'WEBHOOK_REFUSED: status 410' },
    ]);
    const [last, before] = await fixture.eventsOf('refused@example.com');
    expect([last!.type, before!.type]).toEqual(['WORKFLOW_CANCELED', 'WEBHOOK_EXECUTED']);
    answer = 503;
    const id = await call('again@example.com');
    const failed = { attempts: 1, reason: 'WEBHOOK_UNREACHABLE: status 503', nextActionAt: expect.any(String) };
    expect(await fixture.runs('again@example.com')).toMatchObject([{ status: 'ACTIVE', ...failed }]);
    answer = 200;
    await fixture.pass(id, '1 minute');
    await fixture.run();
    expect(await fixture.runs('again@example.com')).toMatchObject([{ status: 'COMPLETED', attempts: 0, reason: null }]);
    expect(posts).toHaveLength(2);
    expect(new Set(posts.map(({ request }) => request.headers['x-tidings-delivery'])).size).toBe(1);
  });

  it('that is asked to come later does', async () => {
    answer = 429;
    const id = await call('busy@example.com');
    expect(await fixture.runs('busy@example.com')).toMatchObject([{ status: 'ACTIVE' }]);
    answer = 200;
    await fixture.pass(id, '1 minute');
    await fixture.run();
    expect(await fixture.runs('busy@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('to an address that is never asked fails the run at once, and says why', async () => {
    await call('port@example.com', { url: 'https://hooks.example.com:6379/hook' });
    expect(await fixture.runs('port@example.com')).toMatchObject([
      { status: 'FAILED', reason: 'WEBHOOK_REFUSED: the port must be 80, 443, 8080 or 8443' },
    ]);
  });

  it('reaches no address inside', async () => {
    await call('inside@example.com', { url: 'http://169.254.169.254/latest' });
    expect(await fixture.runs('inside@example.com')).toMatchObject([
      { status: 'FAILED', reason: 'WEBHOOK_REFUSED: the address must be a public one' },
    ]);
    await call('localhost@example.com', { url: 'http://localhost/latest' });
    expect(await fixture.runs('localhost@example.com')).toMatchObject([{ status: 'ACTIVE' }]);
    expect(posts).toEqual([]);
  });

  it('to an address that is never asked is warned of when the draft is saved', async () => {
    const { id } = await fixture.create();
    const warned = async (url: string) =>
      (await fixture.configure(id, graph([byHand, hook({ url })]))).warnings.map(({ message }) => message);
    expect(await warned('https://hooks.example.com:6379/hook')).toEqual([
      'step "h" (ACTION): the port must be 80, 443, 8080 or 8443; runs that come here fail',
    ]);
    for (const inside of ['http://10.0.0.1/', 'http://[::1]:8080/'])
      expect(await warned(inside)).toEqual([expect.stringContaining('the address must be a public one')]);
    expect(await warned('https://hooks.example.com:8443/')).toEqual([]);
  });

  it('that takes long delays no other webhook, and an organization has two hundred open', async () => {
    posts.length = 0;
    answer = 200;
    let release: () => void = () => undefined;
    answering = new Promise((resolve) => (release = resolve));
    const calling = await fixture.live(graph([byHand, hook()]));
    const beside = await fixture.live(graph([byHand, addTags('t', 'not held up')]));
    const subscribers = Array.from({ length: 200 }, (_, n) => ({ email: `slow-${n}@example.com` }));
    await fixture.harness.data('import_subscribers', { subscribers }, fixture.tenant);
    for (const email of ['beside@example.com', 'late@example.com']) await fixture.subscriber(email);
    // No call may time out, however long it takes to start them all.
    const patience = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
    const loop = new WorkItemWorker(fixture.loops().find(({ name }) => name === 'runs')!);
    await fixture.harness.data('add_subscribers_to_workflow', { workflowId: calling, query: 'slow-' }, fixture.tenant);
    loop.start();
    try {
      await until('two hundred calls are under way', () => posts.length === 200, 60_000);
      await fixture.enrol(calling, 'late@example.com');
      await fixture.enrol(beside, 'beside@example.com');
      const isOver = async () => (await fixture.runs('beside@example.com'))[0]!.status === 'COMPLETED';
      await until('the run beside is over', isOver, 60_000);
      expect(posts).toHaveLength(200);
    } finally {
      release();
      await loop.stop();
      patience.mockRestore();
    }
    await fixture.pass(calling, '1 minute');
    await fixture.run();
    expect(posts).toHaveLength(201);
    expect(await fixture.get(calling)).toMatchObject({ activeSubscribers: 0, stats: { completed: 201 } });
  });
});
