import { isUtf8 } from 'node:buffer';
import { importPieceBytes } from '#contracts';
import type { importDelimiters, importEncodings } from '#contracts';

export type ImportEncoding = (typeof importEncodings)[number];
export type ImportDelimiter = (typeof importDelimiters)[number];

export interface FileFormat {
  encoding: ImportEncoding;
  delimiter: string;
  /** Bytes before the first line: a byte order mark. */
  startBytes: number;
  /** CR alone, as old Macs end lines, where a file has no LF. */
  lineEnd: '\n' | '\r';
}

/** What windows-1252 has at 0x80…0x9f, where some Node releases decode the control characters of ISO 8859-1. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * In a UTF-8 file a line that is no valid UTF-8 is read as windows-1252, so that a file merged from both is read
 * correctly.
 */
export function decode(bytes: Buffer, encoding: ImportEncoding): string {
  if (encoding === 'utf-16le') return bytes.toString('utf16le');
  if (encoding === 'utf-16be') return Buffer.from(bytes).swap16().toString('utf16le');
  if (encoding === 'utf-8' && isUtf8(bytes)) return bytes.toString('utf8');
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (letter) => windows1252[letter.charCodeAt(0) - 0x80]!);
}

const marks: readonly [ImportEncoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Detects encoding, delimiter and line end from the first bytes of a file.
 * @param given what the caller named, which goes before what is detected
 */
export function detectFormat(
  head: Buffer,
  given: { delimiter: string | null; encoding: ImportEncoding | null },
): FileFormat {
  const mark = marks.find(([, bytes]) => bytes.every((byte, at) => head[at] === byte));
  const encoding = given.encoding ?? mark?.[0] ?? withoutMark(head);
  const startBytes = mark?.[0] === encoding ? mark[1].length : 0;
  const whole = encoding.startsWith('utf-16') ? head.length - ((head.length - startBytes) % 2) : head.length;
  const text = decode(head.subarray(startBytes, whole), encoding);
  const lineEnd = !text.includes('\n') && text.includes('\r') ? '\r' : '\n';
  const first = text.split(lineEnd).find((line) => line.trim() !== '' && !/^sep=.\s*$/i.test(line)) ?? '';
  const reported = /^\s*sep=(.)\s*$/im.exec(text.split(lineEnd, 1)[0]!)?.[1];
  return { encoding, startBytes, lineEnd, delimiter: given.delimiter ?? reported ?? delimiterOf(first) };
}

/** Every second byte of ASCII in UTF-16 is zero; text in UTF-8 and windows-1252 has no such byte. */
function withoutMark(head: Buffer): ImportEncoding {
  const sample = head.subarray(0, 1024);
  const zeros = (from: number) => sample.filter((byte, at) => at % 2 === from && byte === 0).length;
  const [even, odd] = [zeros(0), zeros(1)];
  if (odd > sample.length / 4 && even === 0) return 'utf-16le';
  if (even > sample.length / 4 && odd === 0) return 'utf-16be';
  // The head of a longer file may end within a letter of up to four bytes.
  const cuts = head.length < importPieceBytes ? [0] : [0, 1, 2, 3];
  return cuts.some((cut) => isUtf8(head.subarray(0, head.length - cut))) ? 'utf-8' : 'windows-1252';
}

function delimiterOf(header: string): ImportDelimiter {
  const outside = header.replace(/"[^"]*"/g, '');
  const candidates: readonly ImportDelimiter[] = [',', ';', '\t', '|'];
  const count = (delimiter: string) => outside.split(delimiter).length;
  return candidates.reduce((best, one) => (count(one) > count(best) ? one : best));
}
