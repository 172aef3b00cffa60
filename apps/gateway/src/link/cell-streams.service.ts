import type { Bus, DurableStream } from '#bus';

/** One durable stream per cell: created before its first use, and again if it was lost. */
export class CellStreams {
  readonly #streams = new Map<string, Promise<DurableStream>>();

  /** @param open names the stream of a cell, which need not exist */
  constructor(
    private readonly connection: Bus['connection'],
    private readonly open: (cell: Pick<Bus, 'connection' | 'namespace'>) => DurableStream,
  ) {}

  /** Uses the stream of a cell. @returns what `work` returns; throws what it throws, or that there is no stream */
  async use<T>(cell: string, work: (stream: DurableStream) => Promise<T>): Promise<T> {
    const ensured = this.#streams.get(cell) ?? this.#ensure(cell);
    this.#streams.set(cell, ensured);
    try {
      return await work(await ensured);
    } catch (error) {
      this.#streams.delete(cell);
      throw error;
    }
  }

  async #ensure(cell: string): Promise<DurableStream> {
    const stream = this.open({ connection: this.connection, namespace: cell });
    await stream.ensure();
    return stream;
  }
}
