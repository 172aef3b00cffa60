import { describe, expect, it } from '@jest/globals';
import { readReport } from './read-report.js';

const rowId = '01902c3e-7a00-7000-8000-00000000abcd';
const token = `b.${'0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnop'}@bounce.shop.example`;
const head = (change: Record<string, string> = {}) =>
  Object.entries({
    From: 'Mail Delivery System <MAILER-DAEMON@mx.example.net>',
    To: token,
    Subject: 'Undelivered Mail Returned to Sender',
    'MIME-Version': '1.0',
    ...change,
  })
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n');
const original = [
  ...[`Return-Path: <${token}>`, 'From: shop@shop.example', 'To: ada@example.net', 'Subject: News'],
  `Message-ID: <${rowId}@shop.example>`,
].join('\r\n');

const report = (type: string, fields: string[], text = 'It could not be delivered.', returned = original) =>
  [
    head({ 'Content-Type': `multipart/report; report-type=${type}; boundary="b"` }),
    ...['', '--b', 'Content-Type: text/plain', '', text],
    ...['', '--b', `Content-Type: message/${type}`, '', ...fields],
    ...['', '--b', 'Content-Type: text/rfc822-headers', '', returned, '', '--b--', ''],
  ].join('\r\n');
const dsn = (fields: string[], text?: string) =>
  report('delivery-status', ['Reporting-MTA: dns; mx.example.net', '', ...fields], text);
const free = (text: string, change: Record<string, string> = {}) =>
  `${head(change)}\r\n\r\n${text.replace(/\n/g, '\r\n')}`;

const read = (mail: string) => readReport(Buffer.from(mail));
/** Every recipient in one line: address, action, permanent or temporary, type, category, status. */
const feedback = async (mail: string): Promise<string[]> => {
  const found = await read(mail);
  if (found.kind !== 'bounce') return [found.kind];
  return found.recipients.map(({ address, action, permanent, bounceType, bounceCategory, status }) =>
    [address, action, permanent ? 'PERMANENT' : 'TEMPORARY', bounceType, bounceCategory, status].join(' '),
  );
};

