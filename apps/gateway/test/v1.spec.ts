import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BusServer } from '#bus';
import { v1Endpoints } from '#contracts';
import { summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { FakeDomainService, freshNamespace, fakeService, TestGateway } from './fake-services.js';
import type { Json } from './fake-services.js';

const namespace = freshNamespace();
const domain = new FakeDomainService();
const token = domain.token('all');
const reader = domain.token('reader', { scopes: ['read'] });
const writer = domain.token('writer', { scopes: ['write'] });
const poor = domain.token('poor', { ratePerMinute: 1 });
const bound = domain.token('bound', { selfConfirm: false });
const heard: { input: Json; caller: Caller }[] = [];
let services: BusServer;
let gateway: TestGateway;

beforeAll(async () => {
  services = await fakeService(namespace, {
    ...domain.answers(),
    'requests.campaign.control_campaign': (input, caller) => {
      heard.push({ input, caller });
      if (input.campaignId === 'cmp_draft') throw new ToolError('CAMPAIGN_NOT_SENDING', { status: 'DRAFT' });
      return { campaignId: input.campaignId as string, paused: input.action === 'pause' };
    },
    'requests.campaign.list_campaign_recipients': (input, caller) => {
      heard.push({ input, caller });
      const { campaignId } = input;
      return {
        campaignId: campaignId as string,
        status: 'SENT',
        total: 0,
        pending: 0,
        recipients: [],
        nextCursor: null,
      };
    },
    'requests.delivery.send_written_email': () => {
      const issues = [{ path: ['tiptap', 'content', 0], message: 'is no block' }];
      throw new ToolError('CONTENT_INVALID', { summary: summarise(issues) }, { issues });
    },
    'requests.subscriber.check_filters': () => {
      const issues = [{ path: ['filters', 0, 'operator'], message: 'is unknown' }];
      throw new ToolError('FILTERS_INVALID', { summary: summarise(issues) }, { issues });
    },
    'requests.campaign.retry_campaign': (input, caller) => {
      heard.push({ input, caller });
      return { campaignId: input.campaignId as string, status: 'SENDING', retried: 3, inDoubt: 1 };
    },
  });
  gateway = await TestGateway.start(namespace);
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
});
beforeEach(() => {
  heard.length = 0;
});

const call = (method: string, path: string, { as = token, body, headers = {} }: Json = {}) =>
  gateway.send(`/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${as as string}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(headers as Record<string, string>),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('the contracts of v1', () => {
  it('have a place of their own each, described, with the parameters of their path', () => {
    const places = v1Endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(places.length);
    for (const { path, summary, parameters } of v1Endpoints) {
      expect(summary).toMatch(/^[A-Z].*\.$/s);
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(parameters.shape)).toEqual(expect.arrayContaining(inPath));
    }
  });
});

describe('a call of v1', () => {
  it('is refused in v1’s names, not in those of the tool behind it', async () => {
    const letter = { from: 'a@x.example', to: 'b@x.example', subject: 'Hi', content: {}, contentType: 'TIPTAP' };
    expect((await call('POST', '/emails', { body: letter })).body).toMatchObject({
      error: 'content.content[0]: is no block.',
      issues: [{ path: ['content', 'content', 0] }],
    });
    const recipientFilters = [{ type: 'STRING', field: 'email', operator: 'LIKES', value: 'a' }];
    expect((await call('POST', '/campaigns', { body: { subject: 'Hi', recipientFilters } })).body).toMatchObject({
      error: 'recipientFilters[0].operator: is unknown.',
      issues: [{ path: ['recipientFilters', 0, 'operator'] }],
    });
  });

  it('is answered by the call of its contract, with the fields beside success and the rate figures', async () => {
    const { status, headers, body } = await call('POST', '/campaigns/cmp_1/pause', {
      headers: { 'x-request-id': 't.1' },
    });
    expect({ status, body }).toEqual({ status: 200, body: { success: true, campaignId: 'cmp_1', paused: true } });
    expect(headers.get('x-ratelimit-limit')).toBe('100000');
    expect(headers.get('x-request-id')).toBe('t.1');
    expect(heard).toMatchObject([
      {
        input: { campaignId: 'cmp_1', action: 'pause' },
        caller: { organizationId: 'org_all', tokenId: 'tok_all', source: 'v1', callId: null, requestId: 't.1' },
      },
    ]);
  });

  it('takes parameters from path, query and body, and hands an Idempotency-Key on', async () => {
    await call('GET', '/campaigns/cmp_1/recipients/?status=failed,SKIPPED&limit=7&cursor=sub_1');
    await call('GET', '/campaigns/cmp%2F1/recipients?status=all');
    const body = { inDoubt: true, id: 'cmp_other' };
    const retry = await call('POST', '/campaigns/cmp_1/retry', { body, headers: { 'idempotency-key': 'k1' } });
    expect(retry.body).toEqual({ success: true, campaignId: 'cmp_1', status: 'SENDING', retried: 3, inDoubt: 1 });
    expect(heard.map(({ input }) => input)).toEqual([
      { campaignId: 'cmp_1', statuses: ['FAILED', 'SKIPPED'], limit: 7, cursor: 'sub_1' },
      { campaignId: 'cmp/1', statuses: null, limit: 50, cursor: null },
      { campaignId: 'cmp_1', inDoubt: true },
    ]);
    expect(heard[2]!.caller.callId).toBe('key:k1');
  });

  it('says with an Idempotency-Key of which request its calls are parts', async () => {
    const whole = async (path: string, body: object, key = 'k2') => {
      await call('POST', path, { body, headers: key && { 'idempotency-key': key } });
      return heard.at(-1)!.caller.wholeHash;
    };
    const first = await whole('/campaigns/cmp_1/retry', { inDoubt: true });
    expect(first).toEqual(expect.any(String));
    expect(await whole('/campaigns/cmp_1/retry', { unknown: 1, inDoubt: true })).toBe(first);
    expect(await whole('/campaigns/cmp_1/retry', {})).not.toBe(first);
    expect(await whole('/campaigns/cmp_1/pause', {})).not.toBe(await whole('/campaigns/cmp_1/resume', {}));
    expect(await whole('/campaigns/cmp_1/retry', {}, '')).toBeUndefined();
  });

  it('ignores unknown parameters, and warns', async () => {
    const { body } = await call('POST', '/campaigns/cmp_1/retry?colour=red', { body: { indoubt: true } });
    expect(body.warnings).toEqual([
      'Unknown parameter colour was ignored.',
      'Unknown parameter indoubt was ignored; did you mean inDoubt?',
    ]);
    expect(heard[0]!.input.inDoubt).toBe(false);
  });

  it('says a refusal as error and as message, with its class', async () => {
    const refused = await call('POST', '/campaigns/cmp_draft/stop');
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ success: false, code: 'INVALID_STATE', reason: 'CAMPAIGN_NOT_SENDING' });
    expect(refused.body.message).toBe(refused.body.error);
    const invalid = await call('GET', '/campaigns/cmp_1/recipients?status=lost&limit=101');
    expect(invalid.status).toBe(400);
    expect((invalid.body.issues as { path: string[] }[]).map(({ path }) => path[0])).toEqual(['status', 'limit']);
    const noDate = await call('GET', '/subscribers/sub_1/events?startDate=yesterday');
    expect(noDate.body.error).toBe('startDate: must be a date or time of ISO 8601, such as 2026-05-01T09:30:00.000Z.');
    const noNumber = await call('GET', '/campaigns/cmp_1/recipients?limit=many');
    expect(noNumber.body).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('limit') });
    expect((await call('POST', '/campaigns/cmp_1/retry', { body: [1] })).status).toBe(400);
  });

  it.each([
    ['GET', '/campaigns/a%00/recipients', 'id'],
    ['GET', '/campaigns/cmp_1/recipients?cursor=%00', 'cursor'],
    ['DELETE', `/subscribers/sub_1/tags?tags=${encodeURIComponent('["a","\\u0000"]')}`, 'tags'],
  ])('%s %s is a 400, since no text can hold what it holds', async (method, path, where) => {
    const { status, body } = await call(method, path);
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect((body.issues as { path: string[] }[])[0]!.path[0]).toBe(where);
    expect(heard).toEqual([]);
  });

  it('is found in the absolute form of its address too (RFC 9112 section 3.2.2)', async () => {
    const { hostname, port } = new URL(gateway.url);
    const options = { hostname, port, method: 'POST', path: 'http://mail.example/api/v1/campaigns/cmp_1/pause' };
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const asked = request({ ...options, headers }, (answer) => resolve(answer.resume().statusCode));
      asked.on('error', reject).end();
    });
    expect(status).toBe(200);
  });

  it.each([
    ['GET', '/campaigns/cmp_1/pause'],
    ['POST', '/campaigns/cmp_1/paus'],
    ['POST', '/campaigns/cmp_1/pause/now'],
    ['DELETE', '/campaigns'],
  ])('%s %s is a 404', async (method, path) => {
    const { status, body } = await call(method, path);
    expect([status, body.code, body.success]).toEqual([404, 'NOT_FOUND', false]);
  });

  it('of a path that is called otherwise says how', async () => {
    const said = async (method: string, path: string) => (await call(method, path)).body.error as string;
    expect(await said('GET', '/emails')).toContain('This path accepts POST.');
    expect(
      (await said('DELETE', '/tags/vip'))
        .match(/accepts (.*)\./)![1]!
        .split(' or ')
        .sort(),
    ).toEqual(['GET', 'PATCH']);
    expect(await said('GET', '/nowhere')).toContain('POST /api/v2/tools/{name}');
  });

  it('needs a token, the scope of the endpoint, and room under the rate limit', async () => {
    expect((await gateway.send('/api/v1/campaigns/cmp_1/pause', { method: 'POST' })).body).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.any(String),
    });
    const scopes = async (as: string) =>
      await Promise.all(
        [
          ['POST', 'pause'],
          ['POST', 'resume'],
          ['POST', 'stop'],
          ['GET', 'recipients'],
          ['POST', 'retry'],
        ].map(async ([method, name]) => (await call(method!, `/campaigns/cmp_1/${name}`, { as })).status),
      );
    expect(await scopes(reader)).toEqual([403, 403, 403, 200, 403]);
    expect(await scopes(writer)).toEqual([200, 403, 200, 403, 403]);
    await call('POST', '/campaigns/cmp_1/pause', { as: poor });
    const limited = await call('POST', '/campaigns/cmp_1/pause', { as: poor });
    expect([limited.status, limited.body.code, limited.headers.has('retry-after')]).toEqual([
      429,
      'RATE_LIMITED',
      true,
    ]);
  });

  it('does nothing for a token that needs a person where a tool would ask for one, since v1 never asks', async () => {
    for (const [method, path] of [
      ['POST', '/emails'],
      ['POST', '/campaigns/cmp_1/send'],
      ['POST', '/campaigns/cmp_1/resume'],
      ['POST', '/campaigns/cmp_1/retry'],
      ['DELETE', '/campaigns/cmp_1'],
      ['DELETE', '/subscribers/ada@x.example'],
    ] as const) {
      expect({ path, ...(await call(method, path, { as: bound })) }).toMatchObject({
        path,
        status: 403,
        body: { success: false, code: 'FORBIDDEN', reason: 'APPROVAL_IMPOSSIBLE' },
      });
    }
    expect(heard).toEqual([]);
    expect((await call('POST', '/campaigns/cmp_1/pause', { as: bound })).status).toBe(200);
  });
});
