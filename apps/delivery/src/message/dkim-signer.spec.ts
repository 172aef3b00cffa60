import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import NodemailerDkim from 'nodemailer/lib/dkim/index.js';
import { parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { composeMessage, messageBytes } from './compose-message.js';
import type { ComposedMessage, MessageDraft } from './compose-message.js';
import { DkimSigner, signerOf } from './dkim-signer.js';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const signer = new DkimSigner({ domain: 'shop.org', selector: 'm1', privateKey });
const at = new Date('2026-05-04T10:11:12Z');

const address = (text: string, display: string | null = null): EmailAddress => {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return { ...parsed.address, display };
};
const draft: MessageDraft = {
  from: address('news@shop.org', 'Garden Shop'),
  to: [address('ann@site.org', 'Ann')],
  replyTo: address('hello@shop.org'),
  subject: 'News of May',
  html: '<p>Hello  Ann </p>\n\n\n',
  text: 'Hello Ann\n',
  messageId: '<0191f3a0-1234-7abc-8def-0123456789ac@shop.org>',
  date: at,
  unsubscribe: { url: 'https://mail.shop.org/u/AAtx' },
  listId: { id: 'org1.shop.org', name: 'Garden Shop' },
  feedbackId: 'c1:o1:campaign:tidings',
};

const resolver = (name: string, type: string): Promise<string[][]> =>
  name === 'm1._domainkey.shop.org' && type === 'TXT'
    ? Promise.resolve([[`v=DKIM1; k=rsa; p=${publicKey}`]])
    : Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

/** What an independent verifier says of the message. */
const verdict = async (raw: Buffer): Promise<{ result: string | undefined; aligned: unknown }> => {
  const { results } = await dkimVerify(raw, { resolver: resolver });
  return { result: results[0]?.status.result, aligned: results[0]?.status.aligned };
};
const signed = async (message: ComposedMessage): Promise<Buffer> => messageBytes(message, signer.sign(message, at));
const tagOf = (raw: string, tag: string): string =>
  new RegExp(`[;\\s]${tag}=([^;]+)`).exec(raw.slice(0, raw.indexOf('\r\nFrom:')))![1]!.replace(/\s/g, '');

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(fc.constantFrom('a', ' ', '  ', '\t', '\n', '\r\n', '.', 'é', '李', '=', '🙂'), { maxLength: 150 })
    .map((p) => p.join('')),
);
const drafts = fc.record({
  subject: text,
  html: text,
  text: fc.option(text),
  name: text,
  cc: fc.boolean(),
  list: fc.boolean(),
});
const draftOf = (sample: {
  subject: string;
  html: string;
  text: string | null;
  name: string;
  cc: boolean;
  list: boolean;
}) => {
  const { unsubscribe, listId, feedbackId, ...plain } = draft;
  return {
    ...plain,
    ...(sample.list ? { unsubscribe, listId, feedbackId } : {}),
    ...(sample.cc ? { cc: [address('cc@site.org', sample.name)] } : {}),
    subject: sample.subject,
    html: sample.html,
    text: sample.text,
    from: address('news@shop.org', sample.name),
    headers: [{ name: 'X-Note', value: sample.subject }],
  } as MessageDraft;
};

