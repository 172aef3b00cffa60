import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime from 'postal-mime';
import { compileMail, parseContent, renderMail } from '#content';
import type { CompileInput, MailTemplate } from '#content';
import { newId, newUuid } from '#database';
import { parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { LinkTokens, LinkUrls } from '#link-token';
import type { LinkKind } from '#link-token';
import { composeMessage, messageOctets } from '../src/message/compose-message.js';
import { messageIdFor } from '../src/message/message-id.js';
import { CampaignRenderer } from '../src/send/render/campaign-renderer.js';
import type { RenderPlan, RenderRecipient } from '../src/send/render/campaign-renderer.js';
import type { Send } from '../src/send/send.js';

const pair = generateKeyPairSync('rsa', { modulusLength: 1024 });
const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const resolver = (name: string): Promise<string[][]> =>
  name === 't1._domainkey.shop.example'
    ? Promise.resolve([[`v=DKIM1; k=rsa; p=${publicKey}`]])
    : Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

const now = new Date('2026-11-27T10:11:12Z');
const linkKey = randomBytes(32);
const publicUrl = 'https://m.example.com';
const tokens = new LinkTokens(linkKey);
const ownUrls = new LinkUrls(tokens, publicUrl);

const addressOf = (text: string): EmailAddress => {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.address;
};

const planOf = (template: MailTemplate, tracking = { opens: true, clicks: true }): RenderPlan => ({
  send: {
    sendId: newId('send'),
    organizationId: newId('org'),
    organizationName: 'Gärten & Söhne',
    campaignId: newId('cmp'),
    period: '2026-11-01',
    sender: { displayName: 'Shop', localPart: 'news', domain: 'shop.example', mailFromDomain: 'b.shop.example' },
    // As a thread gets it.
    template: JSON.parse(JSON.stringify(template)),
    tracking,
  } as unknown as Send,
  ids: { organization: newUuid(), campaign: newUuid() },
  signing: { domain: 'shop.example', selector: 't1', privateKey },
  linkKey,
  publicUrl,
  replyTo: addressOf('hello@shop.example'),
  currentYear: 2026,
});

const recipientOf = (values: Record<string, string | null>, shows: boolean[] = [], email = 'ada@people.example') => ({
  messageId: newUuid(),
  subscriberId: newUuid(),
  address: addressOf(email),
  recipient: { values: { email, ...values }, shows },
});

/** The message as it is composed without any preparation: the reference. */
const composeWhole = ({ send, ids, replyTo, currentYear }: RenderPlan, to: RenderRecipient): string => {
  const { organization: organizationId, campaign: campaignId } = ids;
  const { messageId, subscriberId } = to;
  const link = { organizationId, messageId, subscriberId, campaignId, period: '2026-11' };
  const unsubscribeUrl = ownUrls.of('unsubscribe', link);
  const rendered = renderMail(send.template as MailTemplate, {
    values: to.recipient.values,
    shows: to.recipient.shows,
    links: {
      unsubscribeUrl,
      preferencesUrl: ownUrls.of('preferences', link),
      onlineUrl: ownUrls.of('view', link),
    },
    currentYear,
    track: (target, number, tag) =>
      tag || send.tracking.clicks ? ownUrls.click(link, { target, number, tag }) : target,
    ...(send.tracking.opens && { pixelUrl: ownUrls.of('open', link) }),
  });
  const { displayName, localPart, domain } = send.sender;
  const composed = composeMessage({
    from: { display: displayName, local: localPart, domain, asciiDomain: domain },
    to: [to.address],
    replyTo,
    subject: rendered.subject,
    html: rendered.html,
    text: rendered.text,
    messageId: messageIdFor(messageId, domain),
    date: now,
    unsubscribe: { url: unsubscribeUrl },
    listId: { id: `${send.organizationId}.${domain}`, name: send.organizationName },
    feedbackId: `${send.campaignId}:${send.organizationId}:campaign:tidings`,
  });
  return messageOctets(composed);
};

const kinds: Record<string, LinkKind> = { o: 'open', c: 'click', u: 'unsubscribe', p: 'preferences', v: 'view' };

/** Replaces each token by what it means. */
const opened = (text: string): string =>
  text
    .replace(/https:\/\/m\.example\.com\/([ocupv])\/([\w-]+)/g, (_all, route: string, token: string) => {
      const payload = tokens.open(kinds[route]!, token);
      if (!payload) throw new Error(`A token of /${route} does not open.`);
      return `<${route} ${JSON.stringify(Object.entries(payload).sort())}>`;
    })
    // Within another address.
    .replace(/https%3A%2F%2Fm\.example\.com%2F([ocupv])%2F([\w-]+)/g, (_all, route: string, token: string) =>
      JSON.stringify(Object.entries(tokens.open(kinds[route]!, token)!).sort()),
    );

/** The parser ends a part in quoted-printable by one line break more than the same part in base64. */
const withoutLineEnds = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n+$/, '');

