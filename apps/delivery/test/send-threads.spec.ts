import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { createLogger } from '#observability';
import { until } from '#testing';
import type { AttemptReport } from '../src/message/attempt-report.js';
import { meterOf } from '../src/metrics/send-metrics.service.js';
import { Relay } from '../src/send/relay/connection-pool.worker.js';
import type { ConnectionSlot } from '../src/send/relay/connection-pool.worker.js';
import { parseRelayUrl } from '../src/send/relay/relay-address.js';
import { SendThreads } from '../src/send/relay/send-threads.worker.js';
import { mortalThread, renderThread } from './send-threads-fixture.js';

jest.setTimeout(180_000);

const log = createLogger('spec', 'silent');
const patient = { connectMs: 30_000, greetingMs: 30_000, commandMs: 60_000, dataMs: 60_000 };
const messageTo = (to: string) => ({
  from: 'b.1@bounce.shop.internal',
  to: `${to}@people.internal`,
  raw: 'Subject: x\r\n\r\nHello\r\n',
  smtpUtf8: false,
});

describe('the threads that send', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** A server that answers each read by `answer`. */
  const serve = async (answer: (text: string, socket: Socket) => string) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        const reply = answer(chunk.toString('latin1'), socket);
        if (reply) socket.write(reply);
      });
      socket.write('220 sink.internal\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      sockets.forEach((socket) => socket.destroy());
      return new Promise((resolve) => server.close(resolve));
    });
    return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
  };

  const relayOf = (url: string, file: URL, change: { commandMs?: number; connections?: number } = {}) => {
    const { connections = 8, ...timeouts } = change;
    const threads = new SendThreads({ threads: 1, file, log });
    const relay = new Relay({
      address: parseRelayUrl(url),
      connections,
      timeouts: { ...patient, ...timeouts },
      threads,
      destinations: { upsert: () => Promise.resolve(), delete: () => Promise.resolve() } as never,
      meter: meterOf(new Registry()),
      log,
    });
    ends.push(async () => {
      await relay.stop();
      await threads.stop();
    });
    return relay;
  };

  const taken = async (relay: Relay): Promise<ConnectionSlot> => {
    let turn: ConnectionSlot | null = null;
    await until('a connection is open', () => (turn = relay.take('single', 'a@people.internal')) !== null);
    return turn!;
  };

  it('leave messages in doubt that were written when a thread dies; no other was begun, and another thread goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-thread-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    const { file, kill } = mortalThread(folder);
    const heard: string[] = [];
    let hangs = true;
    const { url } = await serve((text) => {
      heard.push(text);
      if (text.startsWith('EHLO')) return '250-sink.internal\r\n250 PIPELINING\r\n';
      if (text.includes('RCPT TO:<before')) return '';
      if (text.startsWith('MAIL')) return '250 ok\r\n250 ok\r\n354 go\r\n';
      return hangs ? '' : '250 taken\r\n';
    });
    const relay = relayOf(url, file);
    const slots = [await taken(relay), await taken(relay)] as const;
    const reports: Record<string, AttemptReport> = {};
    for (const [place, name] of ['before', 'after'].entries()) {
      relay.begin(slots[place]!, messageTo(name), (report) => {
        reports[name] = report;
        relay.give(slots[place]!, report);
      });
    }
    await until('both are as far as they come', () => {
      return heard.some((text) => text.includes('<before@')) && heard.some((text) => text.endsWith('\r\n.\r\n'));
    });
    expect(reports).toEqual({});
    kill();
    await until('both are reported', () => Object.keys(reports).length === 2);
    expect(reports).toEqual({
      before: { kind: 'withheld', reason: 'the render thread ended before the message was written' },
      after: { kind: 'lost', dotWritten: true, reason: 'the render thread ended after the message was written' },
    });
    expect(relay.state).toMatchObject({ isInTrouble: false, connections: { single: 0, idle: 0 } });
    hangs = false;
    const turn = await taken(relay);
    expect(await relay.attempt(turn, messageTo('next'))).toMatchObject({ kind: 'replied', code: 250 });
  });

  it('write one command at a time to a relay that offers pipelining and reads one command of each write, and remember that', async () => {
    const reads: string[] = [];
    const { url } = await serve((text) => {
      reads.push(text);
      if (text.startsWith('EHLO')) return '250-sink.internal\r\n250 PIPELINING\r\n';
      if (text.startsWith('DATA')) return '354 go\r\n';
      return '250 ok\r\n';
    });
    const relay = relayOf(url, renderThread, { commandMs: 300, connections: 1 });
    let report: AttemptReport = { kind: 'simulated' };
    let failures = 0;
    while (report.kind !== 'replied') {
      const turn = await taken(relay);
      report = await relay.attempt(turn, messageTo('a'));
      relay.give(turn, report);
      relay.recorded('single', 1);
      if (report.kind === 'lost') failures += 1;
    }
    expect(report).toMatchObject({ code: 250 });
    // Failures within a second count as one.
    expect(failures).toBeGreaterThanOrEqual(2);
    const last = reads.length;
    const turn = await taken(relay);
    expect(await relay.attempt(turn, messageTo('b'))).toMatchObject({ code: 250 });
    expect(reads.slice(last).map((text) => text.slice(0, 4))).toEqual(['MAIL', 'RCPT', 'DATA', 'Subj']);
    relay.give(turn, null);
  });

  it('end with their pool, and say goodbye to the relay', async () => {
    const reads: string[] = [];
    const { url, sockets } = await serve((text) => {
      reads.push(text);
      return '250 ok\r\n';
    });
    const threads = new SendThreads({ threads: 2, file: renderThread, log });
    const thread = threads.leastConnected();
    await thread.open(parseRelayUrl(url), { timeouts: patient, receipts: false, pipelining: 'none' });
    await threads.stop();
    await until('the connection ends', () => sockets[0]!.destroyed);
    expect(reads.at(-1)).toBe('QUIT\r\n');
    expect(thread.isAlive).toBe(false);
    await expect(thread.render({} as never)).rejects.toThrow('The render thread has ended');
  });
});
