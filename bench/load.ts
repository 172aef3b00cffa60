import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { connectBus, serviceCaller } from '#bus';
import { domainRequests } from '#contracts';
import type { TestSystem } from '#testing';

/** What a load run measured. */
export interface LoadResult {
  /** Answers a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Answers whose status was not 200. */
  failures: number;
}

export interface LoadOptions {
  url: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
  seconds: number;
}

/**
 * A closed loop of keep-alive connections, each sending its next request when the answer has come. Bare sockets, so that
 * the generator costs both sides of a comparison the same and little.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const request = requestOf(options);
  const end = performance.now() + options.seconds * 1000;
  const times: number[] = [];
  let failures = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: options.connections }, async () => {
      const socket = connectTo(options.url);
      while (performance.now() < end) {
        const sent = performance.now();
        const { status } = await exchange(socket, request);
        times.push(performance.now() - sent);
        if (status !== 200) failures += 1;
      }
      socket.destroy();
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { rate: times.length / elapsed, p50: at(0.5), p99: at(0.99), failures };
}

/** A keep-alive connection of the generator. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port), noDelay: true });
}

/** A POST as it goes over such a connection. */
export function requestOf({ url, headers, body }: Pick<LoadOptions, 'url' | 'headers' | 'body'>): string {
  const { pathname, host } = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** One request on a connection. @returns its answer, whose body is text of one character an octet */
export function exchange(socket: Socket, request: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      socket.off('data', onData).off('error', reject).off('close', onClose);
      resolve({ status: Number(text.slice(9, 12)), body: text.slice(head + 4) });
    };
    const onClose = () => reject(new Error('the connection was closed before the answer'));
    if (socket.destroyed) return onClose();
    socket.on('data', onData).once('error', reject).once('close', onClose);
    socket.write(request);
  });
}

/** So that a fast machine is not measured by the limit of calls. */
export async function liftRateLimit(system: TestSystem, natsUrl: string): Promise<void> {
  const { organizationId, databaseName } = system;
  const bus = await connectBus({ url: natsUrl, namespace: databaseName, name: 'bench' });
  const unlimited = { organizationId, ratePerMinute: 10_000_000 };
  await bus.client(domainRequests).set_organization(unlimited, serviceCaller(organizationId, 'bench'));
  await bus.close();
}
