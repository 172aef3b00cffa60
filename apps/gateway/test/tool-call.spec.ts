import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BusServer } from '#bus';
import { catalogue } from '#contracts';
import type { Issue } from '#contracts';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { ListedTool } from '../src/tool/tool-listing.js';
import { FakeDomainService, freshNamespace, fakeService, TestGateway, Whole } from './fake-services.js';

const namespace = freshNamespace();
const deadlineMs = 20_000;
const domain = new FakeDomainService();
const token = domain.token('all');
const reader = domain.token('reader', { scopes: ['read'] });
const heard: { input: unknown; caller: Caller }[] = [];
let release: (value: unknown) => void;
const released = new Promise((resolve) => (release = resolve));
let services: BusServer;
let gateway: TestGateway;

beforeAll(async () => {
  services = await fakeService(namespace, {
    ...domain.answers(),
    'tools.subscriber.list_tags': (input, caller) => {
      heard.push({ input, caller });
      return { tags: [], total: 0 };
    },
    'tools.subscriber.create_tag': (input, caller) => {
      heard.push({ input, caller });
      const name = input.name as string;
      if (name === 'taken') throw new ToolError('TAG_NAME_TAKEN', { name, tagId: 'tag_1' });
      if (name === 'defect') throw new Error('select * from secret');
      return new Whole({ ok: true, data: { tag: { id: 'tag_1', name } }, replayed: name === 'again' });
    },
    'tools.subscriber.get_or_create_tags': () => released,
    'tools.campaign.list_campaigns': (input) => ({ input }),
  });
  gateway = await TestGateway.start(namespace, { CALL_DEADLINE_MS: String(deadlineMs) });
});
afterAll(async () => {
  await gateway.stop();
  release({});
  await services.close();
});
beforeEach(() => {
  heard.length = 0;
});

