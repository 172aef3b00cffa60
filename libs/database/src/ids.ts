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
  | 'sim'
  | 'send'
  | 'aud'
  | 'dlt'
  | 'apr'
  | 'adt'
  | 'usr'
  | 'ses'
  | 'inv'
  | 'fct'
  | 'aex';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const letterCodes = Buffer.from(alphabet);
/** By character code; -1 for a character that is not a letter of an id. */
const valueOf = Int8Array.from({ length: 128 }, (_, code) => alphabet.indexOf(String.fromCharCode(code)));
const hexCodes = Buffer.from('0123456789abcdef');
/** Where the digits of the bytes of a uuid stand in its text. */
const digitPlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const lettersOfId = 26;
// Ids are made and read for each row of large calls: a text written here costs a fifth of one put together from pieces.
const uuidText = Buffer.from('00000000-0000-0000-0000-000000000000');
const idText = Buffer.alloc(lettersOfId);
const random = Buffer.alloc(8 * 512);
let randomAt = random.length;
let lastMs = 0;
let sequence = 0;

const writeByte = (at: number, byte: number): void => {
  const place = digitPlaces[at]!;
  uuidText[place] = hexCodes[byte >> 4]!;
  uuidText[place + 1] = hexCodes[byte & 0xf]!;
};

/**
 * Makes a UUIDv7 (RFC 9562 section 5.7): its first 48 bits are the creation time in milliseconds. Ids of one process
 * ascend, also within a millisecond (12-bit counter).
 */
export function newUuid(): string {
  if (randomAt === random.length) {
    randomFillSync(random);
    randomAt = 0;
  }
  const at = randomAt;
  randomAt += 8;
  const ms = Math.max(Date.now(), lastMs);
  if (ms > lastMs) sequence = random.readUInt16BE(at) & 0x7ff;
  else sequence += 1;
  lastMs = sequence > 0xfff ? ms + 1 : ms;
  if (sequence > 0xfff) sequence = 0;
  const high = Math.floor(lastMs / 2 ** 32);
  writeByte(0, high >> 8);
  writeByte(1, high & 0xff);
  for (let byte = 2; byte < 6; byte++) writeByte(byte, (lastMs >>> (8 * (5 - byte))) & 0xff);
  writeByte(6, 0x70 | (sequence >> 8));
  writeByte(7, sequence & 0xff);
  writeByte(8, (random[at]! & 0x3f) | 0x80);
  for (let byte = 1; byte < 8; byte++) writeByte(8 + byte, random[at + byte]!);
  return uuidText.toString('latin1');
}

/** Makes a new id of a kind in wire form: prefix, `_`, 26 letters of lower-case Crockford base32. */
export const newId = (prefix: IdPrefix): string => wireId(prefix, newUuid());

const [hyphen, digitZero, letterA] = [0x2d, 0x30, 0x61];

/** Returns the wire form of a stored uuid: its 128 bits behind two zero bits, five bits a letter. */
export function wireId(prefix: IdPrefix, uuid: string): string {
  let [letters, bits, held] = [0, 0, 2];
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i);
    if (code === hyphen) continue;
    bits = (bits << 4) | (code < letterA ? code - digitZero : code - letterA + 10);
    held += 4;
    if (held < 5) continue;
    held -= 5;
    idText[letters++] = letterCodes[bits >> held]!;
    bits &= (1 << held) - 1;
  }
  return `${prefix}_${idText.toString('latin1', 0, letters)}`;
}

/** The stored uuid behind a wire id, or null when the text is not an id of this kind: then no record has it. */
export function uuidOf(prefix: IdPrefix, id: string | null | undefined): string | null {
  const from = prefix.length + 1;
  if (id?.length !== from + lettersOfId || !id.startsWith(prefix) || id[from - 1] !== '_') return null;
  let [byte, bits, held] = [0, 0, 0];
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
    writeByte(byte++, bits >> held);
    bits &= (1 << held) - 1;
  }
  return uuidText.toString('latin1');
}

/** The millisecond an id (wire or uuid) was made: the record's createdAt. */
export function createdAtOf(id: string): Date {
  const prefix = id.slice(0, id.indexOf('_'));
  const uuid = id.includes('_') ? uuidOf(prefix as IdPrefix, id) : id;
  return new Date(uuid ? Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16) : Number.NaN);
}

/** Returns the lowest UUID v7 that can be made at an instant, in milliseconds; instants before 1970 give that of 1970. */
export function lowestUuidAt(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * Bits of a message id below its chunk: a chunk has at most 1,024 recipients. Chunks are numbered below 2^21, so that
 * chunk and position fit a signed `int4` column.
 */
const positionBits = 10;
const positionMax = 2 ** positionBits - 1;
const chunkMax = 2 ** 21 - 1;
/** The length of the part of a uuid's text that the messages of a send share: all but the lowest 32 bits. */
const sharedLength = 28;
const noPosition = '00000000';

/** Where a message of a campaign's send is: number of the chunk, and place in it, both from 0. */
export interface MessagePosition {
  sendUuid: string;
  chunk: number;
  position: number;
}

/** The place of the version (RFC 9562 section 4.2) in the text of a uuid. */
const versionAt = 14;

/**
 * Makes the id of a send whose messages have ids by position: a UUIDv8 (RFC 9562 section 5.8) with the layout of a v7,
 * whose lowest 32 bits are zero. The version distinguishes its messages from single ones, which have a v7.
 */
export function newSendUuid(): string {
  const uuid = newUuid();
  return `${uuid.slice(0, versionAt)}8${uuid.slice(versionAt + 1, sharedLength)}${noPosition}`;
}

/** Whether the messages of a send have ids by position; the ids of older sends end in other bits. */
export const isByPosition = (sendUuid: string): boolean => sendUuid.endsWith(noPosition, 36);

/** Whether the id of a message follows from its send and position; false for single messages and for older sends. */
export const isMessageByPosition = (messageUuid: string): boolean => messageUuid[versionAt] === '8';

/** Chunk and position as one number below 2^31, which ascends within a send: the lowest 32 bits of the message's id. */
export function slotOf(chunk: number, position: number): number {
  if (!(Number.isInteger(chunk) && chunk >= 0 && chunk <= chunkMax)) throw new RangeError(`no chunk ${chunk}`);
  if (!(Number.isInteger(position) && position >= 0 && position <= positionMax))
    throw new RangeError(`no position ${position}`);
  return chunk * 2 ** positionBits + position;
}

/** The id of the message of one recipient of a send: the send's id with chunk and position in its lowest 32 bits. */
export function messageIdAt(sendUuid: string, chunk: number, position: number): string {
  if (!isByPosition(sendUuid)) throw new RangeError(`the messages of send ${sendUuid} have no ids by position`);
  return sendUuid.slice(0, sharedLength) + slotOf(chunk, position).toString(16).padStart(8, '0');
}

/**
 * Reads send, chunk and position from the id of a message. Any uuid can be read this way: only if the send exists, the
 * message is one of its recipients.
 */
export function positionOf(messageUuid: string): MessagePosition {
  const slot = Number.parseInt(messageUuid.slice(sharedLength), 16);
  return {
    sendUuid: messageUuid.slice(0, sharedLength) + noPosition,
    chunk: Math.floor(slot / 2 ** positionBits),
    position: slot & positionMax,
  };
}

/** SQL: the id of a message; `send`: SQL of the send's id; `slot`: SQL of chunk and position as one number. */
export const messageIdSql = (send: string, slot: string): string =>
  `(left(${send}::text, ${sharedLength}) || lpad(to_hex(${slot}), 8, '0'))::uuid`;
