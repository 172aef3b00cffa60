import { randomUUID, X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { uuidOf } from '#database';
import { createLogger } from '#observability';
import { until } from '#testing';
import { createSelfSignedCertificate } from '../../src/accept/smtp/self-signed-certificate.js';
import { receivedBy } from '../receiving-server.js';
import { dsn, linkTokens, ListenerFixture } from './listener-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('mail submitted over SMTP', () => {
  const smtpListener = useFixture(() => ListenerFixture.start());

  it('takes mail with a token over STARTTLS, signs it, keeps attachments and takes it apart', async () => {
    const content = Buffer.from([0, 255, 128, 10]);
    const answer = await smtpListener.submit({
      cc: 'bob@smtp.internal',
      bcc: 'secret@smtp.internal',
      messageId: '<mine@elsewhere>',
      attachments: [{ filename: 'invoice.pdf', content }],
      headers: { 'X-Order': '4711' },
    });
    expect(answer).toMatch(/^250 2\.0\.0 Ok: queued as msg_[0-9a-z]{26}$/);
    const { raw, from } = await smtpListener.arrived('ada@smtp.internal');
    await Promise.all(['bob@smtp.internal', 'secret@smtp.internal'].map((email) => smtpListener.arrived(email)));
    expect(from).toMatch(/^b\.[0-9a-z]{62}@/);
    expect(raw).toMatch(/^X-Order: 4711\r$/m);
    expect(raw).toContain(content.toString('base64'));
    expect(raw).not.toMatch(/secret@|mine@elsewhere/);
    const verdict = await receivedBy(smtpListener.world.tidings, smtpListener.tenant, {
      raw: Buffer.from(raw, 'latin1'),
      from,
    });
    expect(verdict).toMatchObject({ dkim: ['pass'], spf: 'pass', dmarc: 'pass' });
    const [stored] = await smtpListener.world.database.query<{ html: string; text: string; kind: string }[]>(
      `select c.html, c.text, m.kind from message m join message_content c using (period, organization_id, message_id)
       where m.email = 'ada@smtp.internal'`,
    );
    expect(stored).toMatchObject({ html: expect.stringContaining('Danke schön'), kind: 'SMTP' });
    expect(await smtpListener.statusOf('bob@smtp.internal')).toBe('TRANSACTIONAL');
  });

  it('shows a valid certificate of its own where none is set, with a new key at each start', async () => {
    const [first, again] = [await smtpListener.certificate(), await smtpListener.certificate()];
    expect(again.fingerprint256).toBe(first.fingerprint256);
    expect(Date.parse(first.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(first.validTo)).toBeGreaterThan(Date.now() + 360 * 86_400_000);
    expect(first.subject).toBe('CN=bounces.tidings.internal');
    expect(first.subjectAltName).toBe('DNS:bounces.tidings.internal, DNS:mx.tidings.internal, DNS:localhost');
    // A client that trusts the certificate accepts it for its names.
    for (const servername of ['bounces.tidings.internal', 'mx.tidings.internal', 'localhost']) {
      const client = smtpListener.client(undefined, { tls: { ca: first.toString(), servername } });
      await expect(client.verify()).resolves.toBe(true);
      client.close();
    }
    const second = smtpListener.newListener();
    second.start();
    await second.ready;
    const other = await smtpListener.certificate(second.port);
    await second.stop();
    expect(other.publicKey.equals(first.publicKey)).toBe(false);
    expect(other.serialNumber).not.toBe(first.serialNumber);
  });

  it('shows the certificate that is set', async () => {
    const tls = createSelfSignedCertificate(['mx.shop.example'], new Date());
    const listener = smtpListener.newListener(0, undefined, { tls });
    listener.start();
    await listener.ready;
    const { fingerprint256 } = await smtpListener.certificate(listener.port);
    await listener.stop();
    expect(fingerprint256).toBe(new X509Certificate(tls.cert).fingerprint256);
  });

  it('recomposes eight-bit and overlong bodies, and adds no header for any line break', async () => {
    const raw = [
      `From: orders@${smtpListener.tenant.sender.domain}\r\nTo: eight@smtp.internal\r\nSubject: x\n`,
      `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`,
      `Grüße ${'w'.repeat(1200)}\rBcc: eve@smtp.internal\n`,
    ].join('');
    await smtpListener.client().sendMail({ envelope: { from: 'a@b.internal', to: ['eight@smtp.internal'] }, raw });
    const { raw: sent } = await smtpListener.arrived('eight@smtp.internal');
    expect(sent.split('\r\n').every((line) => line.length <= 998 && !/[\x80-\xff\r\n]/.test(line))).toBe(true);
    expect(sent.slice(0, sent.indexOf('\r\n\r\n'))).not.toMatch(/^bcc/im);
    expect(smtpListener.hasArrived('eve@smtp.internal')).toBe(false);
  });

  it('answers each recipient by itself: dead ones, test addresses, and those the guard holds back', async () => {
    await smtpListener.submit({ to: 'dead@smtp.internal' });
    await smtpListener.arrived('dead@smtp.internal');
    await until('it is recorded', async () => (await smtpListener.rowOf('dead@smtp.internal')).state === 'DELIVERED');
    await smtpListener.bounce(
      await smtpListener.returnPathOf('dead@smtp.internal'),
      dsn('dead@smtp.internal', '5.1.1', '550 5.1.1 No such user'),
    );
    expect(await smtpListener.statusOf('dead@smtp.internal')).toBe('BOUNCED');
    for (let n = 0; n < 5; n++) await smtpListener.submit({ to: 'often@smtp.internal' });
    const info = await smtpListener.client().sendMail(
      smtpListener.mail({
        to: ['dead@smtp.internal', 'often@smtp.internal', 'fine@smtp.internal', 'test@example.com'],
      }),
    );
    expect(info.accepted).toEqual(['fine@smtp.internal', 'test@example.com']);
    expect(info.rejectedErrors?.map(({ response }) => response?.slice(0, 9))).toEqual(['550 5.7.1', '450 4.7.1']);
    await smtpListener.arrived('fine@smtp.internal');
    await until('it is simulated', async () => (await smtpListener.rowOf('test@example.com')).state === 'DELIVERED');
    expect(smtpListener.hasArrived('test@example.com')).toBe(false);
  });

  it('accepts a key once: the same mail again answers the same id, another is refused', async () => {
    const once = { to: 'once@smtp.internal', headers: { 'X-Idempotency-Key': 'order-1' }, date: new Date(0) };
    const raw = `From: orders@${smtpListener.tenant.sender.domain}\r\nX-Idempotency-Key: order-1\r\nSubject: x\r\n\r\nHello\r\n`;
    const send = (text: string) =>
      smtpListener
        .client()
        .sendMail({ envelope: { from: 'a@b.internal', to: [once.to] }, raw: text })
        .then(
          ({ response }) => response,
          (error: { response: string }) => error.response,
        );
    const [first, second] = [await send(raw), await send(raw)];
    expect(second).toBe(first);
    expect(await send(`${raw}More\r\n`)).toMatch(/^550 5\.7\.1 .*order-1/);
    expect((await smtpListener.arrived(once.to)).raw).not.toContain('order-1');
  });

  it('recognizes the same mail when its client rewrites it with another Message-ID, date and boundary', async () => {
    const attachments = [{ filename: 'invoice.pdf', content: Buffer.from([1, 255]) }];
    const again = { to: 'anew@smtp.internal', headers: { 'X-Idempotency-Key': 'order-2' }, attachments };
    const first = await smtpListener.submit({ ...again, date: new Date(0) });
    expect(await smtpListener.submit(again)).toBe(first);
    expect(await smtpListener.refusal({ ...again, subject: 'Another' })).toMatch(/^550 5\.7\.1 .*order-2/);
    const other = [{ ...attachments[0]!, content: Buffer.from([2, 255]) }];
    expect(await smtpListener.refusal({ ...again, attachments: other })).toMatch(/^550 5\.7\.1 .*order-2/);
  });

  it('refuses wrong tokens, foreign senders, and oversized mail', async () => {
    expect(await smtpListener.refusal({}, smtpListener.client('tdg_wrong'))).toMatch(/^535 5\.7\.8/);
    expect(await smtpListener.refusal({}, smtpListener.client(await smtpListener.newToken(['read'])))).toMatch(
      /^535 5\.7\.8/,
    );
    const bound = await smtpListener.newToken(['send'], smtpListener.tenant, false);
    expect(await smtpListener.refusal({}, smtpListener.client(bound))).toMatch(/^535 5\.7\.8/);
    expect(await smtpListener.refusal({ from: 'me@elsewhere.internal' })).toMatch(/^550 5\.7\.1/);
    expect(
      await smtpListener.refusal({
        raw: 'Subject: x\r\n\r\nHello',
        envelope: { from: 'a@b.c', to: ['ada@smtp.internal'] },
      }),
    ).toMatch(/^550 5\.6\.0/);
    expect(await smtpListener.refusal({ text: 'x'.repeat(11 * 1024 * 1024) })).toMatch(/^552/);
  });

  it('refuses tokens whose toolsets have no emails, and all while every send of the organization needs approval', async () => {
    const own = await smtpListener.world.organization();
    const secret = await smtpListener.newToken(['send'], own);
    const change = (sql: string) =>
      smtpListener.world.tidings.dataSource('domain').query(sql, [uuidOf('org', own.organizationId)]);
    const refusal = async () => await smtpListener.refusal({}, smtpListener.client(secret));
    for (const toolsets of [`array['tags']`, 'null', `array['email']`]) {
      await change(`update api_token set toolsets = ${toolsets} where organization_id = $1`);
      const answer = await refusal();
      if (toolsets.includes('tags')) expect(answer).toMatch(/^535 5\.7\.8/);
      else expect(answer).not.toMatch(/^535/);
    }
    await change(`update organization set approvals = 'ALL' where organization_id = $1`);
    expect(await refusal()).toMatch(/^535 5\.7\.8/);
  });

  it('goes by what the token may now, not by what it might when the session began', async () => {
    const own = await smtpListener.world.organization();
    const domain = smtpListener.world.tidings.client(domainRequests);
    const operator = smtpListener.world.tidings.caller({ organizationId: '' });
    const made = await domain.create_token(
      { organizationId: own.organizationId, name: 'long', scopes: ['send'] },
      operator,
    );
    const session = smtpListener.client(made.secret, { pool: true, maxConnections: 1 });
    const from = `orders@${own.sender.domain}`;
    const set = (change: object) =>
      domain.set_organization({ organizationId: own.organizationId, ...change }, operator);
    const next = () => smtpListener.refusal({ from, to: 'long@example.com' }, session);
    expect(await next()).toBe('taken');
    await set({ quotas: { mailsPerMonth: 1 } });
    expect(await next()).toMatch(/^451 4\.7\.1 .*allows 1 emails a month/);
    await set({ quotas: { mailsPerMonth: null }, ratePerMinute: 1 });
    expect(await next()).toMatch(/^451 4\.7\.1 More than 1 messages a minute/);
    await set({ ratePerMinute: null });
    expect(await next()).toBe('taken');
    await domain.revoke_token({ tokenId: made.token.id }, operator);
    expect(await next()).toMatch(/^530 5\.7\.0/);
    session.close();
  });

  it('redirects clients of another cell to that cell’s listener, and forwards its bounces', async () => {
    const secret = await smtpListener.newToken(['send'], smtpListener.far);
    expect(await smtpListener.refusal({}, smtpListener.client(secret))).toMatch(/^535 5\.7\.0 .* cell there/);
    const about = {
      organizationId: uuidOf('org', smtpListener.far.organizationId)!,
      messageId: randomUUID(),
      period: '2026-11',
    };
    const returnPath = `b.${linkTokens.seal('return-path', about)}@${smtpListener.far.sender.mailFromDomain}`;
    await smtpListener.bounce(returnPath, dsn('ada@far.internal', '5.1.1', 'gone'));
    const tenant = { ...about, organizationId: uuidOf('org', smtpListener.tenant.organizationId)! };
    await smtpListener.bounce(
      `b.${linkTokens.seal('return-path', tenant)}@x.internal`,
      dsn('ada@far.internal', '5.1.1', 'gone'),
    );
    expect(smtpListener.handedOn).toEqual([{ cell: 'there', returnPath }]);
  });

  it('takes a mail with NUL in it, encoded or not', async () => {
    const raw = [
      `From: orders@${smtpListener.tenant.sender.domain}\r\nSubject: =?utf-8?Q?a=00b?=\r\nMIME-Version: 1.0\r\n`,
      `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
      `${Buffer.from('one\0two').toString('base64')}\r\n\0`,
    ].join('');
    await smtpListener.client().sendMail({ envelope: { from: 'a@b.internal', to: ['nul@smtp.internal'] }, raw });
    expect((await smtpListener.arrived('nul@smtp.internal')).raw).toContain('Subject: =?utf-8?Q?a=00b?=');
  });

  it('reports once that it cannot bind its port', async () => {
    const said: string[] = [];
    const log = Object.assign(createLogger('delivery', 'silent'), {
      warn: (_facts: object, text: string) => said.push(text),
    });
    const second = smtpListener.newListener(smtpListener.listener.port, log);
    second.start();
    await until('it says so', () => said.length > 0);
    second.start();
    await second.stop();
    expect(said).toEqual([expect.stringContaining('cannot bind its port')]);
  });
});
