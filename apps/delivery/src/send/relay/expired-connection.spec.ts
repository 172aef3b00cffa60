import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createLogger } from '#observability';
import { until } from '#testing';
import type { AttemptReport } from '../../message/attempt-report.js';
import { meterOf } from '../../metrics/send-metrics.service.js';
import type { DestinationRepository } from './destination.repository.js';
import { parseRelayUrl } from './relay-address.js';
import { sendThreads } from '../../../test/send-threads-fixture.js';
import { Relay } from './connection-pool.worker.js';
import type { ConnectionSlot } from './connection-pool.worker.js';

const registry = new Registry();
const meter = meterOf(registry);
const threads = sendThreads();
const accepted = { kind: 'replied', code: 250 };
/** Messages that the relay accepts on one connection. */
const each = 2;

/** What the relay does with the message after those. */
type Manner = 'closes' | 'says 421' | 'says 450' | 'is silent' | 'closes after the dot' | 'goes away';

describe('a connection that the relay ends after some messages', () => {
  const ends: (() => unknown)[] = [];
  afterAll(() => threads.stop());
  afterEach(async () => {
    registry.resetMetrics();
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** A relay that speaks SMTP as far as it goes, and the messages that it took. */
  const relayThat = async (manner: Manner): Promise<{ port: number; taken: string[]; connections: () => number }> => {
    const taken: string[] = [];
    const sockets: Socket[] = [];
    const converse = (socket: Socket) => {
      let [mine, to, text, inData] = [0, '', '', false];
      const say = (reply: string) => void socket.write(`${reply}\r\n`);
      const isOver = () => mine === each && sockets.indexOf(socket) === 0;
      const line = (command: string) => {
        const verb = command.slice(0, 4);
        if (verb === 'MAIL' && isOver() && manner === 'says 421')
          return void socket.end('421 4.4.2 Too many messages\r\n');
        if (isOver() && manner === 'says 450')
          return say(verb === 'MAIL' ? '450 Too many messages in this session' : '503 No');
        if (verb === 'MAIL' && isOver() && manner === 'is silent') return;
        if (verb === 'RCPT') to = command.slice(9, command.indexOf('>'));
        inData = verb === 'DATA';
        say(inData ? '354 Go on' : '250 2.0.0 Ok');
      };
      const message = () => {
        taken.push(to);
        mine += 1;
        inData = false;
        if (mine > each && manner === 'closes after the dot') return void socket.destroy();
        say('250 2.0.0 Ok');
        if (!isOver()) return;
        if (manner === 'closes' || manner === 'goes away') socket.end();
        if (manner === 'goes away') server.close();
      };
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        for (let end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n'); end >= 0;) {
          const part = text.slice(0, end);
          text = text.slice(end + (inData ? 5 : 2));
          if (inData) message();
          else line(part);
          end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n');
        }
      });
      say('220 short.internal');
    };
    const server: Server = createServer((socket) => {
      sockets.push(socket);
      converse(socket);
    });
    server.listen(0, '127.0.0.1');
    await until('it listens', () => server.listening);
    ends.push(() => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, taken, connections: () => sockets.length };
  };

  /** Sends the relay messages one after the other, as fast as it accepts them. */
  const reportsOf = async (port: number, count: number, commandMs = 30_000): Promise<AttemptReport[]> => {
    const relay = new Relay({
      address: parseRelayUrl(`smtp://127.0.0.1:${port}`),
      connections: 1,
      threads,
      timeouts: { connectMs: 30_000, greetingMs: 30_000, commandMs, dataMs: 30_000 },
      destinations: {} as DestinationRepository,
      meter,
      log: createLogger('spec', 'silent'),
    });
    ends.push(() => relay.stop());
    const reports: AttemptReport[] = [];
    let turn: ConnectionSlot | null = null;
    await until('a connection is open', () => (turn = relay.take('single', 'p@people.internal')) !== null);
    for (let n = 1; n <= count; n++) {
      const smtpMessage = {
        from: 'b@shop.internal',
        to: `p${n}@people.internal`,
        raw: 'Subject: x\r\n\r\nx',
        smtpUtf8: false,
      };
      reports.push(await relay.attempt(turn!, smtpMessage));
    }
    relay.give(turn!, null);
    return reports;
  };

  it.each(['closes', 'says 421', 'says 450'] as const)('is replaced when the relay %s', async (manner) => {
    const { port, taken, connections } = await relayThat(manner);
    const reports = await reportsOf(port, each + 2);
    expect(reports).toEqual(Array.from({ length: each + 2 }, () => expect.objectContaining(accepted)));
    expect(taken).toEqual(['p1', 'p2', 'p3', 'p4'].map((name) => `${name}@people.internal`));
    expect(connections()).toBe(2);
    const { values } = await registry.getSingleMetric('tidings_messages_total')!.get();
    expect(values.map(({ labels, value }) => [labels.result, value])).toEqual([['accepted', each + 2]]);
  });

  it('is not when the relay falls silent: another one would wait for as long', async () => {
    const { port, connections } = await relayThat('is silent');
    // Longer than a busy machine may take to read the replies before.
    const reports = await reportsOf(port, each + 1, 5_000);
    expect(reports.at(-1)).toMatchObject({ kind: 'lost', dotWritten: false });
    expect(connections()).toBe(1);
  });

  it('is not when the relay may have the message', async () => {
    const { port, taken, connections } = await relayThat('closes after the dot');
    expect((await reportsOf(port, each + 1)).at(-1)).toMatchObject({ kind: 'lost', dotWritten: true });
    expect([taken.length, connections()]).toEqual([each + 1, 1]);
  });

  it('reports the error if there is no other connection', async () => {
    const { port } = await relayThat('goes away');
    expect((await reportsOf(port, each + 1)).at(-1)).toMatchObject({ kind: 'lost', dotWritten: false });
  });
});
