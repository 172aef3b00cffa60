import { createReadStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../command-error.js';
import type { Api, ApiResponse } from '../api.js';

/** Bytes of one request; a break costs no more than that. */
const pieceBytes = 4 * 1024 * 1024;
/** Together a minute: longer than the restart of a service. */
const retryMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000];

export class ImportUpload {
  /** @param place bytes of the file that the import has already */
  constructor(
    private readonly api: Api,
    private readonly importId: string,
    private place: number,
    private readonly waitMs: readonly number[] = retryMs,
  ) {}

  /**
   * Sends the rest of a file in pieces; after a break each goes on at the byte that was received.
   * @param path `-` for the standard input
   * @param onPiece receives the number of bytes received
   * @throws CommandError when the file cannot be read, or the upload is refused
   */
  async send(path: string, onPiece: (receivedBytes: number) => void): Promise<void> {
    for await (const piece of readPieces(path, this.place)) {
      await this.#sendPiece(piece);
      onPiece(this.place);
    }
  }

  async #sendPiece(piece: Uint8Array<ArrayBuffer>): Promise<void> {
    const start = this.place;
    const end = start + piece.length;
    for (let attempt = 0; ; attempt++) {
      const response = await this.#put(piece.subarray(this.place - start));
      if (response?.status === 200) break;
      const isFinal = response !== null && response.status < 500 && response.status !== 429 && !isBroken(response);
      if (isFinal || attempt === this.waitMs.length) throw new CommandError(refusalText(response, this.importId));
      await pause(this.waitMs[attempt]);
      const { import: state } = await this.api.call('get_subscriber_import', { importId: this.importId });
      if (state.receivedBytes < start || state.receivedBytes > end)
        throw new CommandError(`The import has ${state.receivedBytes} bytes: another upload of it runs.`);
      this.place = state.receivedBytes;
    }
    this.place = end;
  }

  /** @returns null when no answer came */
  async #put(bytes: Uint8Array<ArrayBuffer>): Promise<ApiResponse | null> {
    const path = `/api/v2/imports/${this.importId}/file?offset=${this.place}`;
    return await this.api.put(path, bytes).catch((error: unknown) => {
      if (error instanceof TypeError || error instanceof SyntaxError || error instanceof DOMException) return null;
      throw error;
    });
  }
}

/** A body that was broken off, or a piece that had arrived before the break. */
const isBroken = ({ body }: ApiResponse): boolean =>
  ['OFFSET_WRONG', 'REQUEST_MALFORMED'].includes(body.reason as string);

const refusalText = (response: ApiResponse | null, importId: string): string =>
  `${(response?.body.error as string | undefined) ?? 'The upload broke off, and the system does not answer.'} Go on with: imports run FILE --resume ${importId}`;

async function* readPieces(path: string, start: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const source = path === '-' ? process.stdin : createReadStream(path, { start, highWaterMark: pieceBytes });
  let parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      parts.push(chunk);
      size += chunk.length;
      if (size < pieceBytes) continue;
      yield new Uint8Array(Buffer.concat(parts));
      [parts, size] = [[], 0];
    }
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : new CommandError(`${path} cannot be read: ${message}`);
  }
  if (size > 0) yield new Uint8Array(Buffer.concat(parts));
}
