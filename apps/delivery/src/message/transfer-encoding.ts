const LINE_LENGTH_MAX = 76; // RFC 2045 6.7 and 6.8
const SPACE = 0x20;
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
/** Three octets for one, and three for a soft line break in every line, before which a character of four may not fit. */
const encodedMax = (octets: number) => octets * 3 + Math.ceil((octets * 3) / (LINE_LENGTH_MAX - 12) + 1) * 3;

/** Encoding is synchronous, so that these serve all texts but the largest. */
const source = Buffer.allocUnsafeSlow(TEXT_OCTETS_MAX);
const encoded = Buffer.allocUnsafeSlow(encodedMax(TEXT_OCTETS_MAX));

const endsLine = (octets: Buffer, at: number, length: number): boolean =>
  at === length || octets[at] === CR || octets[at] === LF;

/** Characters that an octet takes which is escaped, with those of its character that follow it (RFC 3629). */
const escapedLength = (octet: number): number => {
  if (octet < 0xc0) return 3;
  if (octet < 0xe0) return 6;
  return octet < 0xf0 ? 9 : 12;
};

/**
 * Writes the first `length` octets as quoted-printable, every kind of line break as CRLF. A dot that begins a line is
 * escaped too: nothing on the wire then depends on dot-stuffing, nor can content imitate the end of a message. So are
 * tabs and a blank after a blank: DKIM's relaxed form of the result is the result itself. No character is torn.
 * @param out has room for `encodedMax(length)`
 * @param column characters on the line so far @returns how many octets were written
 */
const quotedPrintable = (octets: Buffer, length: number, out: Buffer, column = 0): number => {
  let [at, end] = [0, 0];
  while (at < length) {
    const from = at;
    const lineEnd = Math.min(length, at + LINE_LENGTH_MAX - 1 - column);
    while (at < lineEnd && PLAIN[octets[at]!] === 1) {
      if (octets[at] === SPACE && octets[at - 1] === SPACE) break;
      out[end++] = octets[at++]!;
    }
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
      (octet === SPACE && octets[at - 1] !== SPACE && !endsLine(octets, at + 1, length)) ||
      (octet === DOT && column > 0 && column < LINE_LENGTH_MAX - 1);
    if (column + (literal ? 1 : escapedLength(octet)) >= LINE_LENGTH_MAX) {
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

const base64Lines = (octets: Buffer): string => {
  const text = octets.toString('base64');
  let lines = text.slice(0, LINE_LENGTH_MAX);
  for (let at = LINE_LENGTH_MAX; at < text.length; at += LINE_LENGTH_MAX) {
    lines += `\r\n${text.slice(at, at + LINE_LENGTH_MAX)}`;
  }
  return lines;
};

export interface EncodedText {
  encoding: 'quoted-printable' | 'base64';
  lines: string;
}

const highOctets = (octets: Buffer, length: number): number => {
  let high = 0;
  for (let at = 0; at < length; at++) high += octets[at]! >> 7;
  return high;
};

const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text);

/** Returns a text's octets in UTF-8, in a buffer that the next text reuses. */
const octetsOf = (text: string): { octets: Buffer; length: number } => {
  // UTF-8 takes at most three octets for a code unit.
  const octets = text.length * 3 > TEXT_OCTETS_MAX ? Buffer.from(text) : source;
  return { octets, length: octets === source ? source.write(text) : octets.length };
};

/** Of one octet a character, none has its eighth bit set. Quoted-printable takes 3 octets for 1, base64 4 for 3. */
const isShorterInBase64 = (text: string, octets: Buffer, length: number): boolean =>
  length > text.length && highOctets(octets, length) * 6 > length;

const writeQuotedPrintable = (octets: Buffer, length: number, column = 0): string => {
  const out = octets === source ? encoded : Buffer.allocUnsafe(encodedMax(length));
  return out.toString('latin1', 0, quotedPrintable(octets, length, out, column));
};

/** Encodes as `encodeText` does in base64. */
export const encodeBase64 = (text: string): string =>
  base64Lines(Buffer.from(withoutNul(text).replace(/\r\n|\r|\n/g, '\r\n')));

/**
 * Encodes a piece of a text as quoted-printable.
 * @param column characters that stand on the line before it
 * @returns the lines, and the characters on the last one
 */
export const encodePiece = (text: string, column: number): { lines: string; column: number } => {
  const { octets, length } = octetsOf(withoutNul(text));
  const lines = writeQuotedPrintable(octets, length, column);
  const lastBreak = lines.lastIndexOf('\r\n');
  return { lines, column: lastBreak < 0 ? column + lines.length : lines.length - lastBreak - 2 };
};

/** The encoding in which a text is shorter: base64 for most alphabets but Latin. */
export const encodingFor = (text: string): EncodedText['encoding'] => {
  const { octets, length } = octetsOf(text);
  return isShorterInBase64(text, octets, length) ? 'base64' : 'quoted-printable';
};

/**
 * Encodes text for a MIME part: UTF-8, CRLF for every kind of line break, no NUL; quoted-printable, or base64 where
 * that is shorter (most alphabets but Latin). Seven bits, lines of at most 76 characters.
 */
export const encodeText = (text: string): EncodedText => {
  const whole = withoutNul(text);
  const { octets, length } = octetsOf(whole);
  if (isShorterInBase64(whole, octets, length)) return { encoding: 'base64', lines: encodeBase64(whole) };
  return { encoding: 'quoted-printable', lines: writeQuotedPrintable(octets, length) };
};
