import { isIPv6 } from 'node:net';

export interface Admission {
  admitted: boolean;
  evicted: string | null;
}

/**
 * Connections that have shown no token yet, counted by network; when all places are taken, the network with the most
 * loses its oldest one.
 */
export class UnauthenticatedLimit {
  readonly #taken = new Map<string, Set<string>>();
  #total = 0;

  constructor(private readonly limits: { perNetwork: number; inAll: number }) {}

  take(address: string, connection: string): Admission {
    const network = networkOf(address);
    const own = this.#taken.get(network)?.size ?? 0;
    if (own >= this.limits.perNetwork) return { admitted: false, evicted: null };
    let evicted: string | null = null;
    if (this.#total >= this.limits.inAll) {
      const [largest, connections] = [...this.#taken].reduce((most, one) => (one[1].size > most[1].size ? one : most));
      [evicted] = connections as unknown as [string];
      this.#release(largest, evicted);
    }
    this.#taken.set(network, (this.#taken.get(network) ?? new Set()).add(connection));
    this.#total += 1;
    return { admitted: true, evicted };
  }

  giveBack(address: string, connection: string): void {
    this.#release(networkOf(address), connection);
  }

  #release(network: string, connection: string): void {
    const connections = this.#taken.get(network);
    if (!connections?.delete(connection)) return;
    this.#total -= 1;
    if (connections.size === 0) this.#taken.delete(network);
  }
}

/**
 * Returns the network of an address: with IPv6 its first 64 bits, since a host there has all its addresses (RFC 6177).
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/, '').split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
