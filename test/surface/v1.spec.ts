import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v1Endpoints } from '#contracts';
import { z } from 'zod';
import type { Json } from '../../apps/gateway/test/fake-services.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

/** Endpoints that a call of this walk succeeded with. */
const walked = new Set<string>();
let surface: ApiFixture;
let tenant: ApiTenant;

beforeAll(async () => {
  surface = await ApiFixture.start();
  tenant = await surface.customer();
});
afterAll(async () => {
  await surface.stop();
});

/** Calls an endpoint; what it answers is as its contract says. */
async function call(method: string, path: string, body?: object, status = 200): Promise<Json> {
  const answer = await tenant.client.v1(method, path, body);
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { success: status === 200 } });
  if (status !== 200) {
    expect(answer.body.message).toBe(answer.body.error);
    return answer.body;
  }
  const { pathname } = new URL(path, 'http://v1');
  const endpoint = v1Endpoints.find(
    (one) => one.method === method && new RegExp(`^${one.path.replace(/:\w+/g, '[^/]+')}$`).test(pathname),
  )!;
  walked.add(endpoint.name);
  const { success: _, ...data } = answer.body;
  expect(endpoint.answer.extend({ warnings: z.array(z.unknown()).optional() }).parse(data)).toEqual(data);
  return answer.body;
}
const list = (values: string[]) => encodeURIComponent(JSON.stringify(values));

