import type { PreparedSegment } from '#content';
import { encodeBase64, encodePiece, encodingFor } from './transfer-encoding.js';
import type { EncodedText } from './transfer-encoding.js';

/** An address of which the last characters differ from message to message: letters, digits, `-` and `_`. */
export interface OpenAddress {
  prefix: string;
}

/** What one message adds to its prepared texts. */
export interface PreparedFilling {
  /** By their numbers in the segments. */
  values: readonly string[];
  /** By the numbers of the conditions. */
  shown: readonly boolean[];
  /** Returns what completes an address; `number` is its place in the addresses of the prepared texts. */
  part: (number: number) => string;
}

/** Encoded text, the number of a value, -1 - the number of an address, or a condition for what follows. */
type Piece = string | number | { if: number; skip: number };

const SOFT_BREAK = '=\r\n';
/** What needs no encoding at the beginning of a line: visible characters without `=`, and single blanks between them. */
const PLAIN_VALUE = /^[!-\-/-<>-~](?: ?[!-<>-~])*$/;
const PLAIN_LENGTH_MAX = 75;
/** What `trimEnd` removes, as quoted-printable spells it. */
const ENCODED_SPACES = [
  ...[SOFT_BREAK, '\r\n', ' ', '=20', '=09', '=0B', '=0C', '=C2=A0', '=E1=9A=80', '=E2=81=9F', '=E3=80=80'],
  ...['=EF=BB=BF', '=E2=80=A8', '=E2=80=A9', '=E2=80=AF'],
  ...Array.from({ length: 11 }, (_, n) => `=E2=80=8${n.toString(16).toUpperCase()}`),
];

/** Encodes a value that begins a line, and ends that line. */
const encodeValue = (value: string): string => {
  if (value.length <= PLAIN_LENGTH_MAX && PLAIN_VALUE.test(value)) return value + SOFT_BREAK;
  const { lines, column } = encodePiece(value, 0);
  return column === 0 ? lines : lines + SOFT_BREAK;
};

const spacesBefore = (lines: string, end: number): string | undefined =>
  ENCODED_SPACES.find((spaces) => lines.endsWith(spaces, end));

const trimLines = (lines: string): string => {
  let [start, end] = [0, lines.length];
  for (let spaces = spacesBefore(lines, end); spaces !== undefined; spaces = spacesBefore(lines, end)) {
    end -= spaces.length;
  }
  while (start < end && lines.startsWith('\r\n', start)) start += 2;
  return start < end ? `${lines.slice(start, end)}\r\n` : '';
};

const trimText = (text: string): string => {
  const trimmed = text.trimEnd().replace(/^\n+/u, '');
  return trimmed === '' ? '' : `${trimmed}\n`;
};

/** Encodes the segments of a text so that each value and each completed address begins a line of its own. */
class PieceWriter<U extends OpenAddress> {
  readonly pieces: Piece[] = [];
  #column = 0;

  constructor(
    private readonly addresses: U[],
    private readonly partLength: number,
  ) {}

  write(segments: readonly PreparedSegment<U>[]): void {
    for (let at = 0; at < segments.length; at += 1) {
      const segment = segments[at]!;
      if (typeof segment === 'string') this.#text(segment);
      else if (typeof segment === 'number') this.#own(segment, 0);
      else if ('url' in segment) this.#address(segment.url);
      else {
        this.#guarded(segment.if, segments.slice(at + 1, at + 1 + segment.skip));
        at += segment.skip;
      }
    }
  }

  #text(text: string): void {
    const { lines, column } = encodePiece(text, this.#column);
    this.#append(lines);
    this.#column = column;
  }

