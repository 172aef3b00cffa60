import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { connect as tls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import type { Client } from '#bus';
import { domainRequests, feedbackRequests } from '#contracts';
import { uuidOf } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import { createLogger } from '#observability';
import { CallContexts, readEnvironment } from '#service-host';
import { SmtpSink, until } from '#testing';
import { environmentFor } from '../../../test/plans.js';
import { deliveryEnvironment } from '../src/config.js';
import { BounceRepository } from '../src/bounce/bounce.repository.js';
import { emailParts } from '../src/delivery.module.js';
import { SmtpListener } from '../src/smtp/smtp-listener.worker.js';
import { people, SendWorld } from './send-world.js';
import { receivedBy } from './receiving-server.js';
import type { Sending } from './send-world.js';

const config = readEnvironment(deliveryEnvironment, environmentFor('postgres://localhost/unused'));

describe('the SMTP door', () => {
  let world: SendWorld;
  let sink: SmtpSink;
  let shop: Sending;
  /** Of another cell. */
  let far: Sending;
  let listener: SmtpListener;
  let token: string;
  let readOnly: string;
  /** Bounces of another cell. */
  const handedOn: { cell: string; returnPath: string }[] = [];
  beforeAll(async () => {
    world = await SendWorld.start();
    sink = await SmtpSink.start();
    shop = await world.organization();
    far = await world.organization();
    world.engine(sink.url);
    const makeToken = async (scopes: ('read' | 'send')[]) =>
      (
        await world.tidings
          .client(domainRequests)
          .create_token(
            { ...{ organizationId: shop.organizationId, name: 'mail' }, scopes },
            world.tidings.caller(shop),
          )
      ).secret;
    [token, readOnly] = [await makeToken(['send']), await makeToken(['read'])];
    listener = new SmtpListener({
      ...emailParts(config, { bus: world.tidings.bus }),
      domain: placing(world.tidings.client(domainRequests)),
      contexts: new CallContexts('delivery', world.database, () => undefined),
      log: createLogger('delivery', 'silent'),
      ...{ host: '127.0.0.1', port: 0, name: 'mx.tidings.internal', tls: null },
      cell: {
        ...{ own: 'home', home: 'home' },
        feedbackIn: (cell) => ({
          take_bounce: ({ returnPath }) => {
            handedOn.push({ cell, returnPath });
            return Promise.resolve({ outcome: 'recorded' });
          },
        }),
      },
    });
    listener.start();
    await listener.ready;
  });
  afterAll(async () => {
    await listener.stop();
    await world.stop();
    await sink.stop();
  });

  /** The domain service, where one organization is of another cell. */
  const placing = (domain: Client<typeof domainRequests>): Client<typeof domainRequests> => {
    const cellOf = (organizationId: string) => (organizationId === far.organizationId ? 'there' : null);
    return {
      ...domain,
      authenticate_token: async (...asked) => {
        const { token: known } = await domain.authenticate_token(...asked);
        return { token: known && { ...known, cell: cellOf(known.organizationId) } };
      },
      get_organization: async (...asked) => {
        const { organization } = await domain.get_organization(...asked);
        return { organization: { ...organization, cell: cellOf(organization.id) } };
      },
    };
  };
  const client = (pass = token, more: object = {}) =>
    createTransport({
      ...{ host: '127.0.0.1', port: listener.port, auth: { user: 'anything', pass }, requireTLS: true },
      ...{ tls: { rejectUnauthorized: false }, ...more },
    });
  const mail = (change: SendMailOptions = {}): SendMailOptions => ({
    ...{ from: `Garden Shop <orders@${shop.sender.domain}>`, to: 'ada@smtp.internal', subject: 'Rechnung für Ada' },
    ...{ text: 'Danke schön', html: '<p>Danke schön</p>', ...change },
  });
  const submit = async (change: SendMailOptions = {}, by = client()) => (await by.sendMail(mail(change))).response;
  const refusal = (change: SendMailOptions, by = client()) =>
    by.sendMail(mail(change)).then(
      () => 'taken',
      (error: Error & { response?: string }) => error.response ?? error.message,
    );
  const arrived = async (address: string) => {
    await until(`${address} has mail`, () => sink.messages.some(({ to }) => to === address));
    return sink.messages.find(({ to }) => to === address)!;
  };
  /** Speaks SMTP line by line. @returns the replies */
  const speak = async (lines: string[]): Promise<string[]> => {
    const socket = connect(listener.port, '127.0.0.1');
    const replies: string[] = [];
    let left = [...lines];
    await new Promise<void>((resolve, reject) => {
      socket
        .setEncoding('latin1')
        .on('error', reject)
        .on('close', () => resolve());
      let text = '';
      socket.on('data', (chunk: string) => {
        text += chunk;
        if (!/^\d{3} .*\r\n$/m.test(text.slice(text.lastIndexOf('\n', text.length - 2) + 1))) return;
        replies.push(text.trim().split('\r\n').at(-1)!);
        text = '';
        const [next, ...rest] = left;
        left = rest;
        if (next !== undefined) socket.write(`${next}\r\n`);
        else if (!socket.writableEnded) socket.end('QUIT\r\n');
      });
    });
    return replies;
  };
  const rowOf = async (email: string) => {
    const [row] = await world.database.query<
      { organization_id: string; message_id: string; month: string; state: string; kind: string }[]
    >(
      `select organization_id, message_id, to_char(period, 'YYYY-MM') as month, state, kind from message where email = $1 order by message_id desc limit 1`,
      [email],
    );
    return row!;
  };
  const returnPathOf = async (email: string) => {
    const { organization_id: organizationId, message_id: messageId, month: period } = await rowOf(email);
    const tokens = new LinkTokens(deriveKey(config.MASTER_KEY, 'links'));
    return `b.${tokens.seal('return-path', { organizationId, messageId, period })}@${shop.sender.mailFromDomain}`;
  };
  const dsn = (address: string, status: string, text: string) =>
    [
      ...['From: <MAILER-DAEMON@mx.internal>', 'Subject: Undelivered Mail', 'MIME-Version: 1.0'],
      ...['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', '', '--b'],
      ...['Content-Type: text/plain', '', 'It came back.', '', '--b', 'Content-Type: message/delivery-status', ''],
      ...['Reporting-MTA: dns; mx.internal', '', `Final-Recipient: rfc822; ${address}`, 'Action: failed'],
      ...[`Status: ${status}`, `Diagnostic-Code: smtp; ${text}`, '', '--b--', ''],
    ].join('\r\n');
  const bounce = (to: string, raw: string, from = '') =>
    client('', { auth: undefined }).sendMail({ envelope: { from, to: [to] }, raw });
  const statusOf = async (email: string) => {
    await world.tidings.deliverEvents();
    const found = await world.tidings.data<{ subscriber: { status: string } }>('get_subscriber', { email }, shop);
    return found.subscriber.status;
  };

  it('takes mail with a token over STARTTLS, signs it, keeps attachments and takes it apart', async () => {
    const content = Buffer.from([0, 255, 128, 10]);
    const answer = await submit({
      ...{ cc: 'bob@smtp.internal', bcc: 'secret@smtp.internal', messageId: '<mine@elsewhere>' },
      ...{ attachments: [{ filename: 'invoice.pdf', content }], headers: { 'X-Order': '4711' } },
    });
    expect(answer).toMatch(/^250 2\.0\.0 Ok: queued as msg_[0-9a-z]{26}$/);
    const { raw, from } = await arrived('ada@smtp.internal');
    await Promise.all(['bob@smtp.internal', 'secret@smtp.internal'].map(arrived));
    expect(from).toMatch(/^b\.[0-9a-z]{62}@/);
    expect(raw).toMatch(/^X-Order: 4711\r$/m);
    expect(raw).toContain(content.toString('base64'));
    expect(raw).not.toMatch(/secret@|mine@elsewhere/);
    const verdict = await receivedBy(world.tidings, shop, { raw: Buffer.from(raw, 'latin1'), from });
    expect(verdict).toMatchObject({ dkim: ['pass'], spf: 'pass', dmarc: 'pass' });
    const [stored] = await world.database.query<{ html: string; text: string; kind: string }[]>(
      `select c.html, c.text, m.kind from message m join message_content c using (period, organization_id, message_id)
       where m.email = 'ada@smtp.internal'`,
    );
    expect(stored).toMatchObject({ html: expect.stringContaining('Danke schön'), kind: 'SMTP' });
    expect(await statusOf('bob@smtp.internal')).toBe('TRANSACTIONAL');
  });

  it('composes eight-bit and overlong bodies anew, and adds no header for any line break', async () => {
    const raw = [
      `From: orders@${shop.sender.domain}\r\nTo: eight@smtp.internal\r\nSubject: x\n`,
      `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`,
      `Grüße ${'w'.repeat(1200)}\rBcc: eve@smtp.internal\n`,
    ].join('');
    await client().sendMail({ envelope: { from: 'a@b.internal', to: ['eight@smtp.internal'] }, raw });
    const { raw: sent } = await arrived('eight@smtp.internal');
    expect(sent.split('\r\n').every((line) => line.length <= 998 && !/[\x80-\xff\r\n]/.test(line))).toBe(true);
    expect(sent.slice(0, sent.indexOf('\r\n\r\n'))).not.toMatch(/bcc/i);
    expect(sinkHas('eve@smtp.internal')).toBe(false);
  });
  const sinkHas = (address: string) => sink.messages.some(({ to }) => to === address);

  it('answers each recipient by itself: dead ones, test addresses, and those the guard holds back', async () => {
    await submit({ to: 'dead@smtp.internal' });
    await arrived('dead@smtp.internal');
    await until('it is recorded', async () => (await rowOf('dead@smtp.internal')).state === 'DELIVERED');
    await bounce(
      await returnPathOf('dead@smtp.internal'),
      dsn('dead@smtp.internal', '5.1.1', '550 5.1.1 No such user'),
    );
    expect(await statusOf('dead@smtp.internal')).toBe('BOUNCED');
    for (let n = 0; n < 5; n++) await submit({ to: 'often@smtp.internal' });
    const info = await client().sendMail(
      mail({ to: ['dead@smtp.internal', 'often@smtp.internal', 'fine@smtp.internal', 'test@example.com'] }),
    );
    expect(info.accepted).toEqual(['fine@smtp.internal', 'test@example.com']);
    expect(info.rejectedErrors?.map(({ response }) => response?.slice(0, 9))).toEqual(['550 5.7.1', '450 4.7.1']);
    await arrived('fine@smtp.internal');
    await until('it is simulated', async () => (await rowOf('test@example.com')).state === 'DELIVERED');
    expect(sinkHas('test@example.com')).toBe(false);
  });

  it('accepts a key once: the same mail again answers the same id, another is refused', async () => {
    const once = { to: 'once@smtp.internal', headers: { 'X-Idempotency-Key': 'order-1' }, date: new Date(0) };
    const raw = `From: orders@${shop.sender.domain}\r\nX-Idempotency-Key: order-1\r\nSubject: x\r\n\r\nHello\r\n`;
    const send = (text: string) =>
      client()
        .sendMail({ envelope: { from: 'a@b.internal', to: [once.to] }, raw: text })
        .then(
          ({ response }) => response,
          (error: { response: string }) => error.response,
        );
    const [first, second] = [await send(raw), await send(raw)];
    expect(second).toBe(first);
    expect(await send(`${raw}More\r\n`)).toMatch(/^550 5\.7\.1 .*order-1/);
    expect((await arrived(once.to)).raw).not.toContain('order-1');
  });

  it('knows the same mail again that its client writes anew, with another Message-ID, date and boundary', async () => {
    const attachments = [{ filename: 'invoice.pdf', content: Buffer.from([1, 255]) }];
    const again = { to: 'anew@smtp.internal', headers: { 'X-Idempotency-Key': 'order-2' }, attachments };
    const first = await submit({ ...again, date: new Date(0) });
    expect(await submit(again)).toBe(first);
    expect(await refusal({ ...again, subject: 'Another' })).toMatch(/^550 5\.7\.1 .*order-2/);
    const other = [{ ...attachments[0]!, content: Buffer.from([2, 255]) }];
    expect(await refusal({ ...again, attachments: other })).toMatch(/^550 5\.7\.1 .*order-2/);
  });

  it('refuses wrong tokens, foreign senders, and what is too large', async () => {
    expect(await refusal({}, client('tdg_wrong'))).toMatch(/^535 5\.7\.8/);
    expect(await refusal({}, client(readOnly))).toMatch(/^535 5\.7\.8/);
    expect(await refusal({ from: 'me@elsewhere.internal' })).toMatch(/^550 5\.7\.1/);
    expect(
      await refusal({ raw: 'Subject: x\r\n\r\nHello', envelope: { from: 'a@b.c', to: ['ada@smtp.internal'] } }),
    ).toMatch(/^550 5\.6\.0/);
    expect(await refusal({ text: 'x'.repeat(11 * 1024 * 1024) })).toMatch(/^552/);
  });

  it('goes by what the token may now, not by what it might when the session began', async () => {
    const own = await world.organization();
    const domain = world.tidings.client(domainRequests);
    const operator = world.tidings.caller({ organizationId: '' });
    const made = await domain.create_token(
      { organizationId: own.organizationId, name: 'long', scopes: ['send'] },
      operator,
    );
    const session = client(made.secret, { pool: true, maxConnections: 1 });
    const from = `orders@${own.sender.domain}`;
    const set = (change: object) =>
      domain.set_organization({ organizationId: own.organizationId, ...change }, operator);
    const next = () => refusal({ from, to: 'long@example.com' }, session);
    expect(await next()).toBe('taken');
    await set({ quotas: { mailsPerMonth: 1 } });
    expect(await next()).toMatch(/^451 4\.7\.1 .*may have 1 emails a month/);
    await set({ quotas: { mailsPerMonth: null }, ratePerMinute: 1 });
    expect(await next()).toMatch(/^451 4\.7\.1 More than 1 messages a minute/);
    await set({ ratePerMinute: null });
    expect(await next()).toBe('taken');
    await domain.revoke_token({ tokenId: made.token.id }, operator);
    expect(await next()).toMatch(/^530 5\.7\.0/);
    session.close();
  });

  it('sends whoever is of another cell to the door of that cell, and hands its bounces on', async () => {
    const asked = { organizationId: far.organizationId, name: 'mail' };
    const linkTokens = new LinkTokens(deriveKey(config.MASTER_KEY, 'links'));
    const { secret } = await world.tidings.client(domainRequests).create_token(asked, world.tidings.caller(far));
    expect(await refusal({}, client(secret))).toMatch(/^535 5\.7\.0 .* cell there/);
    const about = { organizationId: uuidOf('org', far.organizationId)!, messageId: randomUUID(), period: '2026-11' };
    const returnPath = `b.${linkTokens.seal('return-path', about)}@${far.sender.mailFromDomain}`;
    await bounce(returnPath, dsn('ada@far.internal', '5.1.1', 'gone'));
    const ours = { ...about, organizationId: uuidOf('org', shop.organizationId)! };
    await bounce(`b.${linkTokens.seal('return-path', ours)}@x.internal`, dsn('ada@far.internal', '5.1.1', 'gone'));
    expect(handedOn).toEqual([{ cell: 'there', returnPath }]);
  });

  it('is no relay for who has no token', async () => {
    const replies = await speak(['EHLO x', 'MAIL FROM:<a@b.internal>', 'MAIL FROM:<>', 'RCPT TO:<ada@smtp.internal>']);
    expect(replies.slice(2, 5).map((reply) => reply.slice(0, 9))).toEqual(['530 5.7.0', '250 Accep', '550 5.7.1']);
    const returnPath = await returnPathOf('ada@smtp.internal');
    const forged = returnPath.replace(/^b\.(.)/, (_, first: string) => `b.${first === 'a' ? 'b' : 'a'}`);
    expect(
      await bounce(forged, dsn('ada@smtp.internal', '5.1.1', 'gone')).catch(
        ({ response }: { response: string }) => response,
      ),
    ).toMatch(/^550 5\.7\.1 Relaying denied/);
    expect((await rowOf('ada@smtp.internal')).state).toBe('DELIVERED');
  });

  it('is no relay for any of the ways that relays were fooled', async () => {
    const { domain, mailFromDomain } = shop.sender;
    const far = 'eve@elsewhere.internal';
    const senders = ['', `a@${domain}`, `a@${mailFromDomain}`, 'a@localhost', 'a@[127.0.0.1]', 'a'];
    const recipients = [
      ...[far, `"${far}"`, `"eve%elsewhere.internal"`, `eve%elsewhere.internal@${domain}`, `"${far}"@${domain}`],
      ...[`${far}@${domain}`, `@${domain}:${far}`, `@${mailFromDomain}:${far}`, `elsewhere.internal!eve`],
      ...[`elsewhere.internal!eve@${domain}`, `eve@elsewhere.internal@[127.0.0.1]`, `eve%elsewhere.internal@localhost`],
      ...[`eve@${domain}`, 'postmaster', `b.${'a'.repeat(62)}@${mailFromDomain}`, ''],
    ];
    for (const to of recipients) {
      const tried = senders.flatMap((from) => ['RSET', `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`]);
      const replies = await speak(['EHLO x', ...tried]);
      expect(replies.filter((_reply, n) => n > 1 && n % 3 === 1).map((reply) => reply[0])).toEqual(
        senders.map(() => '5'),
      );
    }
  });

  it('ends a mail at CRLF dot CRLF only, so that none is hidden in another', async () => {
    const hidden = (end: string) =>
      `x${end}MAIL FROM:<a@${shop.sender.domain}>\r\nRCPT TO:<hidden@smtp.internal>\r\nDATA`;
    const ends = ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r', '\n.\r', '\r\n\0.\r\n'];
    const login = Buffer.from(`\0any\0${token}`).toString('base64');
    for (const end of ends) {
      const to = `visible${ends.indexOf(end)}@smtp.internal`;
      const head = `From: orders@${shop.sender.domain}\r\nSubject: one\r\n\r\n`;
      const replies = await speak([
        ...['EHLO x', `AUTH PLAIN ${login}`, `MAIL FROM:<a@${shop.sender.domain}>`, `RCPT TO:<${to}>`, 'DATA'],
        `${head}${hidden(end)}\r\n.`,
      ]);
      expect(replies.at(-2)).toMatch(/^250 2\.0\.0 Ok: queued/);
      expect((await arrived(to)).raw).toContain('hidden@smtp.internal');
    }
    expect(sinkHas('hidden@smtp.internal')).toBe(false);
  });

  it('takes a mail with NUL in it, encoded or not', async () => {
    const raw = [
      `From: orders@${shop.sender.domain}\r\nSubject: =?utf-8?Q?a=00b?=\r\nMIME-Version: 1.0\r\n`,
      `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
      `${Buffer.from('one\0two').toString('base64')}\r\n\0`,
    ].join('');
    await client().sendMail({ envelope: { from: 'a@b.internal', to: ['nul@smtp.internal'] }, raw });
    expect((await arrived('nul@smtp.internal')).raw).toContain('Subject: =?utf-8?Q?a=00b?=');
  });

  it('forgets what was said before the encryption', async () => {
    const socket = connect(listener.port, '127.0.0.1');
    await until('it greets', () => socket.read() !== null);
    socket.write('STARTTLS\r\nEHLO injected\r\nNOOP\r\n');
    await until('it is ready', () => /^220 /.test(String(socket.read() ?? '')));
    const safe = tls({ socket, rejectUnauthorized: false });
    let said = '';
    safe.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => safe.on('secureConnect', resolve));
    safe.write('QUIT\r\n');
    await new Promise((resolve) => safe.on('close', resolve));
    expect(said).toMatch(/^221 [^\n]*\n$/);
  });

  it('hangs up on who guesses tokens', async () => {
    const guess = `AUTH PLAIN ${Buffer.from('\0any\0tdg_wrong').toString('base64')}`;
    const replies = await speak(['EHLO x', ...Array.from({ length: 6 }, () => guess)]);
    expect(replies.slice(2).map((reply) => reply.slice(0, 3))).toEqual(['535', '535', '535', '421']);
  });

  it('story 10: counts a bounce that comes hours later: the campaign, its analytics, health and the person know of it', async () => {
    const send = await world.send(shop, await world.audience(shop, people(4, 'late.internal')));
    await world.finished(send);
    expect(await world.progress(send)).toMatchObject({ sent: 4, delivered: 4, bounced: 0 });
    for (const { email } of people(2, 'late.internal')) {
      const returnPath = await returnPathOf(email);
      await bounce(returnPath, dsn(email, '5.1.1', '550 5.1.1 No such user'));
      await bounce(returnPath, dsn(email, '5.1.1', '550 5.1.1 No such user'));
    }
    expect(await world.checked(send)).toMatchObject({ sent: 4, delivered: 2, bounced: 2 });
    expect(await statusOf('p0@late.internal')).toBe('BOUNCED');
    const health = await world.tidings.data<{ bounced: number }>('get_deliverability_health', { sinceDays: 1 }, shop);
    expect(health.bounced).toBe(3);
    const [row] = await world.database.query<[{ n: number }]>(
      `select count(*)::int as n from bounce_report where class = 'bounced'`,
    );
    expect(row.n).toBe(3);
  });

  it('holds a full mailbox and a delay against nobody, and a complaint by Message-ID against one', async () => {
    await bounce(await returnPathOf('p2@late.internal'), dsn('p2@late.internal', '4.2.2', '452 4.2.2 Over quota'));
    expect((await rowOf('p2@late.internal')).state).toBe('BOUNCED');
    expect(await statusOf('p2@late.internal')).toBe('SUBSCRIBED');
    const delayed = dsn('p3@late.internal', '4.4.1', 'Connection timed out').replace('failed', 'delayed');
    await bounce(await returnPathOf('p3@late.internal'), delayed);
    expect((await rowOf('p3@late.internal')).state).toBe('DELIVERED');
    const { message_id: id } = await rowOf('p3@late.internal');
    const arf = [
      ...['From: fbl@provider.internal', 'Subject: abuse', 'MIME-Version: 1.0'],
      ...['Content-Type: multipart/report; report-type=feedback-report; boundary="b"', '', '--b'],
      ...['Content-Type: text/plain', '', 'A report.', '', '--b', 'Content-Type: message/feedback-report', ''],
      ...['Feedback-Type: abuse', 'User-Agent: Fbl/1', 'Version: 1', '', '--b', 'Content-Type: message/rfc822', ''],
      ...['To: redacted@late.internal', `Message-ID: <${id}@shop.internal>`, '', 'Hello', '--b--', ''],
    ].join('\r\n');
    const record = () =>
      world.tidings
        .client(feedbackRequests)
        .record_mail_report({ raw: Buffer.from(arf).toString('base64') }, world.tidings.caller({ organizationId: '' }));
    expect([await record(), await record()]).toEqual([
      { recorded: 1, unknown: 0 },
      { recorded: 0, unknown: 0 },
    ]);
    expect((await rowOf('p3@late.internal')).state).toBe('COMPLAINED');
    expect(await statusOf('p3@late.internal')).toBe('COMPLAINED');
    expect(uuidOf('org', shop.organizationId)).toBe((await rowOf('p3@late.internal')).organization_id);
  });

  it('finds by its address which of several messages came back, and believes no Message-ID of a stranger', async () => {
    const both = ['first@several.internal', 'second@several.internal'];
    for (const to of both) await submit({ to });
    const states = async () => (await Promise.all(both.map(rowOf))).map(({ state }) => state);
    await until('both are recorded', async () => (await states()).every((state) => state === 'DELIVERED'));
    const paths = await Promise.all(both.map(returnPathOf));
    const { message_id: id } = await rowOf('first@several.internal');
    const report = dsn('second@several.internal', '5.1.1', '550 5.1.1 No such user');
    // To a return path that nobody signed, and to the one of the second with the first one's Message-ID.
    await expect(bounce(`b.${'a'.repeat(62)}@${shop.sender.mailFromDomain}`, report)).rejects.toThrow(
      'Relaying denied',
    );
    const several = report.replace('It came back.', `It came back: ${paths.join(' ')} <${id}@shop.internal>`);
    const asked = { raw: Buffer.from(several).toString('base64') };
    await world.tidings
      .client(feedbackRequests)
      .record_mail_report(asked, world.tidings.caller({ organizationId: '' }));
    expect(await states()).toEqual(['DELIVERED', 'BOUNCED']);
  });

  it('asks to be told again of a message that is just being handed over', async () => {
    const to = 'quick@later.internal';
    await submit({ to });
    await until('it is recorded', async () => (await rowOf(to)).state === 'DELIVERED');
    const report = dsn(to, '5.1.1', '550 5.1.1 No such user').replace('It came back.', await returnPathOf(to));
    const record = () =>
      world.tidings
        .client(feedbackRequests)
        .record_mail_report(
          { raw: Buffer.from(report).toString('base64') },
          world.tidings.caller({ organizationId: '' }),
        );
    const set = (state: string) =>
      world.database.query(`update message set state = $1, owner = $2 where email = $3`, [state, randomUUID(), to]);
    await set('HANDING_OVER');
    expect(await record()).toEqual({ recorded: 0, unknown: 0, later: 1 });
    await set('DELIVERED');
    expect(await record()).toEqual({ recorded: 1, unknown: 0 });
  });

  it('story 26: keeps reports for 30 days', async () => {
    const count = async () =>
      (await world.database.query<[{ n: number }]>(`select count(*)::int as n from bounce_report`))[0].n;
    const before = await count();
    expect(before).toBeGreaterThan(0);
    await world.database.query(
      `insert into bounce_report (organization_id, report_id, class, raw)
       select $1, uuid_floor(clock_timestamp() - interval '31 days'), 'bounced', 'old'`,
      [uuidOf('org', shop.organizationId)],
    );
    expect(await new BounceRepository(world.database.manager).deleteOld()).toBe(1);
    expect(await count()).toBe(before);
  });
});