/** What a mail program reads, with tokens opened. */
const readMail = async (raw: string) => {
  const { html, text, subject, headers } = await new PostalMime().parse(Buffer.from(raw, 'latin1'));
  return {
    // A decoder drops a byte order mark that an encoded word begins with; where words are cut differs between the two.
    subject: opened(subject ?? '').replaceAll('\uFEFF', ''),
    html: html === undefined ? null : opened(withoutLineEnds(html)),
    text: text === undefined ? null : opened(withoutLineEnds(text)),
    headers: headers
      .filter(({ key }) => !['dkim-signature', 'content-transfer-encoding', 'subject'].includes(key))
      .map(({ key, value }) => [key, opened(value).replace(/boundary="[^"]+"/, 'boundary')]),
  };
};

const strict = new TextDecoder('utf-8', { fatal: true });
const isTorn = (line: string): boolean => {
  try {
    const octets = line.replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    strict.decode(Buffer.from(octets, 'latin1'));
    return false;
  } catch {
    return true;
  }
};

/** Checks what standards and mail programs demand of each line. */
const expectCleanLines = (raw: string): void => {
  expect(raw).toMatch(/^[\r\n\x20-\x7e]*$/);
  expect(raw).not.toMatch(/\r(?!\n)|(?<!\r)\n|^\./m);
  const end = raw.indexOf('\r\n\r\n');
  const body = raw.slice(end).split('\r\n');
  expect(
    raw
      .slice(0, end)
      .split('\r\n')
      .filter(({ length }) => length > 998),
  ).toEqual([]);
  expect(body.filter((line) => line.length > 76)).toEqual([]);
  expect(body.filter(isTorn)).toEqual([]);
};

const expectEqual = async (plan: RenderPlan, renderer: CampaignRenderer, to: RenderRecipient): Promise<void> => {
  const { message } = renderer.make(to, { now, signs: true });
  expectCleanLines(message.raw);
  expect(await readMail(message.raw)).toEqual(await readMail(composeWhole(plan, to)));
  const { results } = await dkimVerify(Buffer.from(message.raw, 'latin1'), { resolver });
  expect(results.map(({ status }) => [status.result, status.aligned])).toEqual([['pass', 'shop.example']]);
  const unsigned = renderer.make(to, { now, signs: false }).message.raw;
  expect(message.raw.endsWith(`\r\n${unsigned}`)).toBe(true);
  const returnPath = tokens.open('return-path', message.from.slice(2, message.from.indexOf('@')));
  expect(message.from).toMatch(/^b\.[0-9a-z]{62}@b\.shop\.example$/);
  expect(returnPath).toEqual({
    organizationId: plan.ids.organization,
    messageId: to.messageId,
    period: '2026-11',
  });
};

const folder = new URL('../../../libs/content/test/golden/', import.meta.url);
const goldenNames = readdirSync(folder).filter((file) => file.endsWith('.json'));
const goldenOf = (file: string) => {
  const { input, render } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
    input: Omit<CompileInput, 'content'> & { content: unknown };
    render: { values?: Record<string, string | null>; shows?: boolean[] };
  };
  const parsed = parseContent(input.type, input.content);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return { template: compileMail({ ...input, content: parsed.content }).template, render };
};

const compile = (subject: string, content: object[]): MailTemplate => {
  const parsed = parseContent('MAILY', { type: 'doc', content });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const organization = { name: 'Gärten & Söhne', address: '1 Main Street' };
  const rest = { preview: null, type: 'MAILY' as const, snippets: {}, organization, footer: true };
  return compileMail({ ...rest, subject, content: parsed.content }).template;
};

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        ...['\r\n', '\n', '\r', '.', '\r\n.\r\n', '..', '\0', '\t', ' ', '  ', '=', '=20', '=\r\n', '--=_', '<b>', '&'],
        ...['"', "'", '{{', '\ud800', '\udc00', '🙂', '\u202eרtl', 'שלום', '李', 'é', '\u00a0', '\u2028', '\ufeff'],
        ...['word', 'a'.repeat(90), 'é'.repeat(40), 'https://', 'x@y', '%', '+', '-', '_'],
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join('')),
);
const values = fc.record({
  name: fc.option(hostile),
  city: fc.option(hostile),
  site: fc.option(fc.oneof(fc.webUrl({ withQueryParameters: true }), hostile)),
});

