/** The connections of each address that have shown no token yet: one address of the world must not take all places. */
export class StrangerPlaces {
  readonly #taken = new Map<string, Set<string>>();

  constructor(private readonly max: number) {}

  /** Takes a place for a connection. @returns false when its address has as many as it may */
  take(address: string, connection: string): boolean {
    const connections = this.#taken.get(address) ?? new Set();
    if (connections.size >= this.max) return false;
    this.#taken.set(address, connections.add(connection));
    return true;
  }

  /** Of a connection that showed its token or has ended; also of one that has no place. */
  giveBack(address: string, connection: string): void {
    const connections = this.#taken.get(address);
    if (connections?.delete(connection) && connections.size === 0) this.#taken.delete(address);
  }
}
