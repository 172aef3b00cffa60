const LINE_LENGTH_MAX = 76; // RFC 2045 6.7 and 6.8
const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;
const DOT = 0x2e;
const HEX = Buffer.from('0123456789ABCDEF');

/** 1 where an octet stands for itself wherever it is; blanks and the dot do in most places. */
const LITERAL = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet >= 0x21 && octet <= 0x7e && octet !== EQUALS && octet !== DOT ? 1 : 0,
);

/** 1 where an octet is copied in runs; a blank at the end of a line is looked at once more. */
const PLAIN = LITERAL.with(SPACE, 1);

/** Encoding is synchronous, so that one buffer serves all messages but the largest. */
const scratch = Buffer.allocUnsafe(256 * 1024);

/** Blanks at the end of a line may be stripped on the way, and a dot that begins one means something to SMTP. */
const standsForItself = (octets: Buffer, at: number, column: number): boolean => {
  const octet = octets[at];
  if (octet === SPACE || octet === TAB) return at + 1 < octets.length && octets[at + 1] !== CR;
  return octet === DOT && column > 0 && column < LINE_LENGTH_MAX - 1;
};

/**
 * Writes octets whose line breaks are CRLF as quoted-printable. A dot that begins a line is escaped too: nothing
 * on the wire then depends on dot-stuffing, nor can content imitate the end of a message.
 */
export const quotedPrintable = (octets: Buffer): string => {
  const outMax = octets.length * 3 + Math.ceil((octets.length * 3) / (LINE_LENGTH_MAX - 3)) * 3;
  const out = outMax <= scratch.length ? scratch : Buffer.allocUnsafe(outMax);
  let [at, end, column] = [0, 0, 0];
  while (at < octets.length) {
    // Most text is plain, and runs of it are copied as they are.
    const from = at;
    const lineEnd = Math.min(octets.length, at + LINE_LENGTH_MAX - 1 - column);
    while (at < lineEnd && PLAIN[octets[at]!] === 1) out[end++] = octets[at++]!;
    if (at > from && octets[at - 1] === SPACE && (at === octets.length || octets[at] === CR)) {
      at--;
      end--;
    }
    column += at - from;
    if (at === octets.length) break;
    const octet = octets[at]!;
    if (octet === CR && octets[at + 1] === LF) {
      out[end++] = CR;
      out[end++] = LF;
      column = 0;
      at += 2;
      continue;
    }
    const literal = LITERAL[octet] === 1 || standsForItself(octets, at, column);
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
  return out.toString('latin1', 0, end);
};

const base64Lines = (octets: Buffer): string => octets.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n');

/** A text part as it stands in a message: its encoding and its encoded lines, without a line break at the end. */
export interface EncodedText {
  encoding: 'quoted-printable' | 'base64';
  lines: string;
}

/**
 * Encodes text for a MIME part: UTF-8, CRLF for every kind of line break, no NUL; quoted-printable, or base64 where
 * that is shorter (most alphabets but Latin). Seven bits, lines of at most 76 characters.
 */
export const encodeText = (text: string): EncodedText => {
  const whole = text.includes('\0') ? text.replaceAll('\0', '') : text;
  // Of one kind of line break all are found sooner.
  const clean = whole.includes('\r') ? whole.replace(/\r\n|\r|\n/g, '\r\n') : whole.replaceAll('\n', '\r\n');
  const octets = Buffer.byteLength(clean);
  let escaped = 0;
  // Of one octet a character, none has its eighth bit set.
  if (octets > clean.length) for (const octet of Buffer.from(clean)) escaped += octet >> 7;
  // Quoted-printable takes 3 octets for 1, base64 4 for 3.
  return escaped * 6 > octets
    ? { encoding: 'base64', lines: base64Lines(Buffer.from(clean)) }
    : { encoding: 'quoted-printable', lines: quotedPrintable(Buffer.from(clean)) };
};
