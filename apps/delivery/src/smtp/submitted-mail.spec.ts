import { describe, expect, it } from '@jest/globals';
import { readSubmittedMail } from './submitted-mail.js';
import type { SmtpRefusal } from './smtp-refusal.js';

const from = 'From: orders@shop.internal';
const read = (lines: string[], encoding: BufferEncoding = 'utf8') =>
  readSubmittedMail(Buffer.from([...lines, '', 'Hello', ''].join('\r\n'), encoding), new Date(0));
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
});
