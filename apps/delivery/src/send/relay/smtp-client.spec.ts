import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { SmtpSink, until } from '#testing';
import type { SmtpMessage } from '../../message/message.js';
import { parseRelayUrl } from './relay-address.js';
import type { AttemptReport } from '../../message/attempt-report.js';
import { SmtpClient } from './smtp.client.js';
import type { WireAttempt } from './smtp.client.js';

const patient = { connectMs: 30_000, greetingMs: 30_000, commandMs: 30_000, dataMs: 30_000 };
const smtpMessage = (to: string, raw = 'Subject: x\r\n\r\nHello\r\n'): SmtpMessage => ({
  from: 'b.1@bounce.shop.internal',
  to,
  raw,
  smtpUtf8: false,
});

/** A client whose reports can be awaited. */
class Client extends SmtpClient {
  async report(message: SmtpMessage, change: Partial<WireAttempt> = {}): Promise<AttemptReport> {
    return await new Promise((resolve) =>
      this.attempt({ message, before: Infinity, onDot: () => undefined, onReport: resolve, ...change }),
    );
  }
}

describe('SmtpClient', () => {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  const sinkOf = async (behave: SmtpSink['behave']) => {
    const sink = await SmtpSink.start({ behave });
    open.push({ close: () => sink.stop() });
    return sink;
  };
  const clientOf = async (url: string, timeouts = patient, receipts = false) => {
    const client = new Client(parseRelayUrl(url), { timeouts, receipts });
    open.unshift(client);
    await client.connect();
    return client;
  };

  it('hands over one message after the other on one connection', async () => {
    const sink = await sinkOf(() => ({ do: 'accept' }));
    const client = await clientOf(sink.url);
    for (const n of [1, 2, 3]) {
      expect(await client.report(smtpMessage(`a${n}@x.internal`, `Subject: x\r\n\r\n.${n}\r\n`))).toMatchObject({
        kind: 'replied',
        code: 250,
      });
    }
    expect(sink.connectionsMax).toBe(1);
    expect(sink.messages.map(({ raw }) => raw)).toEqual([1, 2, 3].map((n) => `Subject: x\r\n\r\n.${n}\r\n`));
    expect(sink.messages[0]!.from).toBe('b.1@bounce.shop.internal');
  });

  it.each([
    [true, 'DSN', ' RET=HDRS', ' NOTIFY=SUCCESS,FAILURE,DELAY'],
    [true, 'HELP', '', ''],
    [false, 'DSN', '', ''],
  ])('asks for receipts (%s) of a relay that offers %s', async (receipts, offer, ret, notify) => {
    const heard: string[] = [];
    const { url } = await rawServer(open, (socket) => {
      socket.setEncoding('latin1').on('data', (said: unknown) => {
        for (const line of String(said).split('\r\n')) {
          if (/^(?:MAIL|RCPT)/.test(line)) heard.push(line);
          if (line.startsWith('EHLO')) socket.write(`250-raw.internal\r\n250 ${offer}\r\n`);
          else if (line === 'DATA') socket.write('354 Go on\r\n');
          else if (/^(?:MAIL|RCPT|\.$)/.test(line)) socket.write('250 Ok\r\n');
        }
      });
    });
    const client = await clientOf(url, patient, receipts);
    expect(await client.report(smtpMessage('a@x.internal'))).toMatchObject({ code: 250 });
    expect(heard).toEqual([`MAIL FROM:<b.1@bounce.shop.internal>${ret}`, `RCPT TO:<a@x.internal>${notify}`]);
  });

  it('goes on after refusals at every point', async () => {
    const sink = await sinkOf((to) => {
      if (to.startsWith('rcpt')) return { do: 'refuse', at: 'RCPT', reply: '550 5.1.1 No such user' };
      if (to.startsWith('dot')) return { do: 'refuse', at: 'DOT', reply: '451 4.7.1 Later' };
      return { do: 'accept' };
    });
    const client = await clientOf(sink.url);
    const rcpt = await client.report(smtpMessage('rcpt@x.internal'));
    expect(rcpt).toEqual({ kind: 'replied', code: 550, response: '550 5.1.1 No such user', stage: 'RCPT' });
    const dot = await client.report(smtpMessage('dot@x.internal'));
    expect(dot).toEqual({ kind: 'replied', code: 451, response: '451 4.7.1 Later', stage: 'END_OF_DATA' });
    expect(await client.report(smtpMessage('ok@x.internal'))).toMatchObject({ kind: 'replied', code: 250 });
    expect([...sink.counts.keys()]).toEqual(['ok@x.internal']);
  });

  it('records whether the final dot was written when the connection drops', async () => {
    const sink = await sinkOf((to) => ({ do: 'drop', at: to.startsWith('rcpt') ? 'RCPT' : 'DOT' }));
    const before = await clientOf(sink.url);
    expect(await before.report(smtpMessage('rcpt@x.internal'))).toMatchObject({ kind: 'lost', dotWritten: false });
    const after = await clientOf(sink.url);
    expect(await after.report(smtpMessage('dot@x.internal'))).toMatchObject({ kind: 'lost', dotWritten: true });
    expect(before.usable || after.usable).toBe(false);
    expect(await after.report(smtpMessage('b@x.internal'))).toMatchObject({ kind: 'lost', dotWritten: false });
  });

  it('does not count a large message as written that the socket never took', async () => {
    const { url } = await rawServer(open, (socket) => {
      let data = false;
      socket.on('data', (chunk: Buffer) => {
        if (data) return;
        for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
          data = line === 'DATA';
          socket.write(data ? '354 go\r\n' : '250 ok\r\n');
        }
        if (data) {
          socket.pause();
          // oxlint-disable-next-line tidings/fixed-waits -- how much the client has in its own buffer cannot be seen from here
          setTimeout(() => socket.destroy(), 100);
        }
      });
    });
    const client = await clientOf(url);
    const report = await client.report(smtpMessage('big@x.internal', `Subject: x\r\n\r\n${'y'.repeat(12_000_000)}`));
    expect(report).toMatchObject({ kind: 'lost', dotWritten: false });
  });

  it('gives up a relay that falls silent, at each point', async () => {
    const sink = await sinkOf((to) => ({ do: 'hang', at: to.startsWith('rcpt') ? 'RCPT' : 'DOT' }));
    const early = await clientOf(sink.url, { ...patient, commandMs: 1500 });
    expect(await early.report(smtpMessage('rcpt@x.internal'))).toEqual({
      kind: 'lost',
      dotWritten: false,
      reason: 'The relay did not answer a command within 1.5 s',
    });
    const late = await clientOf(sink.url, { ...patient, dataMs: 1700 });
    expect(await late.report(smtpMessage('dot@x.internal'))).toEqual({
      kind: 'lost',
      dotWritten: true,
      reason: 'The relay did not answer the final dot within 1.7 s',
    });
    const silent = await rawServer(open, () => undefined, '');
    await expect(clientOf(silent.url, { ...patient, greetingMs: 1500 })).rejects.toThrow('Greeting never received');
  });

  it('passes a 421 on as a reply, and is not usable afterwards', async () => {
    const sink = await sinkOf((to) => ({
      do: 'refuse',
      at: to.startsWith('rcpt') ? 'RCPT' : 'DOT',
      reply: '421 4.7.0 Closing',
    }));
    for (const to of ['rcpt@x.internal', 'dot@x.internal']) {
      const client = await clientOf(sink.url);
      expect(await client.report(smtpMessage(to))).toMatchObject({ kind: 'replied', code: 421 });
      expect(client.usable).toBe(false);
    }
  });

  it('doubles the dots that begin lines, and ends the last line', async () => {
    const sink = await sinkOf(() => ({ do: 'accept' }));
    const client = await clientOf(sink.url);
    for (const raw of ['.a: b\r\n\r\n.\r\n..\r\nx', `a: b\r\n\r\n${'.y\r\n'.repeat(60_000)}`]) {
      expect(await client.report(smtpMessage('a@x.internal', raw))).toMatchObject({ code: 250 });
      expect(sink.messages.at(-1)!.raw).toBe(raw.endsWith('\r\n') ? raw : `${raw}\r\n`);
    }
  });

  it('speaks one command at a time to a relay without PIPELINING, and ends an empty message', async () => {
    const heard: string[] = [];
    const answers: Record<string, string> = {
      EHLO: '250 plain.internal',
      MAIL: '250 ok',
      DATA: '354 go',
      RSET: '250 ok',
      '.': '250 taken',
    };
    const { url } = await rawServer(open, (socket) => {
      socket.on('data', (chunk: Buffer) => {
        for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
          heard.push(line);
          const verb = line.split(' ')[0]!;
          const reply = verb === 'RCPT' ? (line.includes('bad') ? '550 5.1.1 no' : '250 ok') : answers[verb];
          if (reply) socket.write(`${reply}\r\n`);
        }
      });
    });
    const client = await clientOf(url);
    expect(await client.report(smtpMessage('bad@x.internal'))).toMatchObject({ kind: 'replied', code: 550 });
    expect(await client.report(smtpMessage('a@x.internal'))).toEqual({
      kind: 'replied',
      code: 250,
      response: '250 taken',
    });
    expect(heard.slice(1)).toEqual([
      ...['MAIL FROM:<b.1@bounce.shop.internal>', 'RCPT TO:<bad@x.internal>', 'RSET'],
      ...['MAIL FROM:<b.1@bounce.shop.internal>', 'RCPT TO:<a@x.internal>', 'DATA', 'Subject: x', 'Hello', '.'],
    ]);
  });

  it('reports that the sender was refused, ignoring a pipelining relay’s replies to later commands', async () => {
    const { url } = await rawServer(open, (socket) => {
      const answers: Record<string, string> = {
        EHLO: '250-plain.internal\r\n250 PIPELINING',
        MAIL: '550 Access denied',
        RSET: '250 ok',
      };
      socket.on('data', (chunk: Buffer) => {
        for (const line of chunk.toString().split('\r\n').filter(Boolean))
          socket.write(`${answers[line.split(' ')[0]!] ?? '503 need MAIL command'}\r\n`);
      });
    });
    const client = await clientOf(url);
    const refusal = { kind: 'replied', code: 550, response: '550 Access denied', stage: 'MAIL' };
    expect(await client.report(smtpMessage('a@x.internal'))).toEqual(refusal);
    expect(client.usable).toBe(true);
  });

  it.each([
    ...(['MAIL', 'RCPT', 'DATA', 'END_OF_DATA'] as const).map((stage) => [stage, false] as const),
    ...(['MAIL', 'RCPT', 'DATA', 'END_OF_DATA'] as const).map((stage) => [stage, true] as const),
  ])(
    'reports the stage of the transaction at which the relay refused: %s, pipelining %s',
    async (stage, pipelining) => {
      const refusedLine = { MAIL: 'MAIL', RCPT: 'RCPT', DATA: 'DATA', END_OF_DATA: '.' }[stage];
      const { url } = await rawServer(open, (socket) => {
        const replies: Record<string, string> = {
          EHLO: `250${pipelining ? '-plain.internal\r\n250 PIPELINING' : ' plain.internal'}`,
          MAIL: '250 ok',
          RCPT: '250 ok',
          DATA: '354 go',
          '.': '250 ok',
          RSET: '250 ok',
          [refusedLine]: '550 User unknown',
        };
        socket.on('data', (chunk: Buffer) => {
          for (const line of chunk.toString().split('\r\n')) {
            const reply = replies[line.split(' ')[0]!];
            if (reply) socket.write(`${reply}\r\n`);
          }
        });
      });
      const client = await clientOf(url);
      const refusal = { kind: 'replied', code: 550, response: '550 User unknown', stage };
      expect(await client.report(smtpMessage('a@x.internal'))).toEqual(refusal);
    },
  );

  it('ends an empty message where a pipelining relay wants data for no recipient', async () => {
    const heard: string[] = [];
    const { url } = await rawServer(open, (socket) => {
      socket.on('data', (chunk: Buffer) => {
        for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
          heard.push(line);
          if (line.startsWith('EHLO')) socket.write('250-plain.internal\r\n250 PIPELINING\r\n');
          else
            socket.write(
              line.startsWith('RCPT') ? '450 4.2.1 later\r\n' : line === 'DATA' ? '354 go\r\n' : '250 ok\r\n',
            );
        }
      });
    });
    const client = await clientOf(url);
    expect(await client.report(smtpMessage('a@x.internal'))).toMatchObject({ code: 450 });
    expect(heard.slice(-2)).toEqual(['DATA', '.']);
    expect(client.usable).toBe(true);
  });

  it('gives up a relay that answers nonsense or speaks out of turn', async () => {
    const answer = async (reply: string) => {
      const { url } = await rawServer(open, (socket) => {
        socket.on('data', (chunk: Buffer) =>
          socket.write(chunk.toString().startsWith('EHLO') ? '250 plain.internal\r\n' : reply),
        );
      });
      const client = await clientOf(url);
      const report = await client.report(smtpMessage('a@x.internal'));
      expect(client.usable).toBe(false);
      return report;
    };
    expect(await answer('HTTP/1.1 400 Bad Request\r\n')).toMatchObject({ kind: 'lost', dotWritten: false });
    expect(await answer('199 what\r\n')).toMatchObject({ kind: 'lost', dotWritten: false });
    const sent = ['250 plain.internal', '250 ok', '250 ok', '354 go', '250 taken\r\n250 and more'];
    const { url } = await rawServer(open, (socket) => {
      socket.on('data', () => socket.write(`${sent.shift()}\r\n`));
    });
    const client = await clientOf(url);
    expect(await client.report(smtpMessage('a@x.internal'))).toMatchObject({ kind: 'replied', code: 250 });
    expect(await client.report(smtpMessage('a@x.internal'))).toMatchObject({ kind: 'lost', dotWritten: false });
  });

  it.each(['starttls', 'always'] as const)(
    'encrypts (%s), and accepts an unknown certificate only if configured to',
    async (tls) => {
      const sink = await SmtpSink.start({ tls });
      open.push({ close: () => sink.stop() });
      const url = tls === 'always' ? sink.url.replace('smtp:', 'smtps:') : sink.url;
      await expect(clientOf(`${url}?tls=required`)).rejects.toThrow(/certificate/);
      const client = await clientOf(`${url}?tls=unverified`);
      expect(await client.report(smtpMessage('a@x.internal'))).toMatchObject({ code: 250 });
      expect(await client.report(smtpMessage('b@x.internal'))).toMatchObject({ code: 250 });
      expect(sink.accepted).toBe(2);
    },
  );

  it('does without encryption only where it is not demanded', async () => {
    const sink = await sinkOf(() => ({ do: 'accept' }));
    await expect(clientOf(`${sink.url}?tls=required`)).rejects.toThrow('STARTTLS');
    expect((await clientOf(`${sink.url}?tls=off`)).usable).toBe(true);
  });

  it('authenticates', async () => {
    const heard: string[] = [];
    const { url } = await rawServer(open, (socket) => {
      socket.on('data', (chunk: Buffer) => {
        heard.push(chunk.toString().trim());
        socket.write(heard.length === 1 ? '250-plain.internal\r\n250 AUTH PLAIN\r\n' : '235 welcome\r\n');
      });
    });
    const client = await clientOf(url.replace('//', '//ann:secret@'));
    expect(client.usable).toBe(true);
    expect(heard[1]).toBe(`AUTH PLAIN ${Buffer.from('\0ann\0secret').toString('base64')}`);
  });

  it('notices a connection that the relay closed while it stood idle', async () => {
    const sink = await sinkOf(() => ({ do: 'accept' }));
    const client = await clientOf(sink.url);
    await sink.stop();
    await until('the end is noticed', () => !client.usable);
  });

  it('says why it cannot connect', async () => {
    const sink = await sinkOf(() => ({ do: 'accept' }));
    const { url } = sink;
    await sink.stop();
    await expect(clientOf(url)).rejects.toThrow('ECONNREFUSED');
    const full = await rawServer(open, () => undefined, '554 5.3.2 No service\r\n');
    await expect(clientOf(full.url)).rejects.toThrow('No service');
    const { url: noAuth } = await sinkOf(() => ({ do: 'accept' }));
    await expect(clientOf(noAuth.replace('//', '//ann:secret@'))).rejects.toThrow();
  });

  it('refuses by itself what the relay cannot carry', async () => {
    const { url } = await rawServer(open, (socket) => {
      socket.on('data', () => socket.write('250-plain.internal\r\n250 SIZE 100\r\n'));
    });
    const client = await clientOf(url);
    expect(await client.report({ ...smtpMessage('ü@x.internal'), smtpUtf8: true })).toMatchObject({ code: 550 });
    expect(await client.report(smtpMessage('a@x.internal', 'x'.repeat(200)))).toMatchObject({ code: 552 });
    expect(client.usable).toBe(true);
  });
});

async function rawServer(
  open: { close(): unknown }[],
  onConnection: (socket: Socket) => void,
  greeting = '220 raw.internal\r\n',
): Promise<{ url: string; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (greeting) socket.write(greeting);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      return new Promise((resolve) => server.close(resolve));
    },
  });
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
