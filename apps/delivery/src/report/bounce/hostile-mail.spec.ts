import { describe, expect, it } from '@jest/globals';
import { classByWords } from '../../message/bounce-phrases-en.js';
import { recipientsIn } from './bounce-text.js';
import { boundedText } from './bounded-text.js';
import { readReport } from './read-report.js';
import { addressIn, readFieldGroups } from './report-fields.js';

const head = 'From: MAILER-DAEMON@mx.example.net\r\nSubject: Undelivered Mail Returned to Sender\r\n';
const megabyte = 1024 * 1024;
const filled = (text: string, octets = megabyte) => text.repeat(Math.ceil(octets / text.length)).slice(0, octets);
const numbered = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join('');
const read = (mail: string) => readReport(Buffer.from(mail, 'latin1'));
const part = (type: string, text: string) =>
  `${head}Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: ${type}\r\n\r\n${text}\r\n--b--\r\n`;

describe('boundedText', () => {
  it('keeps 64 KB, and 1000 characters of each line', () => {
    expect(boundedText(filled('a')).length).toBe(1000);
    expect(boundedText(filled('a\r\n')).length).toBe(Math.ceil((2 / 3) * 64 * 1024));
    expect(boundedText('a\r\nb\rc\n')).toBe('a\nb\nc\n');
  });
});

describe('a mail that is made to be slow to read', () => {
  // Each of these takes minutes if the work grows with the square of the length.
  it.each(['a', 'a@', '-', ' ', '(', '550-', 'to '])('is looked at once, word by word: %j', (text) => {
    expect(addressIn(filled(text))).toBeNull();
    expect(recipientsIn(filled(text))).toEqual([]);
  });

  it('is unfolded once', () => {
    const [fields] = readFieldGroups(`Status: 5.1.1\n${filled(' a\n')}`);
    expect(fields!.get('status')!.length).toBe('5.1.1'.length + 2 * Math.floor(megabyte / 3));
  });

  it('reports at most twenty recipients and ten messages', async () => {
    const fields = numbered(9000, (n) => `Final-Recipient: rfc822;a${n}@b.example\r\nStatus: 5.0.0\r\n\r\n`);
    const named = numbered(20_000, (n) => `550 a${n}@b.example\r\n`);
    const ids = numbered(5000, (n) => `${String(n).padStart(8, '0')}-0000-7000-8000-000000000000@b.example `);
    const paths = numbered(2000, (n) => `b.${String(n).padStart(62, '0')}@b.example `);
    for (const text of [part('message/delivery-status', fields), `${head}\r\nuser unknown\r\n${named}`]) {
      const report = await read(text);
      expect(report.kind === 'bounce' && report.recipients).toHaveLength(20);
    }
    const report = await read(`${head}\r\nuser unknown\r\n${ids}${paths}`);
    expect(report).toMatchObject({ kind: 'bounce', messageIds: { length: 10 }, returnPaths: { length: 10 } });
  });

  it.each([
    ['lines', `${head}\r\nuser unknown\r\n${filled('\r\n', 20_000)}`],
    ['octets', `${head}\r\nuser unknown\r\n${filled('a', 300_000)}`],
  ])('is read to a number of %s and no further', async (_, mail) => {
    const beyond =
      '550 5.1.1 ada@example.net b.0000000000000000000000000000000000000000000000000000000000000000@b.example';
    expect(await read(`${mail}\r\n${beyond}`)).toEqual(await read(mail));
  });

  it.each([
    [
      'structures in each other',
      numbered(300, (n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`),
    ],
    ['a header without end', filled('From: a:\r\n')],
    ['markup without end', part('text/html', filled('<p>a '))],
    ['a mail of parts', part('text/plain', filled('--b\r\n\r\nx\r\n'))],
  ])('is classified from its readable part: %s', async (_, mail) => {
    expect(['bounce', 'other']).toContain((await read(mail)).kind);
  });

  it('has its words looked at to a length', () => {
    expect(classByWords(`${filled('- ', 7_000)} user unknown`)).toMatchObject({ bounceCategory: 'NO_SUCH_USER' });
    expect(classByWords(`${filled('- ', 8_000)} user unknown`)).toBeNull();
  });
});