describe('readReport', () => {
  it('reads a machine-readable bounce (RFC 3464) and what finds its message', async () => {
    const mail = dsn([
      ...['Original-Recipient: rfc822;ada@example.net', 'Final-Recipient: rfc822; ada.l@internal.example.net'],
      ...['Action: failed', 'Status: 5.0.0', 'Diagnostic-Code: smtp; 550 5.1.1 <ada@example.net>:', '  User unknown'],
    ]);
    expect(await feedback(mail)).toEqual(['ada@example.net failed PERMANENT HARD NO_SUCH_USER 5.1.1']);
    expect(await read(mail)).toMatchObject({ messageIds: [rowId], returnPaths: [token] });
  });

  it('distinguishes several recipients', async () => {
    const mail = dsn([
      ...['Final-Recipient: rfc822;a@example.net', 'Action: failed', 'Status: 5.1.1', ''],
      ...['Final-Recipient: rfc822;b@example.net', 'Action: delayed', 'Status: 4.4.1', ''],
      ...['Final-Recipient: rfc822;c@example.net', 'Action: delivered', 'Status: 2.0.0'],
    ]);
    expect(await feedback(mail)).toEqual([
      'a@example.net failed PERMANENT HARD NO_SUCH_USER 5.1.1',
      'b@example.net delayed TEMPORARY SOFT TRANSIENT 4.4.1',
    ]);
  });

  it.each([
    ['5.2.2', '552 5.2.2 Mailbox full', 'PERMANENT SOFT MAILBOX_FULL'],
    ['4.2.2', '452 4.2.2 Over quota', 'TEMPORARY SOFT MAILBOX_FULL'],
    ['4.4.7', 'delivery time expired', 'TEMPORARY SOFT TRANSIENT'],
    ['5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found', 'PERMANENT HARD INTERNAL'],
    ['5.4.1', '550 5.4.1 Recipient address rejected: Access denied', 'PERMANENT HARD NO_SUCH_USER'],
    ['5.7.26', '550 5.7.26 Unauthenticated', 'PERMANENT SOFT POLICY'],
    ['5.7.1', '554 5.7.1 Service unavailable; blocked using zen.spamhaus.org', 'PERMANENT SOFT BLOCKED'],
    ['5.3.4', '552 5.3.4 Message too big', 'PERMANENT SOFT CONTENT'],
    ['5.0.0', '554 Message is spam', 'PERMANENT SOFT CONTENT'],
  ])('classifies %s %s', async (status, diagnostic, expected) => {
    const fields = ['Final-Recipient: rfc822; a@b.example', 'Action: failed', `Status: ${status}`];
    const [line] = await feedback(dsn([...fields, `Diagnostic-Code: smtp; ${diagnostic}`]));
    expect(line).toBe(`a@b.example failed ${expected} ${status}`);
  });

  it.each([
    [
      'Postfix',
      'This is the mail system at host mx.\n\n<ada@example.net>: host mx.example.net[192.0.2.1] said: 550 5.1.1 User unknown\n    (in reply to RCPT TO command)\n',
      'ada@example.net failed PERMANENT HARD NO_SUCH_USER 5.1.1',
    ],
    [
      'Exim',
      'This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error.\n\n  ada@example.net\n    SMTP error from remote mail server after RCPT TO:<ada@example.net>:\n    host mx.example.net [192.0.2.1]: 550 No such user here\n',
      'ada@example.net failed PERMANENT HARD NO_SUCH_USER ',
    ],
    [
      'qmail',
      "Hi. This is the qmail-send program at mx.example.net.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<ada@example.net>:\nUser is over the quota. You can try again later.\n",
      'ada@example.net failed TEMPORARY SOFT MAILBOX_FULL ',
    ],
    [
      'sendmail',
      '   ----- The following addresses had permanent fatal errors -----\n<ada@example.net>\n    (reason: 550 5.1.2 Host unknown)\n\n   ----- Transcript of session follows -----\n550 5.1.2 <ada@example.net>... Host unknown (Name server: example.net.: host not found)\n',
      'ada@example.net failed PERMANENT HARD INTERNAL 5.1.2',
    ],
    [
      'Exchange',
      'Your message did not reach some or all of the intended recipients.\n\n  ada@example.net on 5/4/2026 10:00 AM\n    The e-mail account does not exist at the organization this message was sent to.\n    <mx.example.net #5.1.1>\n',
      'ada@example.net failed PERMANENT HARD NO_SUCH_USER 5.1.1',
    ],
    [
      'a warning',
      'This is a warning message only. YOU DO NOT NEED TO RESEND YOUR MESSAGE.\n\nYour message could not be delivered for 4 hours. It will be retried until it is 5 days old.\n\n<ada@example.net>: connect to mx.example.net[192.0.2.1]:25: Connection timed out\n',
      'ada@example.net delayed TEMPORARY SOFT TRANSIENT ',
    ],
  ])('reads the free text of %s', async (_, text, expected) => {
    expect(await feedback(free(text))).toEqual([expected]);
  });

  it('reads a report of abuse (RFC 5965), also when the recipient is made unreadable', async () => {
    const fields = ['Feedback-Type: abuse', 'User-Agent: Fbl/1', 'Version: 1', 'Original-Rcpt-To: <ada@example.net>'];
    expect(await read(report('feedback-report', fields))).toEqual({
      kind: 'complaint',
      feedbackType: 'abuse',
      address: 'ada@example.net',
      provider: 'Fbl/1',
      messageIds: [rowId],
      returnPaths: [token],
    });
    const redacted = report('feedback-report', fields.slice(0, 3), undefined, original.replace('ada@', 'redacted@'));
    expect(await read(redacted)).toMatchObject({ kind: 'complaint', messageIds: [rowId] });
  });

  it.each(['not-spam', 'opt-out', 'auth-failure', 'other'])('takes %s for no complaint', async (type) => {
    const fields = [`Feedback-Type: ${type}`, 'User-Agent: Fbl/1', 'Version: 1'];
    expect(await read(report('feedback-report', fields))).toEqual({ kind: 'other', why: 'feedback' });
  });

  it.each(['disposition-notification', 'global-disposition-notification'])('takes %s for a receipt', async (type) => {
    const fields = ['Original-Recipient: rfc822;ada@example.net', 'Final-Recipient: rfc822;ada@example.net'];
    const mail = report(type, [...fields, 'Disposition: manual-action/MDN-sent-manually; displayed']);
    expect(await read(mail)).toEqual({ kind: 'other', why: 'receipt' });
    // Forwarders make bare text of the parts.
    expect(await read(mail.replace(`message/${type}`, 'text/plain'))).toEqual({ kind: 'other', why: 'receipt' });
  });

  it.each(['delivered', 'Relayed (to a server that tells nothing)', 'expanded'])(
    'reads that it was %s',
    async (action) => {
      const fields = ['Final-Recipient: rfc822;a@b.example', `Action: ${action}`, 'Status: 2.0.0'];
      expect(await read(dsn(fields))).toMatchObject({ kind: 'delivered', delivered: [{ address: 'a@b.example' }] });
    },
  );

  it.each([
    [['Status: 2.0.0'], 'delivered'],
    [['Status: 4.4.1', 'Will-Retry-Until: Mon, 4 May 2026 10:00:00 +0000'], 'delayed TEMPORARY SOFT TRANSIENT 4.4.1'],
    [['Status: 550 user unknown'], 'failed PERMANENT SOFT OTHER '],
  ])('reads a report without an action: %j', async (fields, expected) => {
    const [line] = await feedback(dsn(['Final-Recipient: rfc822; a@b.example', ...fields], 'See below.'));
    expect(line).toBe(expected === 'delivered' ? expected : `a@b.example ${expected}`);
  });

  it.each([
    ['an unknown action', dsn(['Final-Recipient: rfc822;a@b.example', 'Action: pondered']), 'receipt'],
    [
      'an answering machine (RFC 3834)',
      free('I am away until Monday.', {
        From: 'Ada <ada@example.net>',
        Subject: 'Re: News',
        'Auto-Submitted': 'auto-replied',
      }),
      'auto-reply',
    ],
    [
      'an answer of a person',
      free('The mailbox you mention does not exist, user unknown.', {
        From: 'Ada <ada@example.net>',
        Subject: 'Re: News',
      }),
      'no report',
    ],
    ['nothing', '', 'no report'],
  ])('leaves %s alone', async (_, mail, why) => {
    expect(await read(mail)).toEqual({ kind: 'other', why });
  });

  it('reads any input, cut or garbled, within a moment', async () => {
    const mails = [
      dsn(['Final-Recipient: rfc822;a@b.example', 'Action: failed', 'Status: 5.1.1']),
      free('x'.repeat(500_000)),
    ];
    for (const mail of mails) {
      for (let end = 0; end < mail.length; end += Math.ceil(mail.length / 40)) {
        const garbled = Buffer.from(mail.slice(0, end));
        for (let at = 0; at < garbled.length; at += 37) garbled[at] = (at * 131) % 256;
        await readReport(garbled);
      }
    }
    // Measured in CPU time, since a busy machine may delay the process.
    const begin = process.cpuUsage();
    await read(free(`${'550 <a@b.example> '.repeat(30_000)}`));
    const { user, system } = process.cpuUsage(begin);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });
});
