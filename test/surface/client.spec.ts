import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfirmationRequired, TidingsClient, TidingsError } from '#client';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

describe('the published client', () => {
  let surface: ApiFixture;
  let tenant: ApiTenant;
  /** How the line behaves: each call takes the next; afterwards it is fine. */
  const line: ('lost before' | 'lost after' | number)[] = [];
  const sent: { key: string | null; headers: Headers }[] = [];
  beforeAll(async () => {
    surface = await ApiFixture.start();
    tenant = await surface.customer();
  });
  afterAll(async () => {
    await surface.stop();
  });

  const shaky: typeof fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    sent.push({ key: headers.get('idempotency-key'), headers });
    const trouble = line.shift();
    if (trouble === 'lost before') throw new TypeError('fetch failed');
    if (typeof trouble === 'number') {
      return new Response('<h1>away</h1>', { status: trouble, headers: { 'retry-after': '0' } });
    }
    const response = await fetch(url, init);
    if (trouble === 'lost after') throw new TypeError('terminated');
    return response;
  };
  const client = (change: object = {}) =>
    new TidingsClient({ baseUrl: `${surface.url}/`, token: tenant.token, fetch: shaky, ...change });

  it('calls tools with their types, and v1', async () => {
    const { tools } = client();
    const { subscriber, created } = await tools.add_subscriber({ email: 'ada@example.com', tags: ['customer'] });
    expect([created, subscriber.tags[0]!.name]).toEqual([true, 'customer']);
    const { tags } = await tools.list_tags({});
    expect(tags.map(({ name, subscribersCount }) => [name, subscribersCount])).toEqual([['customer', 1]]);
    const found = await client().v1<{ subscriber: { id: string } }>('GET', '/subscribers/ada%40example.com');
    expect(found.subscriber.id).toBe(subscriber.id);
  });

  it('repeats requests that were lost, and has the effect once', async () => {
    line.push('lost after', 503, 'lost before');
    sent.length = 0;
    const { campaignId } = await client().tools.create_campaign({ subject: 'Once' });
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent).toHaveLength(4);
    const { campaigns } = await client().tools.list_campaigns({ query: 'Once' });
    expect(campaigns.map(({ id }) => id)).toEqual([campaignId]);
  });

  it('gives up after its retries, and when it should wait too long', async () => {
    line.push('lost before', 'lost before');
    await expect(client({ retries: 1 }).tools.list_tags({})).rejects.toMatchObject({ status: 0, code: 'NO_ANSWER' });
    const poor = await surface.customer('Poor');
    await surface.limit(poor.organizationId, 1);
    const limited = client({ token: poor.token, waitMsMax: 10 });
    await limited.tools.list_tags({});
    await expect(limited.tools.list_tags({})).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  });

  it('asks for required confirmations, and carries out confirmed calls', async () => {
    const { tools } = client();
    await tools.create_tag({ name: 'doomed' });
    const asked = await tools.delete_tag({ name: 'doomed' }).catch((error: unknown) => error);
    expect(asked).toBeInstanceOf(ConfirmationRequired);
    expect((asked as ConfirmationRequired).question.message).toContain('"doomed"');
    await expect(tools.delete_tag({ name: 'doomed' }, { confirm: () => false })).rejects.toThrow(ConfirmationRequired);
    const heard: string[] = [];
    const confirm = ({ action }: { action: string }) => heard.push(action) > 0;
    expect(await client({ confirm }).tools.delete_tag({ name: 'doomed' })).toMatchObject({ deleted: true });
    expect(heard).toEqual(['Delete the tag']);
  });

  it('edits a record only while it is as it was read', async () => {
    const { tools } = client();
    const { campaignId } = await tools.create_campaign({ subject: 'Read' });
    const { campaign } = await tools.get_campaign({ campaignId });
    const ifMatch = campaign.updatedAt;
    await tools.update_campaign_filters({ campaignId, filters: [] }, { ifMatch });
    await expect(tools.update_campaign_filters({ campaignId, filters: [] }, { ifMatch })).rejects.toMatchObject({
      status: 409,
      reason: 'EXPECTED_UPDATED_AT_STALE',
    });
  });

  it('sends no token where none is given, and reads further headers for each attempt', async () => {
    line.push(503);
    sent.length = 0;
    let attempts = 0;
    const headers = () => ({ 'tidings-csrf': `attempt ${++attempts}`, authorization: `Bearer ${tenant.token}` });
    await new TidingsClient({ baseUrl: surface.url, headers, fetch: shaky }).tools.list_tags({});
    expect(sent.map((one) => one.headers.get('tidings-csrf'))).toEqual(['attempt 1', 'attempt 2']);
    const unknown = new TidingsClient({ baseUrl: surface.url, fetch: shaky }).tools.list_tags({});
    await expect(unknown).rejects.toMatchObject({ status: 401, reason: 'TOKEN_MISSING' });
    expect(sent.at(-1)!.headers.has('authorization')).toBe(false);
  });

  it('finds the interface described for programs and for people, without a token', async () => {
    const response = await fetch(`${surface.url}/api/openapi.json`);
    const { openapi, paths } = (await response.json()) as { openapi: string; paths: object };
    expect([response.status, openapi]).toEqual([200, '3.1.0']);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/v2/tools/list_tags', '/api/v1/tags/{tag}']));
    const page = await (await fetch(`${surface.url}/docs`)).text();
    for (const title of ['add_subscriber', 'PATCH /api/v1/tags/:tag']) expect(page).toContain(`>${title}</h3>`);
  });

  it('returns a refusal with all its details', async () => {
    const error = await client()
      .tools.get_campaign({ campaignId: 'cmp_none' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TidingsError);
    expect(error).toMatchObject({ status: 404, code: 'NOT_FOUND', reason: 'CAMPAIGN_NOT_FOUND', retryAt: null });
    expect((error as TidingsError).requestId).toMatch(/\S/);
    const wrong = await client()
      .tools.create_tag({ name: '' })
      .catch((thrown: unknown) => thrown);
    expect((wrong as TidingsError).issues).toEqual([{ path: ['name'], message: expect.any(String) }]);
  });
});