describe('DkimSigner', () => {
  it('passes an independent verifier, aligned with From, on 300 varied messages', async () => {
    await fc.assert(
      fc.asyncProperty(drafts, async (sample) => {
        const raw = await signed(composeMessage(draftOf(sample)));
        expect(await verdict(raw)).toEqual({ result: 'pass', aligned: 'shop.org' });
        for (const line of raw.toString('latin1').split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
      }),
      { numRuns: 300, seed: 4 },
    );
  });

  it.each([
    '',
    '\r\n',
    '\r\n\r\n\r\n',
    'a',
    'a\r\n',
    'a \t \r\n\r\n',
    ' \r\n',
    'a  b\t\tc\r\n',
    '\xe9\xff octets\r\n',
    'a\r\n \r\n',
  ])('signs any body, not only composed ones: %j', async (body) => {
    expect((await verdict(await signed({ ...composeMessage(draft), body }))).result).toBe('pass');
  });

  it('signs headers in UTF-8 and several of one name', async () => {
    const composed = composeMessage({ ...draft, to: [address('用户@site.org')] });
    const fields = ['List-Id: <other.shop.org>', ...composed.fields, 'LIST-ID :  <third.shop.org>'];
    expect((await verdict(await signed({ ...composed, fields }))).result).toBe('pass');
  });

  it('survives refolding and added trace headers', async () => {
    const raw = (await signed(composeMessage({ ...draft, subject: 'word '.repeat(30) }))).toString('latin1');
    const relayed = `Received: from a by b; ${at.toUTCString()}\r\n${raw.replaceAll('\r\n word', '\r\n\t  word')}`;
    expect((await verdict(Buffer.from(relayed, 'latin1'))).result).toBe('pass');
  });

  it('fails when any octet of the body or of a signed header changes', async () => {
    const raw = await signed(composeMessage(draft));
    const changed = (needle: string, replacement: string): Buffer => {
      const before = raw.toString('latin1');
      expect(before).toContain(needle);
      return Buffer.from(before.replace(needle, replacement), 'latin1');
    };
    const body = raw.indexOf('\r\n\r\n') + 4;
    for (let n = body; n < raw.length; n += 11) {
      const copy = Buffer.from(raw);
      copy[n] = copy[n] === 0x41 ? 0x42 : 0x41;
      expect((await verdict(copy)).result).not.toBe('pass');
    }
    const headers: [string, string][] = [
      ['Garden Shop <news@', 'Garden Shup <news@'],
      ['To: Ann', 'To: Amn'],
      ['Reply-To: hello', 'Reply-To: hallo'],
      ['News of May', 'News of Mai'],
      ['10:11:12', '10:11:13'],
      ['Message-ID: <0', 'Message-ID: <1'],
      ['/u/AAtx', '/u/AAty'],
      ['=One-Click', '=One-Clack'],
      ['<org1.', '<org2.'],
      ['c1:o1', 'c2:o1'],
      ['MIME-Version: 1.0', 'MIME-Version: 1.1'],
      ['multipart/alternative', 'multipart/mixed'],
    ];
    for (const [was, is] of headers) expect((await verdict(changed(was, is))).result).not.toBe('pass');
  });

  it.each(['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'])(
    'fails when a second %s is added',
    async (name) => {
      const raw = await signed(composeMessage(draft));
      for (const forged of [
        `${name}: x\r\n${raw.toString('latin1')}`,
        raw.toString('latin1').replace('\r\n\r\n', `\r\n${name}: x\r\n\r\n`),
      ]) {
        expect((await verdict(Buffer.from(forged, 'latin1'))).result).not.toBe('pass');
      }
    },
  );

  it('names what it covers, without l= and without trace headers', async () => {
    const raw = (await signed(composeMessage(draft))).toString();
    const names = tagOf(raw, 'h').split(':');
    expect(names.filter((name) => name === 'from')).toHaveLength(2);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['to', 'subject', 'date', 'message-id', 'reply-to', 'mime-version', 'content-type', 'list-unsubscribe'],
        ...['list-unsubscribe-post', 'list-id', 'feedback-id'],
      ]),
    );
    expect(names.some((name) => ['received', 'return-path', 'dkim-signature'].includes(name))).toBe(false);
    expect(raw).not.toMatch(/[;\s]l=/);
    expect(tagOf(raw, 't')).toBe('1777889472');
  });

  it('agrees with another signer on the body hash, and with its verdict', async () => {
    const samples = fc.sample(drafts, { numRuns: 40, seed: 5 }).map((sample) => composeMessage(draftOf(sample)));
    for (const message of samples) {
      const theirs = new NodemailerDkim({ domainName: 'shop.org', keySelector: 'm1', privateKey });
      const chunks: Buffer[] = [];
      for await (const chunk of theirs.sign(messageBytes(message))) chunks.push(Buffer.from(chunk));
      const raw = Buffer.concat(chunks);
      expect((await verdict(raw)).result).toBe('pass');
      expect(tagOf(raw.toString('latin1'), 'bh')).toBe(tagOf((await signed(message)).toString('latin1'), 'bh'));
    }
  });

  it('signs on another thread as it does here, and is the same for the same key', async () => {
    const signing = { domain: 'shop.org', selector: 'm1', privateKeyPem: privateKey };
    const message = composeMessage(draft);
    expect(await signerOf(signing).signApart(message, at)).toBe(signer.sign(message, at));
    expect(signerOf({ ...signing })).toBe(signerOf(signing));
    expect(signerOf({ ...signing, selector: 'm2' }).sign(message, at)).toContain('s=m2;');
  });

  it('refuses a key that is not RSA or too short', () => {
    const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string =>
      key.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const key of [
      pem(generateKeyPairSync('ed25519').privateKey),
      pem(generateKeyPairSync('rsa', { modulusLength: 768 }).privateKey),
    ]) {
      expect(() => new DkimSigner({ domain: 'shop.org', selector: 'm1', privateKey: key })).toThrow(
        'at least 1024 bits',
      );
    }
    expect(() => new DkimSigner({ domain: 'shop.org', selector: 'm1', privateKey: 'nonsense' })).toThrow();
  });
});
