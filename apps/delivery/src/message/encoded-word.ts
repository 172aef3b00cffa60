/**
 * RFC 2047 allows 75 characters a word and 76 a line. 60 leave room for "Reply-To: " before the first word, so that
 * no header begins with an empty line.
 */
const WORD_LENGTH_MAX = 60;
const Q = { open: '=?utf-8?Q?', lengthMax: WORD_LENGTH_MAX - 12 };
const B = { open: '=?utf-8?B?', octetsMax: ((WORD_LENGTH_MAX - 12) / 4) * 3 };
/** Characters that need no encoding wherever an encoded word may occur (RFC 2047 section 5, rule 3). */
const SAFE = /[A-Za-z0-9!*+/-]/g;

const inQ = (char: string): string => {
  if (char === ' ') return '_';
  if (/[A-Za-z0-9!*+/-]/.test(char)) return char;
  return Buffer.from(char).toString('hex').toUpperCase().replace(/../g, '=$&');
};

/** Whole code points a word, so that no character is torn. */
const pack = (chars: Iterable<string>, sizeMax: number, sizeOf: (char: string) => number): string[] => {
  const words: string[] = [];
  let word = '';
  let size = 0;
  for (const char of chars) {
    const more = sizeOf(char);
    if (size + more > sizeMax) {
      words.push(word);
      word = '';
      size = 0;
    }
    word += char;
    size += more;
  }
  words.push(word);
  return words;
};

/**
 * Writes text as RFC 2047 encoded words in UTF-8, Q or B, whichever is shorter. Joined by white space, readers
 * get the text back unchanged, its own spaces included.
 */
export const encodeWords = (text: string): string[] => {
  const wellFormed = Buffer.from(text).toString(); // a lone surrogate becomes U+FFFD
  const octets = Buffer.byteLength(wellFormed);
  const safe = (wellFormed.match(SAFE)?.length ?? 0) + (wellFormed.match(/ /g)?.length ?? 0);
  if (safe + (octets - safe) * 3 <= Math.ceil(octets / 3) * 4) {
    return pack(Array.from(wellFormed, inQ), Q.lengthMax, (char) => char.length).map((word) => `${Q.open}${word}?=`);
  }
  return pack(wellFormed, B.octetsMax, (char) => Buffer.byteLength(char)).map(
    (word) => `${B.open}${Buffer.from(word).toString('base64')}?=`,
  );
};
