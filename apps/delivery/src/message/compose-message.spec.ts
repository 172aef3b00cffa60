import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';
import { parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { composeMessage, messageBytes } from './compose-message.js';
import type { MessageDraft } from './compose-message.js';

const address = (text: string): EmailAddress => {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.reason}`);
  return parsed.address;
};
const named = (display: string, text = 'ann@site.org'): EmailAddress => ({ ...address(text), display });

const draft: MessageDraft = {
  from: named('Garden Shop', 'news@shop.org'),
  to: [named('Ann Bee')],
  replyTo: address('hello@shop.org'),
  subject: 'News of May',
  html: '<p>Hello</p>',
  text: 'Hello',
  messageId: '<0191f3a0-1234-7abc-8def-0123456789ac@shop.org>',
  date: new Date('2026-05-04T10:11:12Z'),
  unsubscribe: { url: 'https://mail.shop.org/u/AAtx', mailto: 'mailto:b.1@shop.org?subject=unsubscribe' },
  listId: { id: 'org1.shop.org', name: 'Garden Shop' },
  feedbackId: 'c1:o1:campaign:tidings',
  headers: [{ name: 'X-Order', value: '42' }],
};

const rawOf = (changes: Partial<MessageDraft> = {}): string =>
  messageBytes(composeMessage({ ...draft, ...changes })).toString('latin1');
const parse = (changes: Partial<MessageDraft> = {}): Promise<Email> =>
  new PostalMime().parse(messageBytes(composeMessage({ ...draft, ...changes })));
const headerOf = (raw: string): string => raw.slice(0, raw.indexOf('\r\n\r\n'));
const fieldNames = (raw: string): string[] =>
  headerOf(raw)
    .split('\r\n')
    .filter((line) => !/^[ \t]/.test(line))
    .map((line) => line.slice(0, line.indexOf(':')));

/** Checks the rules of the standards for every line of a message. */
const expectCleanLines = (raw: string): void => {
  expect(raw).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
  expect(raw).toMatch(/^[\t\r\n -~]*$/);
  for (const line of raw.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
  for (const line of headerOf(raw).split('\r\n')) expect(line).toMatch(/^[!-9;-~]+:|^[ \t].*\S/);
  expect(raw.endsWith('\r\n')).toBe(true);
};

const graphemes = fc.string({ unit: 'grapheme', maxLength: 120 });
const alphabets = fc.array(
  fc.constantFrom(
    'a',
    'é',
    '李',
    '🙂',
    '👩‍👩‍👧',
    'שלום',
    'e\u0301',
    ' ',
    '  ',
    '"',
    '\\',
    ',',
    '.',
    '=?',
    '?=',
    '\n',
    '\r',
    '\t',
    '\0',
    '\ud800',
    '<b>',
  ),
  { maxLength: 200 },
);
const anyText = fc.oneof(
  graphemes,
  alphabets.map((pieces) => pieces.join('')),
);
/** Returns a text on one line as a mail program may show it. */
const onOneLine = (text: string): string => Buffer.from(text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()).toString();
/** A text without NUL and with line breaks of one kind, those at its end left out: parsers differ there. */
const withBreaks = (text = ''): string =>
  Buffer.from(
    text
      .replace(/\0/g, '')
      .replace(/\r\n|\r/g, '\n')
      .replace(/\n*$/, ''),
  ).toString();

describe('composeMessage', () => {
  it('writes each header once, in order', () => {
    expect(fieldNames(rawOf({ cc: [address('cc@site.org')], autoSubmitted: 'auto-generated' }))).toEqual([
      ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'Auto-Submitted', 'List-Unsubscribe'],
      ...['List-Unsubscribe-Post', 'List-Id', 'Feedback-ID', 'X-Order', 'MIME-Version', 'Content-Type'],
    ]);
  });

  it('writes the values the standards ask for', () => {
    const raw = rawOf();
    expect(raw).toContain('\r\nDate: Mon, 04 May 2026 10:11:12 +0000\r\n');
    expect(raw).toContain(
      '\r\nList-Unsubscribe: <https://mail.shop.org/u/AAtx>,\r\n <mailto:b.1@shop.org?subject=unsubscribe>\r\n',
    );
    expect(raw).toContain('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
    expect(raw).toContain('\r\nList-Id: Garden Shop <org1.shop.org>\r\n');
    expect(raw).toContain('\r\nMIME-Version: 1.0\r\n');
  });

  it('leaves the list headers out of mail without them', () => {
    const { unsubscribe: _u, listId: _l, feedbackId: _f, ...transactional } = draft;
    expect(messageBytes(composeMessage(transactional)).toString()).not.toMatch(/^(List-|Feedback-ID)/im);
  });

  it('is parsed back unchanged by another parser, with any texts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ subject: anyText, name: anyText, text: anyText, html: anyText }), async (sample) => {
        const changes = { subject: sample.subject, to: [named(sample.name)], text: sample.text, html: sample.html };
        expectCleanLines(rawOf(changes));
        const email = await parse(changes);
        expect(email.subject ?? '').toBe(onOneLine(sample.subject));
        expect(email.to).toEqual([{ address: 'ann@site.org', name: onOneLine(sample.name) }]);
        expect(withBreaks(email.html)).toBe(withBreaks(sample.html));
        if (sample.text.trim()) expect(withBreaks(email.text)).toBe(withBreaks(sample.text));
      }),
      { numRuns: 400, seed: 3 },
    );
  });

  it.each([
    ['emoji', '🎉 Sale 🎉'.repeat(8)],
    ['right to left', 'מבצע אביב: עד חמישים אחוז הנחה'],
    ['combining', 'e\u0301'.repeat(90)],
    ['500 characters', 'Ünïcode '.repeat(63).slice(0, 500).trim()],
    ['500 characters of ASCII', 'word '.repeat(100).trim()],
    ['no space at all', 'x'.repeat(900)],
    ['inner runs of spaces', 'a   b     c'],
    ['a long run of spaces', `a${' '.repeat(200)}b`],
    ['looks encoded', '=?utf-8?q?Bcc=3A_x=40y.org?='],
    ['empty', ''],
  ])('carries a subject: %s', async (_, subject) => {
    expectCleanLines(rawOf({ subject }));
    expect((await parse({ subject })).subject ?? '').toBe(subject);
  });

  it('keeps encoded words within 75 characters and out of quotes and addresses', () => {
    const raw = headerOf(rawOf({ to: [named('李 "小" 龙, 🎉'.repeat(10))], subject: '李'.repeat(300) }));
    for (const word of raw.match(/=\?.*?\?=/g)!) {
      expect(word.length).toBeLessThanOrEqual(75);
      const decoded = Buffer.from(word.slice(10, -2), 'base64').toString();
      expect(decoded).not.toContain('\ufffd');
    }
    expect(raw).not.toMatch(/"[^"]*=\?|<[^>]*=\?/);
  });

  it.each([
    ['Ann Bee', 'To: Ann Bee <ann@site.org>'],
    ['Bee, Ann', 'To: "Bee, Ann" <ann@site.org>'],
    ['Ann "A" \\', 'To: "Ann \\"A\\" \\\\" <ann@site.org>'],
    ['Élodie', 'To: =?utf-8?Q?=C3=89lodie?= <ann@site.org>'],
    ['', 'To: ann@site.org'],
  ])('writes the name %j', (display, field) => {
    expect(rawOf({ to: [named(display)] })).toContain(`\r\n${field}\r\n`);
  });

  it('writes several recipients, and none as an empty group', async () => {
    const many = Array.from({ length: 40 }, (_, n) => named(`Person ${n}`, `p${n}@site.org`));
    expectCleanLines(rawOf({ to: many }));
    expect((await parse({ to: many })).to).toHaveLength(40);
    expect(rawOf({ to: [] })).toContain('\r\nTo: undisclosed-recipients:;\r\n');
  });

  it('writes international domains in ASCII, and asks for SMTPUTF8 only for a local part', () => {
    expect(composeMessage({ ...draft, to: [address('ann@münchen.de')] })).toMatchObject({ smtpUtf8: false });
    expect(rawOf({ to: [address('ann@münchen.de')] })).toContain('\r\nTo: ann@xn--mnchen-3ya.de\r\n');
    const utf8 = composeMessage({ ...draft, to: [address('用户@site.org')] });
    expect(utf8.smtpUtf8).toBe(true);
    expect(messageBytes(utf8).toString()).toContain('\r\nTo: 用户@site.org\r\n');
  });

  it('puts the text first and the HTML last, and a lone part without a multipart', async () => {
    expect(rawOf().match(/^Content-Type: [^;]+/gm)).toEqual([
      'Content-Type: multipart/alternative',
      'Content-Type: text/plain',
      'Content-Type: text/html',
    ]);
    expect(rawOf({ text: '  \n' }).match(/^Content-Type: [^;]+/gm)).toEqual(['Content-Type: text/html']);
    expect(rawOf({ html: null }).match(/^Content-Type: [^;]+/gm)).toEqual(['Content-Type: text/plain']);
    expect((await parse({ html: null, text: null })).text ?? '').toBe('\n');
  });

  it('has a boundary that no content can hold', () => {
    const boundary = /boundary="(.*)"/.exec(rawOf())![1]!;
    const raw = rawOf({ text: `\n--${boundary}--\n--${boundary}\n`, html: `--${boundary}` });
    expect(raw.split(`--${boundary}`)).toHaveLength(4);
  });

  it('encodes a megabyte without a space, and dots and From at line starts, without harm', async () => {
    const html = 'x'.repeat(1_000_000);
    expectCleanLines(rawOf({ html }));
    expect((await parse({ html })).html?.trimEnd()).toBe(html);
    const text = '.\n..\n.\r\n.\r.\n\nFrom here\n';
    expect(rawOf({ text })).not.toMatch(/^\./m);
    expect((await parse({ text })).text?.trimEnd()).toBe('.\n..\n.\n.\n.\n\nFrom here');
  });

  it('takes base64 where it is shorter', () => {
    expect(rawOf({ html: 'Привет, мир' })).toContain('Content-Transfer-Encoding: base64');
    expect(rawOf({ html: '<p>Été en français</p>' })).toContain('Content-Transfer-Encoding: quoted-printable');
  });

  it('gives the same bytes for the same message', () => {
    expect(rawOf()).toBe(rawOf());
  });

  it('refuses more than 64 KB of headers', () => {
    const headers = Array.from({ length: 100 }, (_, n) => ({ name: `X-${n}`, value: 'word '.repeat(160) }));
    expect(() => rawOf({ headers })).toThrow('64 KB');
  });

  it.each([
    ['In-Reply-To', '<DB9PR08MB6588C7D8AAF3E9B04EE2E5C8D43B9@DB9PR08MB6588.eurprd08.prod.outlook.com>'],
    ['References', `<0102018c2f6b0f0e-${'3e5b7c8a-'.repeat(6)}000000@eu-west-1.amazonses.com> <a@site.org>`],
    ['X-Token', 'k'.repeat(980)],
  ])('leaves the words of the header %s as they are, since programs compare them', (name, value) => {
    const raw = rawOf({ headers: [{ name, value }] });
    expect(raw.replace(/\r\n /g, ' ')).toContain(`\r\n${name}: ${value}\r\n`);
  });

  it('encodes the value of a header that no line can hold as it is', async () => {
    for (const value of ['x'.repeat(998), 'für Ada', '=?utf-8?q?x?=']) {
      const headers = [{ name: 'X-Order', value }];
      expectCleanLines(rawOf({ headers }));
      expect(rawOf({ headers })).toMatch(/^X-Order: =\?utf-8\?/m);
    }
  });

  it.each(['From', 'bcc', 'Content-Type', 'DKIM-Signature', 'List-Unsubscribe-Post', 'X:Y', 'X Y', ''])(
    'refuses the custom header %j',
    (name) => {
      expect(() => rawOf({ headers: [{ name, value: 'x' }] })).toThrow('not for callers');
    },
  );
});

describe('header injection', () => {
  const payloads = [
    ['CRLF', 'a\r\nBcc: evil@site.org'],
    ['LF', 'a\nBcc: evil@site.org'],
    ['CR', 'a\rBcc: evil@site.org'],
    ['NUL', 'a\0\r\n\r\nBcc: evil@site.org'],
    ['U+2028', 'a\u2028Bcc: evil@site.org\u2029\u0085Bcc: evil@site.org'],
    ['percent', 'a%0d%0aBcc: evil@site.org'],
    ['encoded word', '=?utf-8?Q?a=0D=0ABcc:_evil=40site.org?='],
  ] as const;
  const fields: [string, (payload: string) => Partial<MessageDraft>][] = [
    ['sender name', (p) => ({ from: named(p, 'news@shop.org') })],
    ['recipient name', (p) => ({ to: [named(p)] })],
    ['cc name', (p) => ({ cc: [named(p)] })],
    ['reply-to name', (p) => ({ replyTo: named(p) })],
    ['local part', (p) => ({ to: [{ ...address('ann@site.org'), local: p }] })],
    ['domain', (p) => ({ to: [{ ...address('ann@site.org'), asciiDomain: p }] })],
    ['subject', (p) => ({ subject: p })],
    ['custom header name', (p) => ({ headers: [{ name: `X-${p}`, value: 'x' }] })],
    ['custom header value', (p) => ({ headers: [{ name: 'X-Order', value: p }] })],
    ['list name', (p) => ({ listId: { id: 'org1.shop.org', name: p } })],
    ['list id', (p) => ({ listId: { id: p, name: 'x' } })],
    ['feedback id', (p) => ({ feedbackId: p })],
    ['unsubscribe link', (p) => ({ unsubscribe: { url: `https://site.org/${p}` } })],
    ['message id', (p) => ({ messageId: `<${p}@shop.org>` })],
    ['text', (p) => ({ text: p })],
    ['html', (p) => ({ html: p })],
  ];
  const cases = fields.flatMap(([field, changes]) =>
    payloads.map(([kind, payload]) => [field, kind, changes(payload)] as const),
  );
  const usual = new Set(fieldNames(rawOf({ cc: [address('cc@site.org')] })));

  it.each(cases)('%s with %s adds no header', (_field, _kind, changes) => {
    let raw: string;
    try {
      raw = rawOf(changes);
    } catch (error) {
      expect((error as Error).message).toMatch(/Control character|no URI|no dot-atom|not for callers/);
      return;
    }
    const names = fieldNames(raw);
    expect(names.filter((name) => !usual.has(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(raw).not.toMatch(/\r(?!\n)|(?<!\r)\n|\0/);
  });

  it('shows a reader what the author typed, not what it would decode to', async () => {
    const subject = '=?utf-8?Q?a=0D=0ABcc:_evil=40site.org?=';
    expect((await parse({ subject })).subject).toBe(subject);
    expect((await parse({ from: named(subject, 'news@shop.org') })).from?.name).toBe(subject);
  });
});
