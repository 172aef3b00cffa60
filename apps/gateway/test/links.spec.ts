import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { connectBus, hitStream } from '#bus';
import type { Bus, BusServer } from '#bus';
import type { Hit } from '#contracts';
import { uuidOf, wireId } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import type { ClickLink, MessageLink } from '#link-token';
import { until } from '#testing';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { FakeDomainService, freshNamespace, masterKey, fakeService, TestGateway } from './fake-services.js';
import type { Json } from './fake-services.js';

const namespace = freshNamespace();
const tokens = new LinkTokens(deriveKey(masterKey, 'links'));
const hits: Hit[] = [];
let asked: { subject: string; input: Json; caller: Caller }[] = [];
const judged: Json[] = [];
let status = 'SUBSCRIBED';
let name: string | null = 'Ada "the" Countess';
let services: BusServer;
let gateway: TestGateway;
let bus: Bus;
let stopReading: () => Promise<void>;

const newLink = (change: Partial<MessageLink> = {}): MessageLink => ({
  organizationId: randomUUID(),
  messageId: randomUUID(),
  subscriberId: randomUUID(),
  campaignId: randomUUID(),
  period: '2026-11',
  ...change,
});
const clickPath = (change: Partial<ClickLink> = {}): string =>
  `/c/${tokens.seal('click', { ...newLink(), link: 3, target: 'https://shop.example/a?b=1', ...change })}`;
const get = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, { redirect: 'manual', ...init });
const submit = (path: string, body: string, headers: Record<string, string> = {}) =>
  get(path, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });

beforeAll(async () => {
  const subscriber = (subject: string, answer: (input: Json) => unknown) => ({
    [subject]: (input: Json, caller: Caller) => {
      asked.push({ subject, input, caller });
      return answer(input);
    },
  });
  services = await fakeService(namespace, {
    ...new FakeDomainService().answers(),
    ...subscriber('requests.subscriber.unsubscribe_by_link', () => {
      const resubscribable = status === 'SUBSCRIBED';
      if (resubscribable) status = 'UNSUBSCRIBED';
      return { email: 'ada@example.com', changed: true, resubscribable };
    }),
    ...subscriber('requests.subscriber.resubscribe_by_link', () => {
      if (status === 'UNSUBSCRIBED') status = 'SUBSCRIBED';
      return { email: 'ada@example.com', changed: true };
    }),
    ...subscriber('requests.subscriber.rename_by_link', (input) => {
      name = input.name as string;
      return { changed: true };
    }),
    ...subscriber('requests.subscriber.change_tags_by_link', () => ({})),
    'requests.delivery.judge_click': (input: Json) => {
      judged.push(input);
      return { machine: input.userAgent === 'a scanner' };
    },
    ...subscriber('requests.subscriber.get_recipient', ({ subscriberId }) => {
      if (status === 'GONE') throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: subscriberId as string });
      const suppressed = status === 'BOUNCED' ? status : null;
      return { recipient: { email: 'ada@example.com', status, suppressed, values: { name } } };
    }),
    ...subscriber('requests.delivery.view_message', ({ period }) => ({
      html: period === '2020-01' ? null : '<h1>Spring</h1><script>alert(1)</script>',
    })),
  });
  gateway = await TestGateway.start(namespace);
  bus = await connectBus({ url: process.env.NATS_URL!, namespace, name: 'delivery stand-in' });
  const stream = hitStream(bus);
  await stream.ensure();
  await stream.ensureConsumer('delivery', 'hits', 30_000, 1_000);
  const reading = await stream.consume<Hit>('delivery', 1_000, (message) => {
    hits.push(message.body);
    message.ack();
  });
  stopReading = reading.stop;
});
afterAll(async () => {
  await gateway.stop();
  await stopReading();
  await bus.close();
  await services.close();
});
beforeEach(() => {
  asked = [];
  hits.length = 0;
  status = 'SUBSCRIBED';
});