describe('a tool call', () => {
  it('answers data in the envelope, with request id and rate figures', async () => {
    const { status, headers, body } = await gateway.call(token, 'list_tags');
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: { tags: [], total: 0 } });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-ratelimit-limit')).toBe('100000');
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(100_000);
    expect(headers.get('x-ratelimit-reset')).toBe(String(domain.resetAt));
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('passes the owner the caller, its token and the deadline', async () => {
    const before = Date.now();
    await gateway.call(token, 'list_tags', {}, { 'x-request-id': 'trace.42' });
    const { caller } = heard[0]!;
    expect(caller).toMatchObject({
      organizationId: 'org_all',
      tokenId: 'tok_all',
      requestId: 'trace.42',
      callId: null,
      source: 'tools',
      scopes: ['read', 'write', 'send'],
    });
    expect(caller.deadline).toBeGreaterThanOrEqual(before + deadlineMs);
    expect(caller.deadline).toBeLessThanOrEqual(Date.now() + deadlineMs);
  });

  it('keeps a sane X-Request-Id and replaces another', async () => {
    const sane = await gateway.call(token, 'list_tags', {}, { 'x-request-id': 'a-1:b.2' });
    expect(sane.headers.get('x-request-id')).toBe('a-1:b.2');
    for (const odd of ['two words', '<script>', 'x'.repeat(129), '']) {
      const { headers } = await gateway.call(token, 'list_tags', {}, { 'x-request-id': odd });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('applies defaults, takes enums in any case and null for omitted', async () => {
    const { body } = await gateway.call(token, 'list_campaigns', { status: 'draft', query: null });
    expect(body).toEqual({ success: true, data: { input: { status: 'DRAFT', limit: 20, page: 1 } } });
  });

  it('accepts a confirmationCode on a tool that asks for none', async () => {
    for (const confirmationCode of [12345, '12345', null]) {
      expect((await gateway.call(token, 'create_tag', { name: 'a', confirmationCode })).status).toBe(200);
      expect(heard.pop()!.input).toEqual({ name: 'a' });
    }
  });

  it('passes an Idempotency-Key on as the call id, and says when an answer is a replay', async () => {
    const first = await gateway.call(token, 'create_tag', { name: 'a' }, { 'idempotency-key': 'order-1' });
    expect(heard[0]!.caller.callId).toBe('key:order-1');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await gateway.call(token, 'create_tag', { name: 'again' }, { 'idempotency-key': 'order-2' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it.each(['', 'two words', 'x'.repeat(256), 'naïve'])('refuses the Idempotency-Key "%s"', async (key) => {
    const answer = await gateway.call(token, 'create_tag', { name: 'a' }, { 'idempotency-key': key });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', reason: 'IDEMPOTENCY_KEY_INVALID' },
    });
    expect(heard).toEqual([]);
  });
});

describe('a refused call', () => {
  it('names all problems at once (400 VALIDATION_ERROR)', async () => {
    const { status, body } = await gateway.call(token, 'list_campaigns', {
      limit: 1000,
      statsu: 'DRAFT',
      page: 'two',
      confirmationCode: 'abc',
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, code: 'VALIDATION_ERROR', reason: 'PARAMETERS_INVALID' });
    expect(body.issues.map(({ path }: Issue) => path[0]).sort()).toEqual([
      'confirmationCode',
      'limit',
      'page',
      'statsu',
    ]);
    expect(body.error).toContain('did you mean status?');
  });

  it.each([
    ['no header', {}, 'TOKEN_MISSING'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'TOKEN_MISSING'],
    ['an empty token', { authorization: 'Bearer ' }, 'TOKEN_MISSING'],
    ['an unknown token', { authorization: 'Bearer nobody' }, 'TOKEN_REFUSED'],
    ['a token with a wrong checksum', { authorization: `Bearer tdg_${'a'.repeat(40)}` }, 'TOKEN_REFUSED'],
    ['an endless token', { authorization: `Bearer ${'a'.repeat(5000)}` }, 'TOKEN_REFUSED'],
  ])('is 401 with %s', async (_what, headers: Record<string, string>, reason) => {
    const answer = await gateway.send('/api/v2/tools/list_tags', { method: 'POST', headers });
    expect(answer).toMatchObject({ status: 401, body: { success: false, code: 'UNAUTHENTICATED', reason } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it('is 401 with an expired token', async () => {
    const old = domain.token('old', { expiresAt: new Date(Date.now() - 1).toISOString() });
    expect(await gateway.call(old, 'list_tags')).toMatchObject({ status: 401, body: { reason: 'TOKEN_REFUSED' } });
  });

  it('is 403 when the scopes of the token do not cover the tool', async () => {
    expect((await gateway.call(reader, 'list_tags')).status).toBe(200);
    const answer = await gateway.call(reader, 'create_tag', { name: 'a' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN', reason: 'TOKEN_SCOPE_MISSING' } });
    expect(answer.headers.get('x-ratelimit-limit')).toBe('100000');
  });

  it('is 404 for an unknown tool, with the nearest name', async () => {
    const answer = await gateway.call(token, 'lsit_tags');
    expect(answer).toMatchObject({ status: 404, body: { code: 'TOOL_NOT_FOUND' } });
    expect(answer.body.error).toContain('Did you mean list_tags?');
    for (const odd of ['__proto__', 'constructor', 'list_tags%2F..', '%00']) {
      expect((await gateway.call(token, odd)).status).toBe(404);
    }
  });

  it('carries the refusal of the owner on (409)', async () => {
    const { status, body } = await gateway.call(token, 'create_tag', { name: 'taken' });
    expect(status).toBe(409);
    expect(body).toEqual({
      success: false,
      error: expect.stringContaining('"taken" already exists'),
      code: 'CONFLICT',
      reason: 'TAG_NAME_TAKEN',
    });
  });

  it('reveals nothing of a defect (500)', async () => {
    const { status, body } = await gateway.call(token, 'create_tag', { name: 'defect' });
    expect(status).toBe(500);
    expect(body).toEqual({ success: false, code: 'INTERNAL', error: expect.not.stringContaining('select') });
  });

  it('is 503 with Retry-After if no process serves the tool', async () => {
    const answer = await gateway.call(token, 'list_domains');
    expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE', reason: 'SERVICE_UNAVAILABLE' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is 504 at the deadline, and says how to learn the outcome', async () => {
    const hasty = await TestGateway.start(namespace, { CALL_DEADLINE_MS: '400' });
    const started = Date.now();
    const { status, body } = await hasty.call(token, 'get_or_create_tags', { names: ['a'] });
    expect(status).toBe(504);
    expect(body).toMatchObject({ code: 'TIMEOUT', reason: 'DEADLINE_EXCEEDED' });
    expect(body.error).toContain('Idempotency-Key');
    expect(Date.now() - started).toBeLessThan(10_000);
    await hasty.stop();
  });
});

describe('the listing', () => {
  it('shows every tool of the catalogue, with and without a trailing slash', async () => {
    for (const path of ['/api/v2/tools', '/api/v2/tools/']) {
      const { status, body, headers } = await gateway.send(path, { headers: { authorization: `Bearer ${reader}` } });
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, total: catalogue.size, docs: expect.stringMatching(/\/docs$/) });
      expect(body.tools.map(({ name }: ListedTool) => name)).toEqual([...catalogue.keys()]);
      expect(Object.values(body.grouped).flat()).toHaveLength(catalogue.size);
      expect(headers.get('x-ratelimit-remaining')).toBeTruthy();
    }
    expect((await gateway.send('/api/v2/tools')).status).toBe(401);
  });

  it('shows one tool', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await gateway.send('/api/v2/tools/schedule_campaign', { headers });
    expect(body).toMatchObject({
      success: true,
      tool: {
        name: 'schedule_campaign',
        category: 'campaigns',
        requiresConfirmation: true,
        annotations: { readOnly: false },
        inputSchema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          additionalProperties: false,
          required: ['campaignId'],
          properties: { confirmationCode: {} },
        },
      },
    });
    expect(await gateway.send('/api/v2/tools/no_tool', { headers })).toMatchObject({
      status: 404,
      body: { code: 'TOOL_NOT_FOUND' },
    });
  });
});
