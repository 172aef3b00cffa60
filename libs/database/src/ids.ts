import { randomFillSync } from 'node:crypto';

/** The kinds of records that have an id on the wire, by prefix. */
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
  | 'job'
  | 'send'
  | 'aud'
  | 'dlt';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const valueOf = new Map([...alphabet].map((letter, value) => [letter, value]));
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
  const tail = random.subarray(randomAt, randomAt + 8);
  randomAt += 8;
  const ms = Math.max(Date.now(), lastMs);
  if (ms > lastMs) sequence = tail.readUInt16BE(0) & 0x7ff;
  else sequence += 1;
  lastMs = sequence > 0xfff ? ms + 1 : ms;
  if (sequence > 0xfff) sequence = 0;
  const time = lastMs.toString(16).padStart(12, '0');
  const low = tail.toString('hex');
  const variant = ((tail[0]! & 0x3f) | 0x80).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${variant}${low.slice(2, 4)}-${low.slice(4)}`;
}

/** Makes a new id of a kind, as it stands on the wire: prefix, `_`, 26 letters of lower-case Crockford base32. */
export const newId = (prefix: IdPrefix): string => wireId(prefix, newUuid());

const [hyphen, digitZero, letterA] = [0x2d, 0x30, 0x61];

/** A stored uuid as the wire knows it: its 128 bits behind two zero bits, five bits a letter. */
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

const wirePattern = /^([a-z]{2,4})_([0-7][0-9a-hjkmnp-tv-z]{25})$/;

/** The stored uuid behind a wire id, or null when the text is not an id of this kind: then no record has it. */
export function uuidOf(prefix: IdPrefix, id: string | null | undefined): string | null {
  const match = id ? wirePattern.exec(id) : null;
  if (!match || match[1] !== prefix) return null;
  const letters = match[2]!;
  let hex = '';
  let bits = valueOf.get(letters[0]!)!;
  let held = 3;
  for (let i = 1; i < letters.length; i++) {
    bits = (bits << 5) | valueOf.get(letters[i]!)!;
    held += 5;
    while (held >= 4) {
      held -= 4;
      hex += (bits >> held).toString(16);
      bits &= (1 << held) - 1;
    }
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The millisecond an id (wire or uuid) was made: the record's createdAt. */
export function createdAtOf(id: string): Date {
  const prefix = id.slice(0, id.indexOf('_'));
  const uuid = id.includes('_') ? uuidOf(prefix as IdPrefix, id) : id;
  return new Date(uuid ? Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16) : Number.NaN);
}
