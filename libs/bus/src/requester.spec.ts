import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, headers as newHeaders, TimeoutError } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connectionOptions } from './bus.js';
import { processing, ReplyLost, Requester } from './requester.js';

describe('requests over NATS', () => {
  let connection: NatsConnection;
  let subject: string;
  let requester: Requester;
  beforeEach(async () => {
    connection = await connect(connectionOptions({ url: process.env.NATS_URL!, name: 'spec' }));
    subject = `spec.${randomUUID()}`;
    requester = new Requester(connection);
  });
  afterEach(() => connection.close());
  const ask = (body: string, timeoutMs = 5_000, givesUpSoon = false) =>
    requester.request(subject, body, { timeoutMs, headers: newHeaders(), givesUpSoon });

  /** Requests leave once in an iteration of the event loop. */
  const sent = async () => {
    await setImmediate();
    await connection.flush();
  };

  it('get each its own reply, in whatever order they come', async () => {
    const waiting: (() => void)[] = [];
    connection.subscribe(subject, {
      callback: (_error, message) => {
        waiting.push(() => message.respond(`re: ${message.string()}`));
        if (waiting.length === 3) for (const reply of waiting.reverse()) reply();
      },
    });
    const replies = await Promise.all(['a', 'b', 'c'].map((body) => ask(body)));
    expect(replies.map((reply) => reply!.string())).toEqual(['re: a', 're: b', 're: c']);
  });

  it('return null when no process takes them', async () => {
    expect(await ask('a')).toBeNull();
  });

  it('take an empty reply for a reply', async () => {
    connection.subscribe(subject, { callback: (_error, message) => void message.respond() });
    expect((await ask('a'))!.data).toHaveLength(0);
  });

  it('fail by their timeout, and ignore the reply that comes later', async () => {
    const late = new Promise<() => void>((resolve) => {
      connection.subscribe(subject, { callback: (_error, message) => resolve(() => message.respond('late')) });
    });
    await expect(ask('a', 50)).rejects.toBeInstanceOf(TimeoutError);
    (await late)();
    await connection.flush();
  });

  it('fail soon after a reconnect if they are to give up soon, and else wait for their reply', async () => {
    const replies: (() => void)[] = [];
    connection.subscribe(subject, {
      callback: (_error, message) => void replies.push(() => message.respond('late')),
    });
    const again = ask('a', 60_000, true);
    const failed = expect(again).rejects.toBeInstanceOf(ReplyLost);
    const patient = ask('b', 60_000);
    await sent();
    await connection.reconnect();
    await failed;
    for (const reply of replies) reply();
    expect((await patient)!.string()).toBe('late');
  });

  it('give up without a reply or a notice if they are to give up soon, and else wait for their reply', async () => {
    const requester = new Requester(connection, 100);
    const options = { timeoutMs: 60_000, headers: newHeaders() };
    const replies: (() => void)[] = [];
    connection.subscribe(subject, {
      callback: (_error, message) => {
        replies.push(() => message.respond('late'));
        if (message.string() === 'noticed')
          message.respond(undefined, { headers: newHeaders(processing, 'Processing') });
      },
    });
    const noticed = requester.request(subject, 'noticed', { ...options, givesUpSoon: true });
    const patient = requester.request(subject, 'patient', { ...options, givesUpSoon: false });
    const silent = requester.request(subject, 'silent', { ...options, givesUpSoon: true });
    await expect(silent).rejects.toBeInstanceOf(ReplyLost);
    for (const reply of replies) reply();
    expect((await noticed)!.string()).toBe('late');
    expect((await patient)!.string()).toBe('late');
  });

  it('fail when the connection is closed, before and after they are sent', async () => {
    connection.subscribe(subject, { callback: () => undefined });
    const open = ask('a');
    const failed = expect(open).rejects.toThrow('closed');
    await sent();
    await connection.close();
    await failed;
    await expect(ask('b')).rejects.toThrow();
  });

  it('leave in one write if they are made in one iteration of the event loop', async () => {
    const written: string[] = [];
    const socket = (connection as unknown as { protocol: { transport: { socket: Socket } } }).protocol.transport.socket;
    const write = socket.write.bind(socket) as (...question: unknown[]) => boolean;
    Object.assign(socket, {
      write: (...question: unknown[]) => {
        written.push(Buffer.from(question[0] as Uint8Array).toString());
        return write(...question);
      },
    });
    connection.subscribe(subject, { callback: (_error, message) => void message.respond() });
    await connection.flush();
    const replies = [ask('a')];
    // As many callbacks make one each.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    replies.push(ask('b'));
    await Promise.resolve();
    replies.push(ask('c'));
    await Promise.all(replies);
    const requests = written.filter((text) => text.includes(`HPUB ${subject} `));
    expect(requests.map((text) => text.split(`HPUB ${subject} `).length - 1)).toEqual([3]);
  });
});
