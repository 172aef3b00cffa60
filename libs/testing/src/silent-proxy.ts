import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/**
 * A TCP proxy whose open connections can go silent, as where packets are dropped on the way: neither side is closed, nor
 * learns that the other closed. New connections work.
 */
export class SilentProxy {
  readonly #server: Server;
  #open: Socket[] = [];
  /** Sockets of silent connections, which end with the proxy. */
  readonly #silent: Socket[] = [];

  private constructor(private readonly target: URL) {
    this.#server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      near.pipe(far);
      far.pipe(near);
      near.on('close', () => this.#silent.includes(far) || far.destroy());
      far.on('close', () => this.#silent.includes(near) || near.destroy());
      this.#open.push(near, far);
    });
  }

  /** @param url of the server, of any scheme */
  static async start(url: string): Promise<SilentProxy> {
    const proxy = new SilentProxy(new URL(url));
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** The way to the server through this proxy. */
  get url(): string {
    const way = new URL(this.target);
    way.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return way.toString();
  }

  /** Data of the open connections is accepted and goes nowhere. */
  swallow(): void {
    for (const socket of this.#silence()) socket.unpipe().resume();
  }

  /** Data of the open connections is no longer accepted: the buffers of both sides fill. */
  block(): void {
    for (const socket of this.#silence()) socket.unpipe().pause();
  }

  #silence(): Socket[] {
    const silent = this.#open.splice(0);
    this.#silent.push(...silent);
    return silent;
  }

  async stop(): Promise<void> {
    for (const socket of [...this.#open, ...this.#silent]) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
