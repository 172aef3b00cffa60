const LINE_LENGTH_MAX = 76; // RFC 2045 6.7 and 6.8
const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;
const DOT = 0x2e;
const HEX = Buffer.from('0123456789ABCDEF');

/** 1 for an octet that needs no encoding at any position; blanks and the dot need none at most positions. */
const LITERAL = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet >= 0x21 && octet <= 0x7e && octet !== EQUALS && octet !== DOT ? 1 : 0,
);

/** 1 where an octet is copied in runs; a blank at the end of a line is looked at once more. */
const PLAIN = LITERAL.with(SPACE, 1);

/** Octets of a text that is encoded without making buffers for it. */
const TEXT_OCTETS_MAX = 128 * 1024;
/** Three octets for one, and three for a soft line break in every line. */
const encodedMax = (octets: number) => octets * 3 + Math.ceil((octets * 3) / (LINE_LENGTH_MAX - 3)) * 3;

/** Encoding is synchronous, so that these serve all texts but the largest. */
const source = Buffer.allocUnsafeSlow(TEXT_OCTETS_MAX);
const encoded = Buffer.allocUnsafeSlow(encodedMax(TEXT_OCTETS_MAX));

const endsLine = (octets: Buffer, at: number, length: number): boolean =>
  at === length || octets[at] === CR || octets[at] === LF;

/**
 * Writes the first `length` octets as quoted-printable, every kind of line break as CRLF. A dot that begins a line is
 * escaped too: nothing on the wire then depends on dot-stuffing, nor can content imitate the end of a message.
 * @param out has room for `encodedMax(length)` @returns how many octets were written
 */
const quotedPrintable = (octets: Buffer, length: number, out: Buffer): number => {
  let [at, end, column] = [0, 0, 0];
  while (at < length) {
    const from = at;
    const lineEnd = Math.min(length, at + LINE_LENGTH_MAX - 1 - column);
    while (at < lineEnd && PLAIN[octets[at]!] === 1) out[end++] = octets[at++]!;
    // Blanks at the end of a line may be stripped on the way.
    if (at > from && octets[at - 1] === SPACE && endsLine(octets, at, length)) {
      at--;
      end--;
    }
    column += at - from;
    if (at === length) break;
    const octet = octets[at]!;
    if (octet === CR || octet === LF) {
      out[end++] = CR;
      out[end++] = LF;
      column = 0;
      at += octet === CR && octets[at + 1] === LF && at + 1 < length ? 2 : 1;
      continue;
    }
    const literal =
      LITERAL[octet] === 1 ||
      ((octet === SPACE || octet === TAB) && !endsLine(octets, at + 1, length)) ||
      (octet === DOT && column > 0 && column < LINE_LENGTH_MAX - 1);
    if (column + (literal ? 1 : 3) >= LINE_LENGTH_MAX) {
      out[end++] = EQUALS;
      out[end++] = CR;
      out[end++] = LF;
      column = 0;
    }
    if (literal) {
      out[end++] = octet;
      column += 1;
    } else {
      out[end++] = EQUALS;
      out[end++] = HEX[octet >> 4]!;
      out[end++] = HEX[octet & 15]!;
      column += 3;
    }
    at++;
  }
  return end;
};

const base64Lines = (octets: Buffer): string => octets.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n');

export interface EncodedText {
  encoding: 'quoted-printable' | 'base64';
  lines: string;
}

const highOctets = (octets: Buffer, length: number): number => {
  let high = 0;
  for (let at = 0; at < length; at++) high += octets[at]! >> 7;
  return high;
};

/**
 * Encodes text for a MIME part: UTF-8, CRLF for every kind of line break, no NUL; quoted-printable, or base64 where
 * that is shorter (most alphabets but Latin). Seven bits, lines of at most 76 characters.
 */
export const encodeText = (text: string): EncodedText => {
  const whole = text.includes('\0') ? text.replaceAll('\0', '') : text;
  // UTF-8 takes at most three octets for a code unit.
  const octets = whole.length * 3 > TEXT_OCTETS_MAX ? Buffer.from(whole) : source;
  const length = octets === source ? source.write(whole) : octets.length;
  // Of one octet a character, none has its eighth bit set. Quoted-printable takes 3 octets for 1, base64 4 for 3.
  if (length > whole.length && highOctets(octets, length) * 6 > length) {
    return { encoding: 'base64', lines: base64Lines(Buffer.from(whole.replace(/\r\n|\r|\n/g, '\r\n'))) };
  }
  const out = octets === source ? encoded : Buffer.allocUnsafe(encodedMax(length));
  return { encoding: 'quoted-printable', lines: out.toString('latin1', 0, quotedPrintable(octets, length, out)) };
};
