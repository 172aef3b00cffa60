import { describe, expect, it } from '@jest/globals';
import { messageBytes } from '../../message/compose-message.js';
import { readSubmittedMail } from './submitted-mail.js';
import type { SmtpRefusal } from './smtp-refusal.js';

const from = 'From: orders@shop.internal';
const read = (lines: string[], encoding: BufferEncoding = 'utf8') =>
  readSubmittedMail(Buffer.from([...lines, '', 'Hello', ''].join('\r\n'), encoding), new Date(0));
const composed = async (lines: string[], encoding?: BufferEncoding) => (await read(lines, encoding)).composed;
const fieldsOf = async (lines: string[], encoding?: BufferEncoding) => (await composed(lines, encoding)).fields;
const refusal = (lines: string[]) =>
  read(lines).then(
    () => 'taken',
    ({ responseCode, message }: SmtpRefusal) => `${responseCode} ${message}`,
  );

describe('readSubmittedMail', () => {
  it('refuses a header that begins with a space, which would become part of the signature before it', async () => {
    expect(await refusal([` ${from}`, 'Subject: x'])).toMatch(/^550 5\.6\.0/);
    expect(await refusal(['\tX-Order: 1', from])).toMatch(/^554 5\.6\.0/);
  });

  it('refuses a mail of a megabyte of empty lines', async () => {
    const lines = '\n'.repeat(1024 * 1024);
    expect(await refusal([from, '', lines])).toMatch('5.6.0 The message has more than 250000 lines');
  });

  it('folds lines that are longer than a line may be', async () => {
    const people = Array.from({ length: 60 }, (_, n) => `Person ${n} <person${n}@people.internal>`).join(', ');
    const fields = await fieldsOf([from, `To: ${people}`, 'Subject: x']);
    expect(fields).toContain('Subject: x');
    expect(fields.flatMap((field) => field.split('\r\n')).every((line) => line.length <= 998)).toBe(true);
    expect(fields.find((field) => field.startsWith('To:'))!.replaceAll('\r\n', '')).toBe(`To: ${people}`);
  });

  it.each(['utf8', 'latin1'] as const)('encodes texts in %s, so that every relay takes them', async (encoding) => {
    const mail = await composed(
      [
        'From: Gärtner <orders@shop.internal>',
        'To: "Ünal, A." <ada@people.internal>, bob@people.internal',
        'Subject: Rechnung für Ünal',
        'X-Ort: Köln',
      ],
      encoding,
    );
    expect(mail.smtpUtf8).toBe(false);
    expect(messageBytes(mail).toString('latin1')).toMatch(/^[\r\n -~]*$/);
    expect(mail.fields).toEqual([
      'From: =?utf-8?Q?G=C3=A4rtner?= <orders@shop.internal>',
      'To: =?utf-8?B?w5xuYWwsIEEu?= <ada@people.internal>, bob@people.internal',
      'Subject: =?utf-8?Q?Rechnung_f=C3=BCr_=C3=9Cnal?=',
      'X-Ort: =?utf-8?B?S8O2bG4=?=',
      'Date: Thu, 01 Jan 1970 00:00:00 +0000',
    ]);
  });

  it('reads the quotes and the € of old programs', async () => {
    const { fields } = await composed([from, 'Subject: \u0093Brief\u0094 5 \u0080'], 'latin1');
    expect(fields).toContain('Subject: =?utf-8?B?4oCcQnJpZWbigJ0gNSDigqw=?=');
  });

  it('asks for SMTPUTF8 only for an address that needs it', async () => {
    expect(await composed([from, 'To: 用户@people.internal'])).toMatchObject({ smtpUtf8: true });
    expect(await composed([from, 'To: ada@münchen.internal'])).toMatchObject({ smtpUtf8: false });
  });

  it.each([
    ['Sender: desk@shop.internal', true],
    ['Sender: "Desk, B" <desk@SHOP.internal>', true],
    ['Sender: desk@bank.internal', false],
    ['Sender: desk@sub.shop.internal', false],
    ['Sender: desk@shop.internal, desk@bank.internal', false],
    ['Sender:', false],
  ])('keeps the Sender of the domain that is proved only: %s', async (field, stays) => {
    expect((await fieldsOf([from, field])).some((one) => one.startsWith('Sender:'))).toBe(stays);
  });

  it('leaves an invitation one when its eight bits are encoded', async () => {
    const event = 'BEGIN:VCALENDAR\r\nSUMMARY:Grüße\r\nEND:VCALENDAR';
    const part = (type: string, text: string) => ['--b', `Content-Type: ${type}; charset=utf-8`, '', text, ''];
    const type = 'Content-Type: multipart/alternative; boundary="b"';
    const parts = [...part('text/plain', 'Grüße'), ...part('text/calendar; method=REQUEST', event), '--b--', ''];
    const raw = [from, 'MIME-Version: 1.0', type, '', ...parts].join('\r\n');
    const { composed: mail } = await readSubmittedMail(Buffer.from(raw), new Date(0));
    const sent = messageBytes(mail)
      .toString('latin1')
      .replace(/\r\n[ \t]+/g, ' ');
    expect(sent).toMatch(/^Content-Type: multipart\/alternative/m);
    expect(sent).toMatch(/^Content-Type: text\/calendar;(?=.* method=REQUEST)(?=.* charset=utf-8)/m);
    expect(sent).not.toMatch(/attachment/);
    expect(Buffer.from(/calendar[^]*?\r\n\r\n([^-]*)/.exec(sent)![1]!, 'base64').toString()).toContain('Grüße');
  });

  it('takes the name in a comment behind the address, as cron writes it', async () => {
    expect(await fieldsOf(['From: orders@shop.internal (Cron, Däemon)', 'Subject: x'])).toContain(
      'From: =?utf-8?Q?Cron=2C_D=C3=A4emon?= <orders@shop.internal>',
    );
    expect(await fieldsOf(['From: orders@shop.internal\r\n (=?utf-8?Q?K=C3=B6ln?=)', 'Subject: x'])).toContain(
      'From: =?utf-8?Q?K=C3=B6ln?= <orders@shop.internal>',
    );
  });

  it('refuses a key that is too long to be kept whole', async () => {
    const withKey = (length: number) => [from, `X-Idempotency-Key: ${'k'.repeat(length)}`];
    expect([await refusal(withKey(255)), await refusal(withKey(256))]).toEqual([
      'taken',
      expect.stringMatching(/^550/),
    ]);
  });

  it.each(['windows-1252', 'iso-8859-1', null])('reads texts of old programs that say %s', async (charset) => {
    const type = charset === null ? [] : [`Content-Type: text/plain; charset=${charset}`];
    const raw = [from, ...type, '', '\u0093Für 5 \u0080\u0094', ''].join('\r\n');
    const { text, composed: mail } = await readSubmittedMail(Buffer.from(raw, 'latin1'), new Date(0));
    expect(text!.trim()).toBe('“Für 5 €”');
    expect(Buffer.from(mail.body, 'base64').toString().trim()).toBe('“Für 5 €”');
  });

  it.each(['us-ascii', '"ANSI_X3.4-1968"', 'X-UNKNOWN', 'unknown-8bit'])(
    'reads UTF-8 in texts that say %s',
    async (charset) => {
      const raw = [from, `Content-Type: text/plain; charset=${charset}; format=flowed`, '', 'Grüße für 5 €', ''];
      const { text, composed: mail } = await readSubmittedMail(Buffer.from(raw.join('\r\n')), new Date(0));
      expect(text!.trim()).toBe('Grüße für 5 €');
      expect(Buffer.from(mail.body, 'base64').toString().trim()).toBe('Grüße für 5 €');
      expect(mail.fields).toContain('Content-Type: text/plain; charset=utf-8');
    },
  );

  it('writes the name of a file in eight bits as every relay takes it', async () => {
    const mail = await composed([from, 'Content-Type: application/pdf; name="Köln.pdf"']);
    expect(mail.smtpUtf8).toBe(false);
    expect(messageBytes(mail).toString('latin1')).toMatch(/^[\r\n -~]*$/);
    expect(mail.fields.join()).toMatch(/application\/pdf/);
  });

  it('makes mails in mails fit, however deep, and keeps those that are', async () => {
    const forwarded = (text: string, depth: number): string[] =>
      depth === 0
        ? ['Subject: inner', 'Content-Type: text/plain; charset=utf-8', '', text, '']
        : [
            ...[`Subject: ${depth}`, `Content-Type: multipart/mixed; boundary="b${depth}"`, '', `--b${depth}`],
            ...['Content-Type: message/rfc822', '', ...forwarded(text, depth - 1), `--b${depth}--`, ''],
          ];
    const sent = async (text: string, depth: number) => {
      const raw = Buffer.from([from, ...forwarded(text, depth)].join('\r\n'));
      return messageBytes((await readSubmittedMail(raw, new Date(0))).composed).toString('latin1');
    };
    for (const text of ['Grüße', 'x'.repeat(1200)]) {
      const shallow = await sent(text, 2);
      expect(shallow.match(/^Content-Type: message\/rfc822/gm)).toHaveLength(2);
      expect(shallow.replace(/\s/g, '')).toContain(Buffer.from(text.slice(0, 4)).toString('base64').slice(0, 4));
      for (const mail of [shallow, await sent(text, 9)]) {
        expect(mail).toMatch(/^[\r\n -~]*$/);
        expect(mail.split('\r\n').every((line) => line.length <= 998)).toBe(true);
      }
    }
    expect(await sent('Hello', 9)).toContain('Hello');
  });
});
