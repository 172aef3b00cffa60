import { TextDecoder } from 'node:util';

/** A line of a file without its line break; of a line that is too long, only the beginning. */
export interface CsvLine {
  /** From 1, as editors count. */
  number: number;
  text: string;
  tooLong: boolean;
}

/** Bounds memory for any file; no genuine row is longer. */
export const lineBytesMax = 2 * 1024 * 1024;

const lf = 0x0a;
const cr = 0x0d;

/**
 * Reads a file line by line; \n, \r\n and \r end a line. Each line is UTF-8, or windows-1252 where it is not valid
 * UTF-8, so that a file merged from both is read correctly. UTF-16 is recognized by its byte order mark.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvLine> {
  let number = 0;
  let parts: Buffer[] = [];
  let size = 0;
  let afterCr = false;
  const keep = (part: Buffer) => {
    if (size < lineBytesMax && part.length > 0) parts.push(part.subarray(0, lineBytesMax - size));
    size += part.length;
  };
  const line = (): CsvLine => {
    const read = { number: ++number, text: decode(Buffer.concat(parts)), tooLong: size > lineBytesMax };
    [parts, size] = [[], 0];
    return read;
  };
  for await (const chunk of asUtf8(chunks)) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === lf && afterCr) {
        from = at + 1;
      } else if (byte === lf || byte === cr) {
        keep(chunk.subarray(from, at));
        yield line();
        from = at + 1;
      }
      afterCr = byte === cr;
    }
    keep(chunk.subarray(from));
  }
  if (size > 0) yield line();
}

const strict = new TextDecoder('utf-8', { fatal: true });
/** What windows-1252 has at 0x80…0x9f, where ISO 8859-1 has control characters. Some Node releases decode the latter. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decode(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (letter) => windows1252[letter.charCodeAt(0) - 0x80]!);
  }
}

/** Converts UTF-16 to UTF-8 and passes other bytes through. */
async function* asUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | null | undefined;
  for await (const chunk of chunks) {
    if (decoder === undefined) decoder = utf16Decoder(chunk);
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  if (decoder) yield Buffer.from(decoder.decode());
}

function utf16Decoder([first, second]: Buffer): TextDecoder | null {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return first === 0xfe && second === 0xff ? new TextDecoder('utf-16be') : null;
}