describe('an open link', () => {
  it('is a pixel that no cache keeps, and one hit', async () => {
    const link = newLink();
    const response = await get(`/o/${tokens.seal('open', link)}`, { headers: { 'user-agent': 'Mail/7' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/gif');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 6)
        .toString(),
    ).toBe('GIF89a');
    await until('the hit arrives', () => hits.length === 1);
    expect(hits[0]).toEqual({
      hitId: expect.any(String),
      kind: 'open',
      organizationId: wireId('org', link.organizationId),
      messageId: wireId('msg', link.messageId!),
      period: '2026-11',
      linkNumber: null,
      url: null,
      at: expect.stringMatching(/Z$/),
      userAgent: 'Mail/7',
    });
  });

  it('counts neither HEAD nor a preview', async () => {
    expect((await get(`/o/${tokens.seal('open', newLink())}`, { method: 'HEAD' })).status).toBe(200);
    expect((await get(`/o/${tokens.seal('open', newLink({ messageId: null }))}`)).status).toBe(200);
    await get(`/o/${tokens.seal('open', newLink({ period: '2026-12' }))}`);
    await until('the last hit arrives', () => hits.length > 0);
    expect(hits.map(({ period }) => period)).toEqual(['2026-12']);
  });
});

describe('a click link', () => {
  it('leads to its target, without a referrer, and is one hit', async () => {
    const response = await get(clickPath());
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('https://shop.example/a?b=1');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    await until('the hit arrives', () => hits.length === 1);
    expect(hits[0]).toMatchObject({ kind: 'click', linkNumber: 3, url: 'https://shop.example/a?b=1' });
    expect(asked).toEqual([]);
  });

  it('changes tags, and without a target says thank you', async () => {
    const link = newLink();
    const response = await get(clickPath({ ...link, target: '', addTags: ['vip', 'a b'], removeTags: ['lead'] }));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Thank you');
    await until('the tags are changed, and the hit is no other test’s', () => asked.length === 1 && hits.length === 1);
    expect(asked[0]).toMatchObject({
      subject: 'requests.subscriber.change_tags_by_link',
      input: { subscriberId: wireId('sub', link.subscriberId!), add: ['vip', 'a b'], remove: ['lead'] },
      caller: { organizationId: wireId('org', link.organizationId) },
    });
  });

  it('changes no tags for a machine that follows it, and leads on all the same', async () => {
    const link = newLink();
    const scan = { headers: { 'user-agent': 'a scanner' } };
    expect((await get(clickPath({ ...link, addTags: ['vip'] }), scan)).status).toBe(302);
    await until('the click is judged', () => judged.some(({ userAgent }) => userAgent === 'a scanner'));
    expect(judged.at(-1)).toEqual({
      messageId: wireId('msg', link.messageId!),
      period: '2026-11',
      at: expect.stringMatching(/Z$/),
      userAgent: 'a scanner',
    });
    await get(clickPath({ addTags: ['lead'] }));
    await until('the tags of a person are changed', () => asked.length > 0);
    expect(asked.map(({ input }) => input.add)).toEqual([['lead']]);
    await until('no hit is left for another test', () => hits.length === 2);
  });

  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
  ])('is refused to a browser that looks ahead (%s: %s), and counts when a person follows', async (name, purpose) => {
    const path = clickPath({ addTags: ['vip'] });
    const ahead = await get(path, { headers: { [name]: purpose } });
    expect([ahead.status, ahead.headers.get('location')]).toEqual([503, null]);
    expect((await get(path)).status).toBe(302);
    await until('the click of the person counts', () => hits.length > 0 && asked.length > 0);
    expect([hits.length, asked.length]).toEqual([1, 1]);
  });

  it('does nothing on HEAD', async () => {
    const response = await get(clickPath({ addTags: ['vip'] }), { method: 'HEAD' });
    expect(response.status).toBe(302);
    await get(clickPath({ link: 9 }));
    await until('the last hit arrives', () => hits.length > 0);
    expect(hits.map(({ linkNumber }) => linkNumber)).toEqual([9]);
    expect(asked).toEqual([]);
  });

  it('never leads to an unsigned target', async () => {
    const response = await get(clickPath({ target: 'javascript:alert(1)' }));
    expect(response.status).toBe(404);
    expect(response.headers.get('location')).toBeNull();
  });
});

