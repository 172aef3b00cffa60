import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import type { AttemptReport } from '../../message/attempt-report.js';
import { parseRelayUrl } from './relay-address.js';
import { SmtpClient } from './smtp.client.js';
import type { SmtpClientOptions, WireAttempt } from './smtp.client.js';
import { monotonicMs } from './wire-protocol.js';
import type { WireSigns } from './wire-protocol.js';

const patient = { connectMs: 30_000, greetingMs: 30_000, commandMs: 30_000, dataMs: 30_000 };
const greeting = '250-sink.internal\r\n250 PIPELINING\r\n';

/** How a server of this spec answers what it reads. */
interface Manner {
  greeting?: string;
  /** The reply to a line, or to the whole of a message's data; null for none. */
  reply?: (line: string, server: { socket: Socket; messages: string[] }) => string | null;
  /** Writes replies; by default at once. */
  write?: (socket: Socket, text: string) => void;
}

const replies: Record<string, string> = { EHLO: '', MAIL: '250 ok', RCPT: '250 ok', DATA: '354 go', RSET: '250 ok' };

describe('pipelining', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** A server that reads SMTP, and what it got: each read as it arrived, and the messages. */
  const serve = async ({ greeting: ehlo = greeting, reply = () => '', write }: Manner) => {
    const reads: string[] = [];
    const messages: string[] = [];
    const sockets: Socket[] = [];
    const say = (socket: Socket, text: string) => void (write ? write(socket, text) : socket.write(text));
    const server = createServer((socket) => {
      sockets.push(socket);
      let [text, inData] = ['', false];
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        reads.push(chunk.toString('latin1'));
        text += chunk.toString('latin1');
        let answer = '';
        for (let end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n'); end >= 0;) {
          const part = text.slice(0, end);
          text = text.slice(end + (inData ? 5 : 2));
          const verb = inData ? 'data' : part.slice(0, 4);
          if (inData) messages.push(part.slice(2));
          const wanted = reply(inData ? '.' : part, { socket, messages });
          const line = wanted === '' ? (inData ? '250 taken' : (replies[verb] ?? '250 ok')) : wanted;
          inData = verb === 'DATA' && line !== null && line.startsWith('354');
          // A dot alone ends an empty message.
          if (inData) text = `\r\n${text}`;
          if (verb === 'EHLO') answer += ehlo;
          else if (line !== null) answer += `${line}\r\n`;
          end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n');
        }
        if (answer) say(socket, answer);
      });
      socket.write('220 sink.internal\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      sockets.forEach((socket) => socket.destroy());
      return new Promise((resolve) => server.close(resolve));
    });
    return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, reads, messages, sockets };
  };

  const connect = async (url: string, options: Partial<SmtpClientOptions> = {}) => {
    const client = new SmtpClient(parseRelayUrl(url), {
      timeouts: patient,
      receipts: false,
      behindTicks: Infinity,
      ...options,
    });
    ends.push(() => client.close());
    await client.connect();
    return client;
  };

  /** Attempts messages without waiting for one before the next. */
  const attemptAll = (client: SmtpClient, names: string[], change: Partial<WireAttempt> = {}) =>
    Promise.all(
      names.map(
        (name) =>
          new Promise<{ report: AttemptReport; signs: WireSigns }>((resolve) =>
            client.attempt({
              message: {
                from: 'b.1@bounce.shop.internal',
                to: `${name}@people.internal`,
                raw: `Subject: ${name}\r\n\r\nHello\r\n`,
                smtpUtf8: false,
              },
              before: Infinity,
              onDot: () => undefined,
              onReport: (report, signs) => resolve({ report, signs }),
              ...change,
            }),
          ),
      ),
    );
  const envelope = (name: string) =>
    `MAIL FROM:<b.1@bounce.shop.internal>\r\nRCPT TO:<${name}@people.internal>\r\nDATA\r\n`;
  const data = (name: string) => `Subject: ${name}\r\n\r\nHello\r\n.\r\n`;
  const taken = { kind: 'replied', code: 250, response: '250 taken' };

  it('writes the dot with the commands of the next message, which is one round trip a message', async () => {
    const server = await serve({});
    const results = await attemptAll(await connect(server.url), ['a', 'b', 'c']);
    expect(results.map(({ report }) => report)).toEqual([taken, taken, taken]);
    expect(results.map(({ signs }) => signs.used)).toEqual(['group', 'ahead', 'ahead']);
    expect(server.reads.slice(1)).toEqual([
      ...[envelope('a'), data('a') + envelope('b'), data('b') + envelope('c'), data('c')],
    ]);
  });

  it('takes two round trips where the dot goes alone', async () => {
    const server = await serve({});
    const client = await connect(server.url, { pipelining: () => 'group' });
    expect((await attemptAll(client, ['a', 'b'])).map(({ report }) => report)).toEqual([taken, taken]);
    expect(server.reads.slice(1)).toEqual([envelope('a'), data('a'), envelope('b'), data('b')]);
  });

  it.each([
    ['does not offer it', '250 plain.internal\r\n', 'ahead'],
    ['offers it in vain', greeting, 'none'],
  ] as const)('writes one command at a time to a relay that %s', async (_what, ehlo, pipelining) => {
    const server = await serve({ greeting: ehlo });
    const client = await connect(server.url, { pipelining: () => pipelining });
    const results = await attemptAll(client, ['a', 'b']);
    expect(results.map(({ report, signs }) => [report, signs.used])).toEqual([
      [taken, 'none'],
      [taken, 'none'],
    ]);
    const commands = (name: string) => [...envelope(name).match(/.*\r\n/g)!, data(name)];
    expect(server.reads.slice(1)).toEqual([...commands('a'), ...commands('b')]);
  });

  it('reads replies that come slowly and in pieces', async () => {
    const written: string[] = [];
    const server = await serve({
      reply: (line) => (line === '.' ? '250-2.0.0 taken\r\n250 as 4XyZ12' : ''),
      write: (socket, text) => {
        const isFirst = written.length === 0;
        written.push(...text);
        const next = () => {
          const octet = written.shift();
          if (octet !== undefined) socket.write(octet, 'latin1', () => setImmediate(next));
        };
        if (isFirst) next();
      },
    });
    const results = await attemptAll(await connect(server.url), ['a', 'b', 'c']);
    expect(results.map(({ report }) => report)).toEqual(
      Array(3).fill({ kind: 'replied', code: 250, response: '250-2.0.0 taken\n250 as 4XyZ12' }),
    );
    expect(server.messages).toHaveLength(3);
  });

  it('ends an empty message where the relay wants data for the next message’s refused recipient', async () => {
    const server = await serve({ reply: (line) => (line.startsWith('RCPT TO:<bad') ? '550 5.1.1 no' : '') });
    const results = await attemptAll(await connect(server.url), ['a', 'bad', 'c']);
    const refused = { kind: 'replied', code: 550, response: '550 5.1.1 no', stage: 'RCPT' };
    expect(results.map(({ report }) => report)).toEqual([taken, refused, taken]);
    expect(server.reads.slice(2)).toEqual([data('a') + envelope('bad'), '.\r\n', envelope('c'), data('c')]);
  });

  it('ends the connection on one reply too many: the next message was not begun', async () => {
    const server = await serve({ reply: (line) => (line === '.' ? '250 taken\r\n250 and more' : '') });
    const [a, b] = await attemptAll(await connect(server.url), ['a', 'b']);
    expect(a!.report).toEqual(taken);
    expect(b!.report).toMatchObject({ kind: 'lost', dotWritten: false });
    expect([b!.signs.usable, b!.signs.misread]).toEqual([false, true]);
    expect(server.messages).toHaveLength(1);
  });

  it('puts a message in doubt whose dot gets a reply to another command', async () => {
    const server = await serve({ reply: (line) => (line === '.' ? '354 go' : '') });
    const [a, b] = await attemptAll(await connect(server.url), ['a', 'b']);
    expect(a!.report).toMatchObject({ kind: 'lost', dotWritten: true });
    expect(b!.report).toMatchObject({ kind: 'lost', dotWritten: false });
    expect(b!.signs.again).toBe(true);
  });

  it('ends the connection without a dot when the mark is withdrawn before the relay wants the data', async () => {
    let isWritten = false;
    const server = await serve({});
    const [a] = await attemptAll(await connect(server.url), ['a'], {
      before: monotonicMs() - 1,
      onDot: () => (isWritten = true),
    });
    expect(a!.report).toMatchObject({ kind: 'withheld' });
    expect([a!.signs.usable, isWritten]).toEqual([false, false]);
    await until('the connection ends', () => server.sockets[0]!.destroyed);
    expect([server.reads.slice(1), server.messages]).toEqual([[envelope('a')], []]);
  });

  it('takes a message back that waits behind one without a reply, and never begins it there', async () => {
    let answer = () => {};
    let hangs = false;
    const server = await serve({
      reply: (line, { socket }) => {
        if (line === '.') {
          hangs = true;
          answer = () => socket.write('250 taken\r\n250 ok\r\n250 ok\r\n354 go\r\n');
        }
        return hangs ? null : '';
      },
    });
    const client = await connect(server.url, { behindTicks: 3 });
    const first = attemptAll(client, ['a']);
    const [b, c] = await attemptAll(client, ['b', 'c']);
    expect([b, c].map((one) => [one!.report.kind, one!.signs.again])).toEqual([
      ['withheld', true],
      ['withheld', true],
    ]);
    await until('the commands of the next message were read', () => server.reads.at(-1)!.endsWith(envelope('b')));
    answer();
    expect((await first)[0]!.report).toEqual(taken);
    await until('the connection ends', () => server.sockets[0]!.destroyed);
    expect(server.messages).toHaveLength(1);
    expect(client.usable).toBe(false);
  });

  it.each(['group', 'ahead'] as const)(
    'reports a relay that drops what follows the first command (%s)',
    async (used) => {
      let isBroken = used === 'group';
      const server = await serve({
        reply: (line) => {
          // It empties its buffer after a command, or after a dot.
          if (used === 'group') return line.startsWith('MAIL') || line.startsWith('EHLO') ? '' : null;
          const isHeard = !isBroken;
          if (line === '.') isBroken = true;
          return isHeard ? '' : null;
        },
      });
      const client = await connect(server.url, { timeouts: { ...patient, commandMs: 200 } });
      const results = await attemptAll(client, used === 'group' ? ['a'] : ['a', 'b']);
      const { report, signs } = results.at(-1)!;
      expect(report).toMatchObject({ kind: 'lost', dotWritten: false });
      expect([signs.misread, signs.used]).toEqual([true, used]);
    },
  );
});
