import { joinLines } from '#content';
import { wireAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { encodeWords } from './encoded-word.js';

const LINE_LENGTH_AIM = 76; // RFC 2047 section 2; RFC 5322 2.1.1 asks for 78
const LINE_OCTETS_MAX = 998; // RFC 5322 2.1.1
const QUOTED_NAME_LENGTH_MAX = 60;

const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const PRINTABLE_ASCII = /^[ -~]*$/;
const ATOMS = /^[\w !#$%&'*+/=?^`{|}~-]+$/;

/** Mail programs would decode an "=?" of the author, with all text hidden in it. */
const needsEncoding = (text: string): boolean => !PRINTABLE_ASCII.test(text) || text.includes('=?');

const wordOctetsMax = (name: string): number => LINE_OCTETS_MAX - name.length - 3;

/**
 * Writes `Name: value` folded before the white space each token begins with. Throws for a control character or a token
 * no line can hold: the parts that come from people are cleaned before.
 */
const fold = (name: string, tokens: string[]): string => {
  let field = `${name}:`;
  let column = field.length;
  for (const token of tokens) {
    if (CONTROLS.test(token)) throw new Error(`Control character in the header ${name}.`);
    if (Buffer.byteLength(token) > wordOctetsMax(name)) {
      throw new Error(`The header ${name} holds too long a word.`);
    }
    const breaks = column + token.length > LINE_LENGTH_AIM && column > name.length + 1;
    field += breaks ? `\r\n${token}` : token;
    column = (breaks ? 0 : column) + token.length;
  }
  return field;
};

const spaced = (words: string[]): string[] => words.map((word) => ` ${word}`);

/** Writes a header of free text, encoded by RFC 2047 where it is not plain ASCII or a word is too long to fold. */
export const textField = (name: string, value: string, wordLengthMax = LINE_LENGTH_AIM - 1): string => {
  const text = joinLines(value);
  const words: string[] = ` ${text}`.match(/ +[^ ]+/g) ?? [];
  const plain = !needsEncoding(text) && words.every((word) => word.length <= wordLengthMax);
  return fold(name, plain ? words : spaced(encodeWords(text)));
};

/**
 * The same for a header that a program may read, which compares words and decodes nothing: a Message-ID in In-Reply-To
 * (RFC 2047 section 5 allows no encoded word there) is often longer than a line should be.
 */
export const customField = (name: string, value: string): string => textField(name, value, wordOctetsMax(name));

/** Writes a header that programs read: ASCII words that must stay as they are, folded between them. */
export const tokenField = (name: string, words: string[]): string => fold(name, spaced(words));

const phrase = (display: string): string[] => {
  const name = joinLines(display);
  if (name === '') return [];
  if (needsEncoding(name) || name.length > QUOTED_NAME_LENGTH_MAX) return encodeWords(name);
  return ATOMS.test(name) && !name.includes('  ') ? name.split(' ') : [`"${name.replace(/["\\]/g, '\\$&')}"`];
};

/** Writes a header of addresses: names as atoms, quoted or encoded; without any address an empty group. */
export const addressField = (name: string, addresses: EmailAddress[]): string => {
  if (addresses.length === 0) return fold(name, [' undisclosed-recipients:;']);
  const words = addresses.flatMap((address, at) => {
    const named = phrase(address.display ?? '');
    const mailbox = named.length > 0 ? `<${wireAddress(address)}>` : wireAddress(address);
    return [...named, at < addresses.length - 1 ? `${mailbox},` : mailbox];
  });
  return fold(name, spaced(words));
};

/** Writes `List-Id: Name <id>` (RFC 2919). */
export const listIdField = (display: string, id: string): string =>
  fold('List-Id', spaced([...phrase(display), `<${id}>`]));