describe('a bad token', () => {
  it.each(['o', 'c', 'u', 'p', 'v'])('of /%s is a 404 page, never a redirect', async (route) => {
    const good = tokens.seal('open', newLink());
    for (const token of ['x', good.slice(0, -2), `${good}A`, 'https:%2F%2Fevil.example', 'a'.repeat(10_000)]) {
      for (const method of ['GET', ...('up'.includes(route) ? ['POST'] : [])]) {
        const response = await get(`/${route}/${token}`, { method });
        expect(response.status).toBe(404);
        expect(response.headers.get('location')).toBeNull();
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(await response.text()).toContain('This link does not work');
      }
    }
    expect(asked).toEqual([]);
  });

  it('of another kind, or made with another key, is bad too', async () => {
    const foreign = new LinkTokens(deriveKey('00'.repeat(32), 'links'));
    for (const token of [tokens.seal('open', newLink()), foreign.seal('unsubscribe', newLink())]) {
      expect((await submit(`/u/${token}`, 'action=unsubscribe')).status).toBe(404);
    }
    expect(asked).toEqual([]);
  });

  it('tried too often is 429, while good tokens of the same address still work', async () => {
    const answers = await Promise.all(Array.from({ length: 70 }, (_, i) => get(`/o/guess${i}`)));
    expect(answers.map((answer) => answer.status)).toContain(429);
    expect((await get(`/o/${tokens.seal('open', newLink())}`)).status).toBe(200);
  });
});

describe('an unsubscribe link', () => {
  it('story 23: asks first: opening it changes nothing', async () => {
    const path = `/u/${tokens.seal('unsubscribe', newLink())}`;
    for (const method of ['GET', 'HEAD']) expect((await get(path, { method })).status).toBe(200);
    const response = await get(path, { headers: { 'accept-language': 'fr' } });
    const html = await response.text();
    expect(html).toContain('<form method="post">');
    expect(html).toContain('Ne plus recevoir d’e-mails de Ada &amp; Söhne ?');
    expect(html).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(response.headers.get('content-language')).toBe('fr');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(asked).toEqual([]);
  });

  it.each([
    ['the button', 'action=unsubscribe', undefined, 'page'],
    ['one click, form', 'List-Unsubscribe=One-Click', undefined, 'one-click'],
    [
      'one click, multipart',
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      'multipart/form-data; boundary=b',
      'one-click',
    ],
  ])('unsubscribes before it answers: %s', async (_what, body, contentType, source) => {
    const link = newLink();
    const headers: Record<string, string> = contentType ? { 'content-type': contentType } : {};
    const response = await submit(`/u/${tokens.seal('unsubscribe', link)}`, body, headers);
    expect(response.status).toBe(200);
    expect(status).toBe('UNSUBSCRIBED');
    const html = await response.text();
    expect(html).toContain('ada@example.com will receive no more emails from Ada &amp; Söhne.');
    expect(html).toContain('value="resubscribe"');
    expect(asked).toEqual([
      {
        subject: 'requests.subscriber.unsubscribe_by_link',
        input: {
          subscriberId: wireId('sub', link.subscriberId!),
          source,
          campaignId: wireId('cmp', link.campaignId!),
          messageId: wireId('msg', link.messageId!),
        },
        caller: expect.objectContaining({ organizationId: wireId('org', link.organizationId) }),
      },
    ]);
    expect(uuidOf('sub', asked[0]!.input.subscriberId as string)).toBe(link.subscriberId);
  });

  it('subscribes again by its button, and says so only if it is so', async () => {
    const path = `/u/${tokens.seal('unsubscribe', newLink())}`;
    status = 'UNSUBSCRIBED';
    expect(await (await submit(path, 'action=resubscribe')).text()).toContain('You are subscribed again');
    status = 'BOUNCED';
    expect(await (await submit(path, 'action=resubscribe')).text()).toContain('Nothing was changed');
  });

  it('offers resubscription only if it would take effect', async () => {
    status = 'BOUNCED';
    for (const body of ['action=unsubscribe', 'List-Unsubscribe=One-Click']) {
      const html = await (await submit(`/u/${tokens.seal('unsubscribe', newLink())}`, body)).text();
      expect(html).toContain('ada@example.com will receive no more emails');
      expect(html).not.toContain('Was that a mistake?');
      expect(html).not.toContain('<button');
    }
  });

  it('of a preview unsubscribes no subscriber', async () => {
    const response = await submit(
      `/u/${tokens.seal('unsubscribe', newLink({ subscriberId: null }))}`,
      'action=unsubscribe',
    );
    expect(response.status).toBe(200);
    expect(asked).toEqual([]);
  });

  it('used without end is slowed down', async () => {
    const path = `/u/${tokens.seal('unsubscribe', newLink())}`;
    const answers = await Promise.all(Array.from({ length: 40 }, () => submit(path, 'action=unsubscribe')));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(30);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(10);
  });

  it('takes no endless form', async () => {
    const path = `/u/${tokens.seal('unsubscribe', newLink())}`;
    expect((await submit(path, 'x'.repeat(20_000))).status).toBe(413);
    expect(asked).toEqual([]);
  });
});

