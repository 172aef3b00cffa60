import { describe, expect, it } from '@jest/globals';
import { classifyReport } from './classify-report.js';
import { readReport } from './read-report.js';

const crlf = (lines: readonly string[]) => lines.join('\n').replace(/\n/g, '\r\n');
/** A report of RFC 3464 with a group of fields for each recipient. */
const dsn = (groups: string[][], said: string[] = ['It could not be delivered.']) =>
  crlf([
    ...['From: MAILER-DAEMON@mx.example.net', 'Subject: Undelivered Mail', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', ''],
    ...['--b', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit', '', ...said, ''],
    ...['--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
    ...[groups.map((fields) => fields.join('\n')).join('\n\n'), '', '--b--', ''],
  ]);
const fields = (status: string, diagnostic: string, address = 'ada@example.net', action = 'failed') => [
  ...[`Final-Recipient: rfc822; ${address}`, `Action: ${action}`, `Status: ${status}`],
  `Diagnostic-Code: smtp; ${diagnostic}`,
];
/** A bounce without a report part. */
const free = (said: string[], change: Record<string, string> = {}) => {
  const headers = { From: 'MAILER-DAEMON@mx.example.net', Subject: 'failure notice', 'MIME-Version': '1.0', ...change };
  const text = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit', '', ...said, ''];
  return crlf([...Object.entries(headers).map((field) => field.join(': ')), ...text]);
};

/** Each recipient in one line: type and category, and `delayed` where the server goes on. */
async function read(mail: string): Promise<string[]> {
  const report = await readReport(Buffer.from(mail));
  if (report.kind !== 'bounce') return [report.kind === 'other' ? report.why : report.kind];
  return report.recipients.map(
    ({ bounceType, bounceCategory, action }) =>
      `${bounceType} ${bounceCategory}${action === 'delayed' ? ' delayed' : ''}`,
  );
}
const dead = 'HARD NO_SUCH_USER';
const noHost = 'HARD INTERNAL';

describe('the evidence of a bounce', () => {
  it.each([
    ['5.1.1', '550 5.7.1 IP address 192.0.2.7 is on our black list', 'SOFT BLOCKED'],
    ['5.1.1', '552 5.2.2 Quota exceeded', 'SOFT MAILBOX_FULL'],
    ['5.1.1', '452 4.2.2 Quota exceeded', 'SOFT MAILBOX_FULL'],
    ['5.1.1', '552 The mailbox of this user is over quota', 'SOFT MAILBOX_FULL'],
    ['5.1.3', '553 See https://spamhaus.example/query/192.0.2.7', 'SOFT BLOCKED'],
    ['5.1.1', '550 5.1.1 <ada@example.net> 192.0.2.7 has sent to too many recipients today', 'SOFT TRANSIENT'],
    ['5.1.1', '550 Mailbox suspended by its owner', 'SOFT TRANSIENT'],
    ['5.1.1', '550 5.1.1 Recipient address rejected: Greylisted', 'SOFT TRANSIENT'],
    ['5.1.2', '550 5.1.2 The domain is suspended', 'SOFT TRANSIENT'],
    ['5.1.1', '550 5.1.1 <ada@example.net>: user unknown', dead],
    ['5.1.1', '550 5.1.1 No such user here, see our policy', dead],
    ['5.1.2', '550 5.1.2 Host unknown', noHost],
    ['5.7.1', '550 5.7.1 User unknown', 'SOFT POLICY'],
    ['5.2.1', '550 5.2.1 User unknown', 'SOFT TRANSIENT'],
  ])('beside a Status of %s is the Diagnostic-Code too: %s is %s', async (status, diagnostic, expected) => {
    expect(await read(dsn([fields(status, diagnostic)]))).toEqual([expected]);
  });

  it('of a footer says nothing against the Status', async () => {
    const said = ['These recipients failed:', '', 'ada@example.net', '', 'Checked for viruses and spam by a scanner.'];
    expect(await read(dsn([fields('5.1.1', '').slice(0, 3)], said))).toEqual([dead]);
  });

  it.each([
    ["5.1.1 - Unknown address error 550-'5.7.1 Blocked by our list' (delivery attempts: 0)", 'SOFT BLOCKED'],
    ["5.1.1 - Unknown address error 550-'Mailbox quota exceeded' (delivery attempts: 0)", 'SOFT MAILBOX_FULL'],
    ["5.3.0 - Other mail system problem 550-'5.1.1 No such user' (delivery attempts: 0)", dead],
    ['554 5.7.1 <ada@example.net>: Recipient address rejected: Sent too fast', 'SOFT TRANSIENT'],
    ['551 5.7.1 <ada@example.net>: Recipient address rejected: Delivery not authorized', 'SOFT POLICY'],
    ['550 5.1.1 <ada@example.net>: Recipient address rejected: User unknown in virtual mailbox table', dead],
    ['550 5.4.1 Recipient address rejected: Access denied', dead],
  ])('is the text behind the fixed phrase of a sender: %s is %s', async (diagnostic, expected) => {
    expect(await read(dsn([fields('5.0.0', diagnostic)]))).toEqual([expected]);
  });

  it.each([
    [
      '553 5.1.0 shop.example does not exist',
      'said: 553 5.1.0 shop.example\n    does not exist (in reply to MAIL FROM command)',
    ],
    ['550 No such domain', 'SMTP error from remote mail server after MAIL FROM:<b@shop.example>:\n 550 No such domain'],
    ['550 Unknown address', '>>> MAIL From:<b@shop.example>\n<<< 550 Unknown address'],
    ['553 5.1.8 Domain of sender address b@shop.example does not exist', 'It came back.'],
  ])('names no recipient in a refusal of MAIL FROM, or of our domain: %s', async (diagnostic, said) => {
    const status = /5\.\d\.\d/.exec(diagnostic)?.[0] ?? '5.0.0';
    const [found] = await read(dsn([fields(status, diagnostic)], said.split('\n')));
    expect(found).toMatch(/^SOFT/);
  });

  it.each([
    ['5.4.4', 'Name service error for name=example.net type=MX: Host not found, try\n    again', 'SOFT TRANSIENT'],
    ['5.4.4', 'Name service error: Malformed or unexpected name server reply', 'SOFT TRANSIENT'],
    ['5.4.4', 'Host or domain name not found. Name service error for name=example.net: Host not found', noHost],
    ['5.4.4', 'unable to route', noHost],
    ['5.4.4', 'the host is not reachable', 'SOFT TRANSIENT'],
  ])(
    'of name servers in trouble is not held against the address, no host is: %s %s',
    async (status, text, expected) => {
      expect(await read(dsn([fields(status, `x; ${text}`)]))).toEqual([expected]);
    },
  );

  it.each([
    ['in reply to end of DATA command', 'host mx.example.net said: 550 Unknown user (in reply to end of DATA command)'],
    ['a transcript', '>>> DATA\n<<< 550 Unknown user\n554 5.0.0 Service unavailable'],
    ['Exim', 'SMTP error from remote mail server after end of data:\n host mx.example.net: 550 Unknown user'],
  ])('after DATA is a filter’s, since the recipient had been accepted: %s', async (_, said) => {
    expect(await read(dsn([fields('5.0.0', '550 Unknown user')], said.split('\n')))).toEqual(['SOFT POLICY']);
    // The code names the address all the same.
    const named = dsn([fields('5.1.1', '550 5.1.1 Unknown user')], said.split('\n'));
    expect(await read(named)).toEqual([dead]);
  });

  it('before DATA is about the recipient, also where the transcript shows it behind a pipelined DATA', async () => {
    for (const last of ['503 5.0.0 Need RCPT (recipient)', '554 5.5.1 Error: no valid recipients']) {
      const said = ['... while talking to mx.example.net.:', '>>> DATA', '<<< 550 Unknown user', `<<< ${last}`];
      expect(await read(dsn([fields('5.0.0', '550 Unknown user')], said))).toEqual([dead]);
    }
    const atRcpt = ['>>> RCPT To:<ada@example.net>', '<<< 550 5.7.1 User unknown'];
    expect(await read(dsn([fields('5.7.1', '550 5.7.1 User unknown')], atRcpt))).toEqual([dead]);
  });

  it.each([
    ['a bare reply, which a filter may give too', '5.0.0', '550 Unknown user ada', 'SOFT OTHER'],
    ['a reply that begins with the address', '5.0.0', '550 <ada@example.net>: User unknown', dead],
    ['such a reply in a report without a Status', '', '550 <ada@example.net>: User unknown', 'SOFT OTHER'],
    ['the text of RFC 5321', '5.5.0', '550 Requested action not taken: mailbox unavailable', dead],
    [
      'a provider that looks the address up at DATA',
      '5.0.0',
      "554 delivery error: dd This user doesn't have an account",
      dead,
    ],
    [
      'a mail server that could not write',
      '5.1.1',
      'procmail: Couldn\'t create "/var/mail/ada"; no such user',
      'SOFT TRANSIENT',
    ],
  ])('without a command is believed by its form: %s', async (_, status, diagnostic, expected) => {
    expect(await read(dsn([fields(status, diagnostic)]))).toEqual([expected]);
  });

  it.each([
    ['a mail server', "<ada@example.net>: This user doesn't have an account here"],
    [
      'the text of RFC 5321',
      'ada@example.net Invalid Address, ERROR_CODE :550, Requested action not taken: mailbox unavailable',
    ],
    ['a gateway', 'ada@example.net [User unknown]'],
    ['another gateway', 'ada@example.net: The email account does not exist'],
  ])(
    'without a code and a command is no proof in the words of a reply, which a filter may give too: %s',
    async (_, said) => {
      expect(await read(free(['Delivery failed:', '', said]))).toEqual(['SOFT OTHER']);
      expect(await read(free(['Delivery failed:', '', `${said} (#5.1.1)`]))).toEqual([dead]);
      expect(await read(free(['Delivery failed:', '', `${said} (in reply to RCPT TO command)`]))).toEqual([dead]);
    },
  );

  it('is no proof beside a Status without a meaning either', async () => {
    const said = 'The email account that you tried to reach does not exist.';
    expect(await read(dsn([fields('5.0.0', said)]))).toEqual(['SOFT OTHER']);
    expect(await read(dsn([fields('5.1.1', said)]))).toEqual([dead]);
  });

  it.each([
    ['Exchange', 'ada@example.net on Mon, 4 May 2026 10:00:00 +0000', 'The recipient name is not recognized'],
    ['Exchange 2003', 'ada@example.net', 'The e-mail account does not exist at the organization'],
    ['Exchange, in German', 'ada@example.net', 'Der Empfängername wurde nicht gefunden'],
    ['Domino', 'ada@example.net', 'User not listed in Domino Directory'],
    ['Exim', 'ada@example.net', '    Unrouteable address'],
    ['Gmail', 'ada@example.net', "Your message wasn't delivered because the address couldn't be found."],
    ['IMail', 'ada@example.net', 'Invalid final delivery userid: ada@example.net'],
    ['qmail', '<ada@example.net>:', 'Sorry, no mailbox here by that name.'],
    ['an MMS centre', 'ada@example.net', 'Error: No valid recipients for this MM'],
    ['Mercury', 'ada@example.net', '  User "ada" not known at this site.'],
    ['MDaemon', 'ada@example.net', 'no such local user'],
  ])('without a code is proof where the reporting server looked the address up itself: %s', async (_, ...said) => {
    expect(await read(free(['Your message could not be delivered:', '', ...said]))).toEqual([dead]);
  });

  it.each([
    'User reject',
    'User refuses to receive this mail',
    'The recipient has blocked your address',
    'Message rejected due to user rules',
    'You have been blocked by the recipient',
    'Rejected by user settings',
    "Message refused by the recipient's mailbox filter",
    'Recipient only accepts mail from known senders',
    'The account owner does not wish to receive this message',
    'This account is protected by a challenge',
    'RESOLVER.RST.NotAuthorized; not authorized',
  ])('of a choice of the recipient is no dead address, whatever the code and the command: %s', async (words) => {
    for (const status of ['5.0.0', '5.1.0', '5.1.1', '5.1.2', '5.2.1', '5.7.1']) {
      for (const command of ['RCPT TO', 'end of DATA']) {
        const said = [`host mx.example.net said: 550 ${status} ${words} (in reply to ${command} command)`];
        const [found] = await read(dsn([fields(status, `550 ${status} ${words}`)], said));
        expect(found).toMatch(/^SOFT/);
      }
    }
  });

  it('without a command is believed where a provider calls the bounce permanent, but for a refusal of MAIL FROM', () => {
    const evidence = { address: null, finalAddress: null, action: 'failed', status: null, surroundings: '' };
    const judged = (diagnostic: string, refused: 'RCPT' | null) =>
      classifyReport({ ...evidence, diagnostic, refused }).bounceType;
    expect(judged('550 Unknown user ada', null)).toBe('SOFT');
    expect(judged('550 Unknown user ada', 'RCPT')).toBe('HARD');
    expect(judged('550 Unknown user ada (in reply to MAIL FROM command)', 'RCPT')).toBe('SOFT');
  });

  it.each([
    ['Exim, MAIL FROM', 'SMTP error from remote mail server after pipelined MAIL FROM:<b@shop.example> SIZE=900:'],
    ['Exim, EHLO', 'SMTP error from remote mail server after EHLO mail.shop.example:'],
    ['Exim, the connection', 'SMTP error from remote mail server after initial connection:'],
    ['Postfix, EHLO', '(in reply to EHLO command)'],
    ['DragonFly, MAIL FROM', 'mx.example.net [192.0.2.9] did not like our MAIL FROM:'],
    ['qmail, MAIL FROM', 'Connected to 192.0.2.9 but sender was rejected.'],
    ['qmail, HELO', 'Connected to 192.0.2.9 but my name was rejected.'],
    ['qmail, the connection', 'Connected to 192.0.2.9 but greeting failed.'],
  ])('before a recipient was named is not about one: %s', async (_, sign) => {
    for (const reply of ['550 Unknown host', '550 5.1.1 Unknown user']) {
      const said = ['The following address failed:', '', '<ada@example.net>:', sign, `Remote host said: ${reply}`];
      const [found] = await read(free(said));
      expect(found).toMatch(/^SOFT/);
    }
  });

  it('is about the whole domain where its host takes no mail at all, at the first line of the session', async () => {
    const said = ['<ada@example.net>:', 'Connected to 192.0.2.9 but greeting failed.', '521 Host does not accept mail'];
    expect(await read(free(said))).toEqual([noHost]);
  });

  it.each([
    ['Exim, RCPT', 'SMTP error from remote mail server after pipelined RCPT TO:<ada@example.net>:', dead],
    ['Exim, the end of DATA', 'SMTP error from remote mail server after pipelined end of data:', 'SOFT POLICY'],
    ['qmail, RCPT', '192.0.2.9 does not like recipient.', dead],
    ['qmail, DATA', '192.0.2.9 failed on DATA command.', 'SOFT POLICY'],
    ['qmail, the end of DATA', '192.0.2.9 failed after I sent the message.', 'SOFT POLICY'],
    ['DragonFly, RCPT', 'mx.example.net [192.0.2.9] did not like our RCPT TO:', dead],
    ['DragonFly, DATA', 'mx.example.net [192.0.2.9] did not like our DATA:', 'SOFT POLICY'],
    ['DragonFly, the end of DATA', 'mx.example.net [192.0.2.9] did not like our final DATA:', 'SOFT POLICY'],
    ['Gmail, RCPT', 'The other server returned (state 14):', dead],
    ['Gmail, the end of DATA', 'The other server returned (state 18):', 'SOFT POLICY'],
  ])('names the command as each mail server does: %s', async (_, sign, expected) => {
    const said = [
      'The following address failed:',
      '',
      '<ada@example.net>:',
      sign,
      'Remote host said: 550 No such user',
    ];
    expect(await read(free(said))).toEqual([expected]);
  });

  it.each([
    ['(in', 'reply to RCPT TO command)', dead],
    ['(in reply', 'to end of DATA command)', 'SOFT POLICY'],
    ['(in reply to', 'MAIL FROM command)', 'SOFT POLICY'],
  ])('names the command also where the words are broken over lines: %s | %s', async (first, second, expected) => {
    const said = [`<ada@example.net>: host mx.example.net said: 550 No such user ${first}`, `    ${second}`];
    expect(await read(dsn([fields('5.0.0', '550 No such user')], said))).toEqual([expected]);
  });

  it.each([
    ['bad-mailbox', '550 No such user here', dead],
    ['policy-related', '550 No such user here', 'SOFT OTHER'],
    ['bad-mailbox', '550 5.7.1 No such user here', 'SOFT POLICY'],
  ])('is believed where PowerMTA sorts the bounce by itself: %s, %s', async (category, diagnostic, expected) => {
    const group = [...fields('5.0.0', diagnostic), `X-PowerMTA-BounceCategory: ${category}`];
    expect(await read(dsn([group]))).toEqual([expected]);
  });

  it.each([
    ['5.7.1', 'a transcript of pipelined commands', ['>>> DATA', '<<< 550 5.7.1 User unknown', '<<< 503 Need RCPT']],
    ['5.2.1', 'a relay that calls the address rejected', ['Reason: Remote SMTP server has rejected address']],
    ['5.2.1', 'a reply that begins with the address', ['550 <ada@example.net>... User unknown']],
  ])('beside a code of its own (%s) needs a sign of RCPT that is no guess: %s', async (status, _, said) => {
    const [vague] = await read(dsn([fields(status, `550 ${status} User unknown`)], said));
    expect(vague).toMatch(/^SOFT/);
    const plain = [...said, 'host mx.example.net said: (in reply to RCPT TO command)'];
    expect(await read(dsn([fields(status, `550 ${status} User unknown`)], plain))).toEqual([dead]);
  });

  it.each([
    ['Yandex', '5.7.1', '550 5.7.1 No such user!'],
    ['Yahoo', '5.0.0', '552 1 Requested mail action aborted, mailbox not found'],
    [
      'Mail.ru',
      '5.0.0',
      '550 Message was not accepted -- invalid mailbox. Local mailbox ada is unavailable: user not found',
    ],
    ['QQ', '5.0.0', '550 Mailbox not found. http://service.mail.qq.com/help'],
    ['AT&T', '5.2.1', '550 5.2.1 <ada@example.net>... Addressee unknown, relay=[192.0.2.7]'],
  ])('of %s means the address, since the provider looks it up', async (_, status, diagnostic) => {
    expect(await read(dsn([fields(status, diagnostic)]))).toEqual([dead]);
  });

  it.each([
    ['5.1.1', '550 5.1.1 Refused because of the preferences of the recipient', 'SOFT POLICY'],
    ['5.1.1', '550 5.1.1 Refused due to recipient preferences', 'SOFT POLICY'],
    ['5.1.1', '550 5.1.1 The address is on the suppression list for your account', 'SOFT POLICY'],
    ['5.1.1', '550 5.1.1 <ada@example.net>: Recipient address rejected: unverified address', 'SOFT TRANSIENT'],
    ['5.0.0', 'lowest numbered MX record points to local host', 'SOFT TRANSIENT'],
    ['5.7.27', '550 5.7.27 Sender domain has a null MX', 'SOFT POLICY'],
  ])('of a choice, or of a check that is not over, is no dead address: %s %s', async (status, diagnostic, expected) => {
    expect(await read(dsn([fields(status, diagnostic)]))).toEqual([expected]);
  });

  it('counts the reason by which Dovecot rejects, beside a Status that calls the address dead', async () => {
    const said = ['Your message to <ada> was automatically rejected:', 'Not enough disk space'];
    expect(await read(dsn([fields('5.1.1', '550 5.1.1 <ada@example.net>... User unknown')], said))).toEqual([
      'SOFT MAILBOX_FULL',
    ]);
  });

  it.each([
    ['5.0.0', '550 unable to get mx info: failed to get IPs from PTR record'],
    ['5.0.0', 'There are no DNS entries for the hostname example.net.'],
    ['5.0.0', 'No route found to domain example.net from server HUB1'],
    ['5.0.0', '553 Recipient domain must exist'],
    ['5.0.0', 'unable to resolve destination domain'],
    ['5.0.0', 'Unable to find host example.net'],
    ['5.5.0', '554 The domain is not reachable. Please check the domain and try again'],
    ['5.7.27', '550 Host does not accept mail'],
    ['5.7.27', '550 5.7.27 The recipient domain has a null MX'],
  ])('of a domain that is none is permanent: %s %s', async (status, diagnostic) => {
    expect(await read(dsn([fields(status, diagnostic)]))).toEqual([noHost]);
  });

  it.each([
    ['5.0.0', '550 Unrouteable address'],
    ['5.3.0', '553 5.3.0 <ada@example.net>... No such user here'],
    ['5.0.0', '550 5.0.1 Recipient rejected (in reply to RCPT TO command)'],
    ['5.0.0', '550 Recipient verify failed (in reply to RCPT TO command)'],
    ['5.0.0', '550 mailbox for ada@example.net unavailable (in reply to RCPT TO command)'],
    ['5.7.1', '553 sorry, this recipient is not in my validrcptto list (#5.7.1) (in reply to RCPT TO command)'],
  ])('of an address that is none is permanent: %s %s', async (status, diagnostic) => {
    expect(await read(dsn([fields(status, diagnostic)]))).toEqual([dead]);
  });

  it('of one recipient is not read as that of another, nor that of another host', async () => {
    const transcript = free([
      ...['   ----- Transcript of session follows -----', 'While talking to mx.example.org:'],
      ...['<<< 501 <eve@example.org>... no access from mail server [192.0.2.7] which is an open relay.'],
      ...['554 <ben@example.com>... Remote protocol error', '550 example.edu (smtp)... 550 Host unknown'],
      ...['554 <ada@example.edu>... 550 Host unknown (Authoritative answer from name server)'],
      ...['While talking to mx.example.net:', '>>> RCPT To:<mia@example.net>'],
      ...['<<< 550 <mia@example.net>... User unknown'],
    ]);
    expect(await read(transcript)).toEqual(['SOFT POLICY', 'SOFT OTHER', noHost, dead]);
    const said = ['<ada@example.net>: user unknown', '', '<ben@example.net>: over quota'];
    const both = dsn(
      [fields('5.0.0', '550 Sorry', 'ada@example.net'), fields('5.0.0', '550 Sorry', 'ben@example.net')],
      said,
    );
    expect((await read(both))[1]).not.toBe(dead);
  });

  it('names whole addresses, and none of the header that a report repeats', async () => {
    const mail = free(
      [
        ...['Your message', '', '  To:      list@example.co.uk', '  Subject: News', '  Sent:    Mon, 4 May 2026', ''],
        ...['did not reach the following recipient(s):', '', 'ada@shop-one.co.uk on Mon, 4 May 2026 10:00:00 +0000'],
        ...['    The recipient name is not recognized'],
      ],
      { Subject: 'Undeliverable: News' },
    );
    const report = await readReport(Buffer.from(mail));
    expect(report).toMatchObject({
      kind: 'bounce',
      recipients: [{ address: 'ada@shop-one.co.uk', bounceType: 'HARD' }],
    });
  });

  it.each([
    ['550 5.1.351 Remote server returned unknown recipient or mailbox unavailable', dead],
    ['550 5.4.312 Message expired, DNS query failed temporarily', 'SOFT TRANSIENT'],
    ['550 5.0.350 Remote server said: mailbox full', 'SOFT MAILBOX_FULL'],
    ['550 5.7.511 Access denied, banned sender', 'SOFT POLICY'],
  ])('is in the words where a provider has codes of its own: %s is %s', async (diagnostic, expected) => {
    const [status] = /5\.\d\.\d{3}/.exec(diagnostic)!;
    expect(await read(dsn([fields(status, diagnostic)]))).toEqual([expected]);
  });

  it.each([
    ['ディレクトリのリストにありません', dead],
    ['Esta casilla ha expirado por falta de uso.', 'SOFT TRANSIENT'],
    ['Das Postfach wurde gesperrt.', 'SOFT TRANSIENT'],
    ['Le compte est suspendu ; cette boîte est suspendue.', 'SOFT TRANSIENT'],
  ])('is read in other languages: %s is %s', async (text, expected) => {
    expect(await read(free(['Message non remis.', '', 'ada@example.net', text]))).toEqual([expected]);
  });
});

describe('a report', () => {
  it('names each recipient, also without a blank line between their fields', async () => {
    const [full, none] = [
      ['Original-Recipient: rfc822; ben@example.net', ...fields('5.2.2', '552 5.2.2 Mailbox full', 'ben@example.net')],
      ['Original-Recipient: rfc822; ada@example.net', ...fields('5.1.1', '550 5.1.1 User unknown')],
    ] as const;
    expect(await read(dsn([[...full, ...none]]))).toEqual(['SOFT MAILBOX_FULL', dead]);
    expect(await read(dsn([[...full.slice(1), full[0], ...none.slice(1), none[0]]]))).toEqual([
      'SOFT MAILBOX_FULL',
      dead,
    ]);
  });

  it('with Action: expired is a failure after every attempt', async () => {
    const mail = dsn([[...fields('', 'Connection timed out', 'ada@example.net', 'expired')]]);
    const report = await readReport(Buffer.from(mail));
    expect(report).toMatchObject({
      kind: 'bounce',
      recipients: [{ action: 'failed', bounceType: 'SOFT', bounceCategory: 'TRANSIENT' }],
    });
  });

  it.each<[string, string, string]>([
    [
      'Amazon SES by SNS',
      free(
        [
          '{"Type": "Notification", "Message": "{\\"notificationType\\":\\"Bounce\\",\\"bounce\\":{\\"bouncedRecipients\\":[{\\"emailAddress\\":\\"ada@example.net\\",\\"status\\":\\"5.1.1\\",\\"diagnosticCode\\":\\"smtp; 550 5.1.1 user unknown\\"}]}}"}',
        ],
        { From: 'SES <no-reply@sns.amazonaws.com>', Subject: 'AWS Notification Message' },
      ),
      dead,
    ],
    [
      'a mail server for Java',
      free(
        [
          'Error: Invalid user address',
          '',
          'Error message below:',
          '550 - no such user here',
          '  RCPT TO: ada@example.net',
        ],
        {
          From: 'post_master@text.example',
          Subject: 'Re: News',
        },
      ),
      'SOFT OTHER',
    ],
    [
      'a mail server for Java, about a domain',
      free(
        [
          "I'm afraid I wasn't able to deliver your message to the following addresses.",
          '',
          'ada@example.net',
          'There are no DNS entries for the hostname example.net.',
        ],
        { From: 'postmaster@mx.example.org', Subject: 'Re: News' },
      ),
      noHost,
    ],
    [
      'a list manager',
      free(['You are not a member of this mailing list <cats@example.org>.'], {
        From: 'cats-admin@example.org',
        Subject: 'You ada@example.net are not member',
        'X-MLServer': 'a list server',
      }),
      'SOFT POLICY',
    ],
    [
      'a gateway that calls itself an answering machine',
      free(
        [
          'We had trouble delivering your message. Details follow:',
          '',
          'Permanent errors: ada@example.net. Reason: quota exceeded',
        ],
        {
          From: 'mailer-daemon',
          Subject: 'There was an error sending your mail',
          'Auto-Submitted': 'auto-replied',
        },
      ),
      'SOFT MAILBOX_FULL',
    ],
    [
      'an old qmail',
      free(
        ['Hi. The following message could not be delivered:', '', '<ada@example.net>:', 'No mailbox here by that name'],
        {
          Subject: 'Undeliverable message',
        },
      ),
      dead,
    ],
    [
      'a carrier',
      free(['The following recipients did not receive this message:', '', '<ada@example.net>', '  user unknown'], {
        From: 'Postmaster@carrier.example',
        Subject: 'Mail System Error - Returned Mail',
      }),
      'SOFT OTHER',
    ],
  ])('without a report part is recognised from %s', async (_, mail, expected) => {
    expect(await read(mail)).toEqual([expected]);
  });

  it('is read where the fields of its parts are broken', async () => {
    const mail = crlf([
      ...['From: post_master@text.example', 'Subject: Re: News', 'MIME-Version: 1.0'],
      ...[
        'Content-Type: multipart/mixed; boundary="a"',
        '',
        '--a',
        'Content-Type: multipart/alternative;',
        'boundary="b"',
      ],
      ...['', '--b', 'Content-Type: text/plain', '', 'Error: Invalid user address', '', 'Error message below:'],
      ...['550 5.1.1 - Requested action not taken: no such user here', '', '--b--', '', '--a--', ''],
    ]);
    expect(await read(mail)).toEqual([dead]);
  });

  it.each([
    ['an absence', 'Out of Office: News', 'I am away. Your message was not delivered to me.', {}],
    ['an automatic reply', 'Re: News', 'I did not receive this message yet.', { 'Auto-Submitted': 'auto-replied' }],
    ['an absence in German', 'Abwesend: News', 'Ich bin nicht erreichbar.', {}],
  ])('is not %s', async (_, Subject, text, change) => {
    const mail = free([text], { From: 'Ada <ada@example.net>', Subject, 'Return-Path': '<>', ...change });
    expect((await read(mail))[0]).toMatch(/^(?:auto-reply|no report)$/);
  });
});