const words = fc.oneof(
  fc.constantFrom('Hello', 'Größe 42', '  two  blanks ', '. a dot', 'x\u00a0', 'Ærø', '日本', "{{city | 'here'}}", ' '),
  fc.constantFrom('{{name}}', "{{firstName | 'friend'}}", '{{city}}', '{{currentYear}}', '{{unsubscribeUrl}}'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
);
const prose = fc.array(words, { minLength: 1, maxLength: 6 }).map((some) => some.join(' '));
const target = fc.constantFrom(
  ...[
    'https://shop.example/',
    'https://shop.example/?m={{email}}',
    '{{site}}',
    'https://{{site}}',
    'mailto:a@b.example',
  ],
  ...['https://shop.example/a?b=1&c=2', '{{unsubscribeUrl}}', '{{preferencesUrl}}', '{{onlineUrl}}', '/nowhere'],
  ...['https://shop.example/{{addTag:vip}}', '{{removeTag:vip,été}}', 'https://shop.example/?back={{unsubscribeUrl}}'],
  ...['https://shop.example/?a=1{{addTag:one}}', 'https://shop.example/é'],
);
const block = fc.oneof(
  prose.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
  fc.tuple(prose, target).map(([text, href]) => ({
    type: 'paragraph',
    content: [
      { type: 'text', text: 'See ' },
      { type: 'text', text, marks: [{ type: 'link', attrs: { href } }] },
    ],
  })),
  fc.tuple(prose, target).map(([text, url]) => ({ type: 'button', attrs: { text, url } })),
  fc.constantFrom('{{site}}', 'https://shop.example/a.png', 'https://shop.example/{{city}}.png').map((src) => ({
    type: 'image',
    attrs: { src, alt: 'An image of {{city}}' },
  })),
);
const guarded = fc.tuple(block, fc.boolean()).map(([inner, isGuarded]) =>
  isGuarded
    ? {
        type: 'section',
        attrs: { showIf: [{ type: 'TAG', condition: 'ANY', values: ['vip'] }] },
        content: [inner],
      }
    : inner,
);

describe('a prepared campaign', () => {
  it.each(goldenNames)('gives the mail that is composed as a whole: %s', async (file) => {
    const { template, render } = goldenOf(file);
    const plan = planOf(template);
    const renderer = new CampaignRenderer(plan);
    await expectEqual(plan, renderer, recipientOf(render.values ?? {}, render.shows));
    await expectEqual(
      plan,
      renderer,
      recipientOf(
        {},
        template.showIf.map(() => false),
      ),
    );
  });

  it('gives it for any campaign and any values', async () => {
    await fc.assert(
      fc.asyncProperty(
        prose,
        fc.array(guarded, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(values, fc.boolean()), { minLength: 2, maxLength: 3 }),
        fc.record({ opens: fc.boolean(), clicks: fc.boolean() }),
        async (subject, content, recipients, tracking) => {
          const template = compile(subject, content);
          const plan = planOf(template, tracking);
          const renderer = new CampaignRenderer(plan);
          for (const [some, shows] of recipients) {
            await expectEqual(
              plan,
              renderer,
              recipientOf(
                some,
                template.showIf.map(() => shows),
              ),
            );
          }
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('gives it for an address that needs SMTPUTF8', async () => {
    const plan = planOf(compile('Hi', [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello {{name}}' }] }]));
    const to = recipientOf({ name: 'Ödön' }, [], 'пользователь@people.example');
    const { message } = new CampaignRenderer(plan).make(to, { now, signs: true });
    expect(message.smtpUtf8).toBe(true);
    expect(await readMail(message.raw)).toEqual(await readMail(composeWhole(plan, to)));
    const { results } = await dkimVerify(Buffer.from(message.raw, 'latin1'), { resolver });
    expect(results[0]?.status.result).toBe('pass');
  });
});
