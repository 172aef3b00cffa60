import { randomFillSync } from 'node:crypto';

export type IdPrefix =
  | 'org'
  | 'tok'
  | 'sub'
  | 'tag'
  | 'fld'
  | 'evt'
  | 'seg'
  | 'cmp'
  | 'hst'
  | 'snp'
  | 'img'
  | 'wf'
  | 'wfv'
  | 'wfg'
  | 'run'
  | 'snd'
  | 'dom'
  | 'wdom'
  | 'msg'
  | 'exp'
  | 'imp'
  | 'job'
  | 'send'
  | 'aud'
  | 'dlt'
  | 'apr'
  | 'adt'
  | 'usr'
  | 'ses'
  | 'inv'
  | 'aex';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** By character code; -1 for a character that is not a letter of an id. */
const valueOf = Int8Array.from({ length: 128 }, (_, code) => alphabet.indexOf(String.fromCharCode(code)));
const byteText = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const random = Buffer.alloc(8 * 512);
let randomAt = random.length;
let lastMs = 0;
let sequence = 0;

/**
 * Makes a UUIDv7 (RFC 9562 section 5.7): its first 48 bits are the creation time in milliseconds. Ids of one process
 * ascend, also within a millisecond (12-bit counter).
 */
export function newUuid(): string {
  if (randomAt === random.length) {
    randomFillSync(random);
    randomAt = 0;
  }
  const [at, high] = [randomAt, random[randomAt]!];
  randomAt += 8;
  const ms = Math.max(Date.now(), lastMs);
  if (ms > lastMs) sequence = random.readUInt16BE(at) & 0x7ff;
  else sequence += 1;
  lastMs = sequence > 0xfff ? ms + 1 : ms;
  if (sequence > 0xfff) sequence = 0;
  const time = lastMs.toString(16).padStart(12, '0');
  const low = random.toString('hex', at + 1, at + 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${byteText[(high & 0x3f) | 0x80]}${low.slice(0, 2)}-${low.slice(2)}`;
}

/** Makes a new id of a kind in wire form: prefix, `_`, 26 letters of lower-case Crockford base32. */
export const newId = (prefix: IdPrefix): string => wireId(prefix, newUuid());

const [hyphen, digitZero, letterA] = [0x2d, 0x30, 0x61];

/** Returns the wire form of a stored uuid: its 128 bits behind two zero bits, five bits a letter. */
export function wireId(prefix: IdPrefix, uuid: string): string {
  let text = `${prefix}_`;
  let bits = 0;
  let held = 2;
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i);
    if (code === hyphen) continue;
    bits = (bits << 4) | (code < letterA ? code - digitZero : code - letterA + 10);
    held += 4;
    if (held < 5) continue;
    held -= 5;
    text += alphabet[bits >> held]!;
    bits &= (1 << held) - 1;
  }
  return text;
}

const lettersOfId = 26;

/** The stored uuid behind a wire id, or null when the text is not an id of this kind: then no record has it. */
export function uuidOf(prefix: IdPrefix, id: string | null | undefined): string | null {
  const from = prefix.length + 1;
  if (id?.length !== from + lettersOfId || !id.startsWith(prefix) || id[from - 1] !== '_') return null;
  let [text, bits, held] = ['', 0, 0];
  for (let at = from; at < id.length; at++) {
    const value = valueOf[id.charCodeAt(at)] ?? -1;
    if (value < 0) return null;
    bits = (bits << 5) | value;
    // Two of the 130 bits of 26 letters are more than a uuid has.
    if (at === from) {
      if (value > 7) return null;
      held = 3;
      continue;
    }
    held += 5;
    if (held < 8) continue;
    held -= 8;
    text += byteText[bits >> held]!;
    bits &= (1 << held) - 1;
  }
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

/** The millisecond an id (wire or uuid) was made: the record's createdAt. */
export function createdAtOf(id: string): Date {
  const prefix = id.slice(0, id.indexOf('_'));
  const uuid = id.includes('_') ? uuidOf(prefix as IdPrefix, id) : id;
  return new Date(uuid ? Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16) : Number.NaN);
}