describe('v1', () => {
  it('creates, reads, changes, renames and lists a subscriber, by id and by address', async () => {
    const made = await call('POST', '/subscribers', {
      email: 'Zoë+news@v1.example.com',
      name: 'Zoe',
      tags: ['V1'],
      fields: { city: 'Rome', vip: true },
      colour: 'red',
    });
    expect(made.warnings).toContain('Unknown parameter colour was ignored.');
    const { id } = made.subscriber as { id: string };
    const byAddress = `/subscribers/${encodeURIComponent('Zoë+news@v1.example.com')}`;
    expect(await call('GET', byAddress)).toMatchObject({ subscriber: { id, fields: { city: 'Rome', vip: 'true' } } });
    const renamed = await call('PATCH', byAddress, { email: 'zoe@v1.example.com', name: null, fields: { city: null } });
    expect(renamed.subscriber).toMatchObject({ id, email: 'zoe@v1.example.com', name: null, fields: { vip: 'true' } });
    expect(await call('GET', `/subscribers/${id}`)).toMatchObject({ subscriber: { email: 'zoe@v1.example.com' } });
    for (const query of ['status=all&tag=v1', 'status=subscribed&query=zoe&limit=1']) {
      expect(await call('GET', `/subscribers?${query}`)).toMatchObject({ total: 1, subscribers: [{ id }] });
    }
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/unsubscribe'],
      ['POST', '/tags'],
      ['GET', '/events'],
    ] as const) {
      const body = method === 'GET' ? undefined : { tags: ['x'] };
      expect(await call(method, `/subscribers/nobody@v1.example.com${path}`, body, 404)).toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });

  it('takes a country by code or name, and refuses an unknown one at its parameter', async () => {
    await call('POST', '/subscribers', { email: 'fr@country.example.com', country: 'Frankreich' });
    await call('PATCH', '/subscribers/fr@country.example.com', { country: 'fra' });
    for (const [method, path] of [
      ['POST', '/subscribers'],
      ['PATCH', '/subscribers/fr@country.example.com'],
    ] as const) {
      const body = { email: 'fr@country.example.com', country: 'Atlantis' };
      expect(await call(method, path, body, 400)).toMatchObject({
        reason: 'COUNTRY_UNKNOWN',
        issues: [{ path: ['country'] }],
      });
    }
  });

  it('warns of unknown parameters in the form in which an endpoint warns', async () => {
    const content = 'Hello. [Unsubscribe]({{unsubscribeUrl}})';
    const known = { subject: 'long '.repeat(40), preview: 'Hi', contentType: 'MARKDOWN', content };
    const { warnings } = await call('POST', '/campaigns', { ...known, colour: 'red' });
    const { answer } = v1Endpoints.find(({ method, path }) => method === 'POST' && path === '/campaigns')!;
    const message = 'Unknown parameter colour was ignored.';
    expect(warnings).toEqual([expect.any(Object), { code: 'UNKNOWN_PARAMETER', message }]);
    expect((answer.shape.warnings as z.ZodType).parse(warnings)).toEqual(warnings);
  });

  it('adds and removes tags, of which those that change nothing are no failure', async () => {
    const path = '/subscribers/zoe@v1.example.com/tags';
    expect(await call('POST', path, { tags: ['v1', 'New'] })).toMatchObject({ added: 1 });
    expect(await call('POST', path, { tags: ['new'] })).toMatchObject({ added: 0 });
    const left = await call('DELETE', `${path}?tags=${list(['new'])}`);
    expect(left).toMatchObject({ removed: 1, tags: [{ name: 'V1' }] });
    expect(await call('DELETE', path, { tags: ['new', 'never'] })).toMatchObject({ removed: 0 });
  });

  it('creates a tag once, finds it by id and by name, and renames it', async () => {
    const { tag } = await call('POST', '/tags', { name: 'Gold' });
    expect(await call('POST', '/tags', { name: 'gold' })).toMatchObject({ tag: { id: tag.id, name: 'Gold' } });
    expect(await call('GET', '/tags/GOLD')).toEqual(await call('GET', `/tags/${tag.id}`));
    expect(await call('PATCH', `/tags/${tag.id}`, { name: 'Silver & Gold' })).toMatchObject({
      tag: { id: tag.id, name: 'Silver & Gold', subscribersCount: 0 },
    });
    expect(await call('GET', `/tags/${encodeURIComponent('silver & gold')}`)).toMatchObject({ tag: { id: tag.id } });
    expect(await call('PATCH', '/tags/v1', { name: 'SILVER & gold' }, 409)).toMatchObject({ reason: 'TAG_NAME_TAKEN' });
    await call('GET', '/tags/gold', undefined, 404);
    expect((await call('GET', '/tags')).tags).toContainEqual({ ...tag, name: 'Silver & Gold', subscribersCount: 0 });
  });

  it('records events and pages through the history', async () => {
    const of = { subscriber: 'zoe@v1.example.com' };
    await call('POST', '/events', { ...of, eventType: 'Booked a table', data: { seats: 2 } });
    await call('POST', '/events', { ...of, eventType: 'SUBSCRIBER_PAYMENT', data: { amount: 12.5, currency: 'USD' } });
    const path = `/subscribers/${of.subscriber}/events`;
    const first = await call('GET', `${path}?take=1&eventTypes=${list(['Booked a table', 'SUBSCRIBER_PAYMENT'])}`);
    expect(first.events).toMatchObject([{ eventType: 'SUBSCRIBER_PAYMENT', subscriber: { email: of.subscriber } }]);
    const cursor = encodeURIComponent(first.nextCursor);
    const types = list(['Booked a table', 'SUBSCRIBER_PAYMENT']);
    const next = await call('GET', `${path}?take=1&eventTypes=${types}&cursor=${cursor}`);
    expect(next).toMatchObject({ events: [{ eventType: 'Booked a table' }], nextCursor: null });
    expect(await call('GET', `${path}?search=seats&startDate=2020-01-01&order=asc`)).toMatchObject({
      events: [{ eventType: 'Booked a table' }],
    });
  });

  it('writes, schedules and deletes campaigns', async () => {
    const recipientFilters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['V1'] }];
    const content = 'Hello\n\n[Unsubscribe]({{unsubscribeUrl}})';
    const text = { name: 'V1 news', subject: 'News', contentType: 'MARKDOWN', content };
    const { campaignId: id, ...made } = await call('POST', '/campaigns', { ...text, recipientFilters });
    expect(made.campaign).toMatchObject({ ...text, id, recipientCount: 1, sender: { domain: {} } });
    await call('POST', '/campaigns', { ...text, recipientFilters: [{ type: 'TAG', operator: 'IS' }] }, 400);
    expect(await call('PATCH', `/campaigns/${id}`, { subject: 'Newer', recipientFilters: [] })).toMatchObject({
      campaign: { subject: 'Newer', recipientFilters: [] },
    });
    await call('PATCH', `/campaigns/${id}`, { recipientFilters });
    expect(await call('GET', `/campaigns/${id}`)).toMatchObject({
      campaign: { recipientFilters: [{ type: 'TAG', operator: 'BELONGS_TO_ANY' }] },
    });
    expect(await call('GET', '/campaigns?status=all&query=v1%20NEWS&limit=5&sortBy=name')).toMatchObject({
      total: 1,
      page: 1,
      limit: 5,
      pageCount: 1,
      campaigns: [{ id, emailsSentCount: 0 }],
    });
    const at = { scheduledAt: '2037-05-01T09:30', timezone: 'Europe/Rome' };
    expect(await call('POST', `/campaigns/${id}/send`, at)).toMatchObject({
      campaign: { status: 'SCHEDULED', scheduledAt: '2037-05-01T07:30:00.000Z' },
    });
    await call('DELETE', `/campaigns/${id}`, undefined, 409);
    await tenant.client.data('cancel_campaign_schedule', { campaignId: id });
    await call('POST', `/campaigns/${id}/autosave`, { subject: 'Saved by itself' });
    expect(await call('DELETE', `/campaigns/${id}`)).toMatchObject({ deleted: true });
    await call('GET', `/campaigns/${id}`, undefined, 404);
  });

  it('carries a key out once, and for nothing else than the whole of its request', async () => {
    const filters = (value: string) => [{ type: 'STRING', field: 'email', operator: 'CONTAINS', value }];
    let path = '/campaigns';
    const send = async (key: string, body: object) => {
      const method = path === '/campaigns' ? 'POST' : 'PATCH';
      const answer = await tenant.client.v1(method, path, { subject: 'Once', ...body }, { 'idempotency-key': key });
      const { reason, campaign } = answer.body as Json;
      return [answer.status, reason ?? campaign.recipientFilters[0]?.value ?? null];
    };
    const made = await tenant.client.v1('POST', path, { subject: 'Once' }, { 'idempotency-key': 'bare' });
    const reused = [409, 'IDEMPOTENCY_KEY_REUSED'];
    expect(await send('bare', { recipientFilters: filters('a') })).toEqual(reused);
    expect(await send('bare', {})).toEqual([200, null]);
    for (path of [path, `${path}/${made.body.campaignId as string}`]) {
      const key = `filtered-${path.length}`;
      expect(await send(key, { recipientFilters: filters('a') })).toEqual([200, 'a']);
      expect(await send(key, { recipientFilters: filters('b') })).toEqual(reused);
      expect(await send(key, {})).toEqual(reused);
      expect(await send(key, { recipientFilters: filters('a') })).toEqual([200, 'a']);
    }
  });

  it('answers HEAD as GET, without the body (RFC 9110 section 9.3.2)', async () => {
    const head = async (path: string) => {
      const headers = { authorization: `Bearer ${tenant.token}` };
      const [head, get] = await Promise.all(
        ['HEAD', 'GET'].map((method) => fetch(`${surface.url}/api/v1${path}`, { method, headers })),
      );
      expect(await head!.text()).toBe('');
      expect(head!.headers.get('content-length')).toBe(String(Buffer.byteLength(await get!.text())));
      return [head!.status, get!.status];
    };
    expect(await head('/tags')).toEqual([200, 200]);
    expect(await head('/campaigns/cmp_none')).toEqual([404, 404]);
    expect(await head('/campaigns/cmp_none/pause')).toEqual([404, 404]);
  });

  it('pauses, resumes, lists and stops running campaigns only', async () => {
    const made = await call('POST', '/campaigns', { subject: 'Under way' });
    for (const action of ['pause', 'resume', 'stop']) {
      const path = `/campaigns/${made.campaignId as string}/${action}`;
      expect(await call('POST', path, undefined, 409)).toMatchObject({ reason: 'CAMPAIGN_NOT_SENDING' });
    }
    await call('GET', `/campaigns/${made.campaignId as string}/recipients?status=all`);
    await call('POST', `/campaigns/${made.campaignId as string}/retry`, { inDoubt: true }, 409);
  });

  it('sends an email in Markdown, HTML and rich text, and says what it does not do', async () => {
    const { sender } = tenant;
    const mail = { to: 'Zoe <zoe@v1.example.com>', from: `Shop <${sender}>`, subject: 'Receipt' };
    const sent = await call('POST', '/emails', { ...mail, content: '# Thanks, {{firstName | "you"}}' });
    expect(sent.qstashMessageId).toBe(sent.id);
    await call('POST', '/emails', { ...mail, contentType: 'html', content: '<p>Thanks</p>' });
    const tiptap = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Thanks' }] }] };
    const tracked = { ...mail, contentType: 'TIPTAP', content: tiptap, transactional: false, tracking: { open: true } };
    expect((await call('POST', '/emails', tracked)).warnings).toHaveLength(2);
    expect(await call('POST', '/emails', { ...mail, contentType: 'HTML', content: tiptap }, 400)).toMatchObject({
      issues: [{ path: ['content'] }],
    });
  });

  it('verifies addresses under both paths, with 200 for every verdict', async () => {
    const verdict = { success: false, code: 'test_email', isRoleAccount: true, hasValidMX: null };
    const input = { email: 'info@shop.example.com' };
    const { body, status } = await tenant.client.v1('POST', '/emails/verify', input);
    expect({ status, body }).toMatchObject({ status: 200, body: verdict });
    const again = await surface.gateway.send('/api/v2/verify', {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    expect(again.body).toEqual(body);
    expect((await tenant.client.v1('POST', '/emails/verify', { email: 'no address' })).body.code).toBe(
      'invalid_format',
    );
    expect((await tenant.client.v1('POST', '/emails/verify', {})).status).toBe(400);
    walked.add('v1 POST /emails/verify');
  });

  it('unsubscribes twice, saves updates of an unsubscribed subscriber, and deletes', async () => {
    const path = '/subscribers/zoe@v1.example.com';
    for (const _ of [1, 2]) {
      expect(await call('POST', `${path}/unsubscribe`, { reason: 'asked' })).toMatchObject({
        subscriber: { status: 'UNSUBSCRIBED' },
      });
    }
    const saved = { email: 'zoe@v1.example.com', resubscribe: false, fields: { city: 'Turin' } };
    expect(await call('POST', '/subscribers', saved)).toMatchObject({
      subscriber: { status: 'UNSUBSCRIBED', fields: { city: 'Turin' } },
    });
    await call('DELETE', path);
    await call('GET', path, undefined, 404);
  });

  it('has been walked: every endpoint answered, except those of running campaigns', () => {
    // test/e2e/pause-and-resume.spec.ts walks these.
    const elsewhere = ['pause', 'resume', 'stop', 'retry'].map((action) => `v1 POST /campaigns/:id/${action}`);
    const all = v1Endpoints.map(({ name }) => name).filter((name) => !elsewhere.includes(name));
    expect(all.filter((name) => !walked.has(name))).toEqual([]);
  });
});