describe('the preferences page', () => {
  it.each([
    ['SUBSCRIBED', 'ada@example.com receives emails from', 'value="unsubscribe"'],
    ['UNSUBSCRIBED', 'ada@example.com receives no emails from', 'value="resubscribe"'],
    ['BOUNCED', 'ada@example.com receives no emails from', 'cannot be subscribed from here'],
    ['PENDING_CONFIRMATION', 'ada@example.com receives no emails from', 'cannot be subscribed from here'],
    ['GONE', 'no longer on the list', '</p></main>'],
  ])('of a %s subscriber shows the status, and offers the change', async (now, sentence, offer) => {
    status = now;
    const html = await (await get(`/p/${tokens.seal('preferences', newLink())}`)).text();
    expect(html).toContain(sentence);
    expect(html).toContain(offer);
    expect(html.includes('value="resubscribe"')).toBe(now === 'UNSUBSCRIBED');
  });

  it('unsubscribes and subscribes again', async () => {
    const path = `/p/${tokens.seal('preferences', newLink())}`;
    expect((await submit(path, 'action=unsubscribe')).status).toBe(200);
    expect(status).toBe('UNSUBSCRIBED');
    expect(asked[0]!.input.source).toBe('preferences');
    await submit(path, 'action=resubscribe');
    expect(status).toBe('SUBSCRIBED');
  });

  it('shows the name in its form, and saves another one without touching the subscription', async () => {
    const path = `/p/${tokens.seal('preferences', newLink())}`;
    expect(await (await get(path)).text()).toContain('value="Ada &quot;the&quot; Countess"');
    const html = await (await submit(path, 'name=Gr%C3%A4fin+Ada&action=rename')).text();
    expect(name).toBe('Gräfin Ada');
    expect(html).toContain('Your name was saved.');
    expect(html).toContain('value="Gräfin Ada"');
    expect(status).toBe('SUBSCRIBED');
    expect(asked.map(({ subject }) => subject)).not.toContain('requests.subscriber.unsubscribe_by_link');
    const french = await submit(path, 'name=&action=rename', { 'accept-language': 'fr' });
    expect(await french.text()).toContain('Votre nom est enregistré.');
  });
});

describe('the online view', () => {
  it('shows the mail where it can do nothing', async () => {
    const link = newLink();
    const response = await get(`/v/${tokens.seal('view', link)}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<h1>Spring</h1>');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';/);
    expect(policy).not.toContain('script');
    // One subscriber's mail, with their own links: search engines must not list it.
    expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(asked[0]!.input).toEqual({ messageId: wireId('msg', link.messageId!), period: '2026-11' });
  });

  it('is a 404 page for a mail that is no longer kept', async () => {
    for (const change of [{ period: '2020-01' }, { messageId: null }]) {
      const response = await get(`/v/${tokens.seal('view', newLink(change))}`);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('no longer kept');
    }
  });
});

describe('without the services behind', () => {
  it('pages that change or show something are 503, and hits wait until they are taken', async () => {
    const lonely = freshNamespace();
    const alone = await TestGateway.start(lonely);
    const link = newLink();
    const resubscribe = new URLSearchParams({ action: 'resubscribe' });
    const post = { method: 'POST', body: resubscribe };
    const response = await fetch(`${alone.url}/u/${tokens.seal('unsubscribe', link)}`, post);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect((await fetch(`${alone.url}/u/${tokens.seal('unsubscribe', link)}`)).status).toBe(200);
    expect((await fetch(`${alone.url}/p/${tokens.seal('preferences', link)}`)).status).toBe(503);
    expect((await fetch(`${alone.url}/v/${tokens.seal('view', link)}`)).status).toBe(503);

    await fetch(`${alone.url}${clickPath({ target: '', addTags: ['late'] })}`);
    let late: Json | null = null;
    const back = await fakeService(lonely, {
      'requests.delivery.judge_click': () => ({ machine: false }),
      'requests.subscriber.change_tags_by_link': (input) => {
        late = input;
        return {};
      },
    });
    await until('the tag is changed after all', () => late !== null);
    await alone.stop();
    await back.close();
  });
});
