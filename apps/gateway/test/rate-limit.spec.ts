import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectBus } from '#bus';
import type { Bus, BusServer } from '#bus';
import { until } from '#testing';
import { hashApiToken } from '#tool-call';
import { FakeDomainService, freshNamespace, fakeService, TestGateway } from './fake-services.js';

const namespace = freshNamespace();
const domain = new FakeDomainService();
let services: BusServer;
let gateway: TestGateway;
let bus: Bus;

beforeAll(async () => {
  services = await fakeService(namespace, {
    ...domain.answers(),
    'tools.subscriber.list_tags': () => ({ tags: [], total: 0 }),
  });
  gateway = await TestGateway.start(namespace);
  bus = await connectBus({ url: process.env.NATS_URL!, namespace, name: 'domain stand-in' });
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
  await bus.close();
});

describe('the rate limit', () => {
  it('joins the permits of 50 parallel calls into few requests, and grants exactly the limit', async () => {
    const token = domain.token('busy', { ratePerMinute: 30 });
    await gateway.call(token, 'list_tags');
    domain.permitRequests = [];
    const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.call(token, 'list_tags')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(29);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(21);
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 29 }, (_, i) => i));
    expect(domain.permitRequests.length).toBeLessThan(50);
    expect(domain.permitRequests.flat().reduce((sum, { count }) => sum + count, 0)).toBe(50);
  });

  it('says when to come again (429), also to a call that is wrong otherwise', async () => {
    const token = domain.token('spent', { ratePerMinute: 0 });
    domain.resetAt = Math.floor(Date.now() / 1000) + 420;
    const { status, headers, body } = await gateway.call(token, 'no_tool', 'no json');
    expect(status).toBe(429);
    expect(body).toEqual({
      success: false,
      error: expect.stringContaining('limit of 0 calls a minute'),
      code: 'RATE_LIMITED',
      reason: 'RATE_LIMIT_REACHED',
      retryAt: new Date(domain.resetAt * 1000).toISOString(),
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(380);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(420);
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('x-ratelimit-reset')).toBe(String(domain.resetAt));
  });

  it('never asks to wait more than ten minutes, nor less than a second', async () => {
    const token = domain.token('spent', { ratePerMinute: 0 });
    for (const [away, seconds] of [
      [86_400, '600'],
      [-5, '1'],
    ] as const) {
      domain.resetAt = Math.floor(Date.now() / 1000) + away;
      expect((await gateway.call(token, 'list_tags')).headers.get('retry-after')).toBe(seconds);
    }
  });

  it('counts the listing too, and organizations apart', async () => {
    const first = domain.token('first', { ratePerMinute: 1 });
    const second = domain.token('second', { ratePerMinute: 1 });
    const list = (token: string) => gateway.send('/api/v2/tools', { headers: { authorization: `Bearer ${token}` } });
    const answers = await Promise.all([list(first), list(second)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await list(first)).status).toBe(429);
  });
});

describe('a token', () => {
  /** A cached token expires after 30 s without a broadcast of a change. */
  const soonerThanForgotten = 20_000;

  it('is looked up once while it is cached, and again after a change', async () => {
    const token = domain.token('revocable');
    domain.lookUps = 0;
    await Promise.all(Array.from({ length: 10 }, () => gateway.call(token, 'list_tags')));
    await gateway.call(token, 'list_tags');
    expect(domain.lookUps).toBe(1);
    domain.tokens.clear();
    bus.broadcast('token.changed', { tokenHash: hashApiToken(token) });
    const isRefused = async () => (await gateway.call(token, 'list_tags')).status === 401;
    await until('the revocation holds', isRefused, soonerThanForgotten);
  });

  it('of an organization is forgotten when its limit changes', async () => {
    const token = domain.token('raised', { ratePerMinute: 10 });
    const limit = async () => (await gateway.call(token, 'list_tags')).headers.get('x-ratelimit-limit');
    expect(await limit()).toBe('10');
    domain.token('raised', { ratePerMinute: 20 });
    bus.broadcast('organization.changed', { organizationId: 'org_raised' });
    await until('the new limit holds', async () => (await limit()) === '20', soonerThanForgotten);
  });
});

describe('without the domain service', () => {
  it('calls are 503 with Retry-After, whether their token is known or not', async () => {
    const lonely = freshNamespace();
    const alone = await TestGateway.start(lonely);
    const answer = await alone.call('any', 'list_tags');
    expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const some = new FakeDomainService();
    some.token('any');
    const { 'requests.domain.authenticate_token': authenticate } = some.answers();
    const half = await fakeService(lonely, { 'requests.domain.authenticate_token': authenticate! });
    expect(await alone.call('any', 'list_tags')).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    await alone.stop();
    await half.close();
  });
});
