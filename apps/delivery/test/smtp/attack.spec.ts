import { connect } from 'node:net';
import { connect as tls } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import { dsn, ListenerFixture } from './listener-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('the SMTP door under attack', () => {
  const smtpListener = useFixture(() => ListenerFixture.start());

  it('is no relay for who has no token', async () => {
    const replies = await smtpListener.speak([
      'EHLO x',
      'MAIL FROM:<a@b.internal>',
      'MAIL FROM:<>',
      'RCPT TO:<ada@smtp.internal>',
    ]);
    expect(replies.slice(2, 5).map((reply) => reply.slice(0, 9))).toEqual(['530 5.7.0', '250 Accep', '550 5.7.1']);
    await smtpListener.submit({ to: 'ada@smtp.internal' });
    await until('it is recorded', async () => (await smtpListener.rowOf('ada@smtp.internal')).state === 'DELIVERED');
    const returnPath = await smtpListener.returnPathOf('ada@smtp.internal');
    const forged = returnPath.replace(/^b\.(.)/, (_, first: string) => `b.${first === 'a' ? 'b' : 'a'}`);
    expect(
      await smtpListener
        .bounce(forged, dsn('ada@smtp.internal', '5.1.1', 'gone'))
        .catch(({ response }: { response: string }) => response),
    ).toMatch(/^550 5\.7\.1 Relaying denied/);
    expect((await smtpListener.rowOf('ada@smtp.internal')).state).toBe('DELIVERED');
  });

  it('is no relay for any of the ways that relays were fooled', async () => {
    const { domain, mailFromDomain } = smtpListener.tenant.sender;
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
      const replies = await smtpListener.speak(['EHLO x', ...tried]);
      expect(replies.filter((_reply, n) => n > 1 && n % 3 === 1).map((reply) => reply[0])).toEqual(
        senders.map(() => '5'),
      );
    }
  });

  it('ends a mail at CRLF dot CRLF only, so that none is hidden in another', async () => {
    const hidden = (end: string) =>
      `x${end}MAIL FROM:<a@${smtpListener.tenant.sender.domain}>\r\nRCPT TO:<hidden@smtp.internal>\r\nDATA`;
    const ends = ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r', '\n.\r', '\r\n\0.\r\n'];
    const login = Buffer.from(`\0any\0${await smtpListener.newToken(['send'])}`).toString('base64');
    for (const end of ends) {
      const to = `visible${ends.indexOf(end)}@smtp.internal`;
      const head = `From: orders@${smtpListener.tenant.sender.domain}\r\nSubject: one\r\n\r\n`;
      const replies = await smtpListener.speak([
        ...[
          'EHLO x',
          `AUTH PLAIN ${login}`,
          `MAIL FROM:<a@${smtpListener.tenant.sender.domain}>`,
          `RCPT TO:<${to}>`,
          'DATA',
        ],
        `${head}${hidden(end)}\r\n.`,
      ]);
      expect(replies.at(-2)).toMatch(/^250 2\.0\.0 Ok: queued/);
      expect((await smtpListener.arrived(to)).raw).toContain('hidden@smtp.internal');
    }
    expect(smtpListener.hasArrived('hidden@smtp.internal')).toBe(false);
  });

  it('discards commands received before STARTTLS', async () => {
    const socket = connect(smtpListener.listener.port, '127.0.0.1');
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
    const replies = await smtpListener.speak(['EHLO x', ...Array.from({ length: 6 }, () => guess)]);
    expect(replies.slice(2).map((reply) => reply.slice(0, 3))).toEqual(['535', '535', '535', '421']);
  });

  it('leaves places to others when one address takes many, and counts none that showed its token', async () => {
    const greeting = async () => {
      const socket = connect(smtpListener.listener.port, '127.0.0.1').setEncoding('latin1');
      return { socket, said: await new Promise<string>((resolve) => socket.once('data', resolve)) };
    };
    const idle = await Promise.all(Array.from({ length: 100 }, greeting));
    expect(idle.every(({ said }) => said.startsWith('220 '))).toBe(true);
    expect((await greeting()).said).toMatch(/^421 4\.7\.0 Too many connections/);
    const login = Buffer.from(`\0any\0${await smtpListener.newToken(['send'])}`).toString('base64');
    const { socket } = idle[0]!;
    let said = '';
    socket.on('data', (chunk: string) => (said += chunk)).write(`EHLO x\r\nAUTH PLAIN ${login}\r\n`);
    await until('it is known', () => /^235 /m.test(said));
    const next = await greeting();
    expect(next.said).toMatch(/^220 /);
    for (const one of [...idle, next]) one.socket.destroy();
    await until('all are forgotten', async () => {
      const again = await greeting();
      again.socket.destroy();
      return again.said.startsWith('220 ');
    });
  });

  it('takes a client with a token although others hold every place without one', async () => {
    const open = (localAddress: string) => {
      const socket = connect({ port: smtpListener.listener.port, host: '127.0.0.1', localAddress }).setEncoding(
        'latin1',
      );
      let said = '';
      socket.on('data', (chunk: string) => (said += chunk)).on('error', () => undefined);
      return { socket, said: () => said };
    };
    const idle = ['127.0.0.2', '127.0.0.3'].flatMap((address) => Array.from({ length: 100 }, () => open(address)));
    await until('all are greeted', () => idle.every(({ said }) => said().startsWith('220 ')));
    expect(await smtpListener.submit({ to: 'beside@smtp.internal' })).toMatch(/^250 /);
    await until('the oldest is hung up on', () => idle.some(({ said }) => /^421 4\.7\.0 Too many/m.test(said())));
    for (const { socket } of idle) socket.destroy();
  });

  it('hangs up on who sends a letter now and then, without a token and without a bounce', async () => {
    const listener = smtpListener.newListener(0, undefined, {
      unauthenticatedLimits: { toBegin: 3_000, inAll: 6_000 },
    });
    listener.start();
    await listener.ready;
    const speak = (...lines: string[]) => {
      const socket = connect(listener.port, '127.0.0.1').setEncoding('latin1');
      let said = '';
      socket
        .on('error', () => undefined)
        .on('data', (chunk: string) => {
          said += chunk;
          if (/^\d{3} [^\n]*\n$/m.test(chunk)) socket.write(lines.shift() ?? '');
        });
      const letters = setInterval(() => said !== '' && lines.length === 0 && socket.write('x'), 50);
      const closed = new Promise<string>((resolve) =>
        socket.on('close', () => {
          clearInterval(letters);
          resolve(said);
        }),
      );
      return { closed, said: () => said };
    };
    const began = performance.now();
    const slow = speak();
    const bounce = speak('EHLO x\r\n', 'MAIL FROM:<>\r\n');
    expect(await slow.closed).toMatch(/421 4\.7\.0 Too slow/);
    expect(await bounce.closed).toMatch(/250 Accepted[^]*421 4\.7\.0 Too slow/);
    expect(performance.now() - began).toBeGreaterThan(5_000);
    await listener.stop();
  });
});