  #address(address: U): void {
    this.#text(address.prefix);
    this.#own(-1 - numberOf(address, this.addresses), this.partLength);
  }

  #own(piece: number, column: number): void {
    this.#endLine();
    this.pieces.push(piece);
    this.#column = column;
  }

  /** Whether it shows or not, what follows begins a line. */
  #guarded(condition: number, segments: readonly PreparedSegment<U>[]): void {
    this.#endLine();
    const guard = { if: condition, skip: 0 };
    const start = this.pieces.push(guard);
    this.write(segments);
    this.#endLine();
    guard.skip = this.pieces.length - start;
    this.pieces.push('');
  }

  #endLine(): void {
    if (this.#column > 0) this.#append(SOFT_BREAK);
    this.#column = 0;
  }

  #append(text: string): void {
    const last = this.pieces.length - 1;
    const before = this.pieces[last];
    if (typeof before === 'string') this.pieces[last] = before + text;
    else if (text !== '') this.pieces.push(text);
  }
}

const numberOf = <U>(item: U, items: U[]): number => {
  const known = items.indexOf(item);
  return known < 0 ? items.push(item) - 1 : known;
};

const plainPieces = <U extends OpenAddress>(segments: readonly PreparedSegment<U>[], addresses: U[]): Piece[] => {
  const pieces: Piece[] = [];
  for (let at = 0; at < segments.length; at += 1) {
    const segment = segments[at]!;
    if (typeof segment !== 'object') pieces.push(segment);
    else if ('url' in segment) pieces.push(segment.url.prefix, -1 - numberOf(segment.url, addresses));
    else {
      const inner = plainPieces(segments.slice(at + 1, at + 1 + segment.skip), addresses);
      pieces.push({ if: segment.if, skip: inner.length }, ...inner);
      at += segment.skip;
    }
  }
  return pieces;
};

const constantText = (segments: readonly PreparedSegment<OpenAddress>[], partLength: number): string =>
  segments
    .map((segment) => {
      if (typeof segment === 'string') return segment;
      return typeof segment === 'object' && 'url' in segment ? segment.url.prefix + '-'.repeat(partLength) : '';
    })
    .join('');

/**
 * A text part of which everything constant is encoded once: quoted-printable, or base64 where that is shorter for the
 * constant text. The result decodes to what `encodeText` of the whole text does, and has lines of at most 76 characters.
 */
export class PreparedText<U extends OpenAddress> {
  readonly encoding: EncodedText['encoding'];
  readonly #pieces: Piece[];
  readonly #trims: boolean;

  /**
   * @param addresses collects the addresses in the text
   * @param partLength characters that complete an address, at most 75
   */
  constructor(
    segments: readonly PreparedSegment<U>[],
    { addresses, partLength, trims }: { addresses: U[]; partLength: number; trims: boolean },
  ) {
    this.encoding = encodingFor(constantText(segments, partLength));
    this.#trims = trims;
    if (this.encoding === 'base64') this.#pieces = plainPieces(segments, addresses);
    else {
      const writer = new PieceWriter(addresses, partLength);
      writer.write(segments);
      this.#pieces = writer.pieces;
    }
  }

  /** Returns the encoded lines of one message without the last line break; '' for a trimmed text of which none is left. */
  write(filling: PreparedFilling): string {
    if (this.encoding === 'base64') {
      const text = this.#join(filling, filling.values);
      return encodeBase64(this.#trims ? trimText(text) : text);
    }
    const lines = this.#join(filling, null);
    return this.#trims ? trimLines(lines) : lines;
  }

  /** @param written the values as they are written; null: encoded here */
  #join({ values, shown, part }: PreparedFilling, written: readonly string[] | null): string {
    const pieces = this.#pieces;
    const encoded: string[] = [];
    let joined = '';
    for (let at = 0; at < pieces.length; at += 1) {
      const piece = pieces[at]!;
      if (typeof piece === 'string') joined += piece;
      else if (typeof piece === 'number') {
        if (piece < 0) joined += part(-1 - piece);
        else if (written) joined += written[piece]!;
        else if (values[piece] !== '') joined += encoded[piece] ??= encodeValue(values[piece]!);
      } else if (!shown[piece.if]) at += piece.skip;
    }
    return joined;
  }
}
