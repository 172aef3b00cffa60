import { readUuid, writeUuid } from './id-bytes.js';

/** 36^6 is above 2^31, so that six digits hold 31 bits; two hold 10. */
const GROUP = { bits: 31, digits: 6 };
const SHORT_GROUP = { bits: 10, digits: 2 };
const MONTHS_BEFORE = 2000 * 12;
const MONTH_BITS = 11;
export const RETURN_PATH_DIGITS = 62;
const FIXED_DIGITS = 4 * GROUP.digits + SHORT_GROUP.digits;
export const RETURN_PATH_TAG_OCTETS = 8;

/** Writes bits as groups of base 36 digits. */
class DigitWriter {
  text = '';
  #value = 0;
  #bits = 0;

  /** @param bits up to 16 */
  put(value: number, bits: number): void {
    this.#value = this.#value * 2 ** bits + value;
    this.#bits += bits;
    if (this.#bits >= GROUP.bits) this.#flush(GROUP);
  }

  /** The version and the variant of a UUID are known, so that 122 bits are left. @throws RangeError for another one */
  putUuid(bytes: Buffer, at: number, version: UuidVersion): void {
    if (bytes[at + 6]! >> 4 !== version || bytes[at + 8]! >> 6 !== 2) throw new RangeError(`Not a UUIDv${version}.`);
    for (let word = 0; word < 8; word++) {
      const bits = WORD_BITS[word]!;
      this.put(bytes.readUInt16BE(at + 2 * word) & (2 ** bits - 1), bits);
    }
  }

  flushShort(): void {
    this.#flush(SHORT_GROUP);
  }

  #flush({ bits, digits }: typeof GROUP): void {
    this.#bits -= bits;
    const rest = 2 ** this.#bits;
    const group = Math.floor(this.#value / rest);
    this.#value -= group * rest;
    this.text += group.toString(36).padStart(digits, '0');
  }
}

/** Of ids in general, and of messages with ids by position. */
type UuidVersion = 7 | 8;
const versionOf = (hidden: boolean): UuidVersion => (hidden ? 8 : 7);

const WORD_BITS = [16, 16, 16, 12, 14, 16, 16, 16];

/** Reads the groups of a return path as bits. */
class DigitReader {
  #at = 0;
  #value = 0;
  #bits = 0;

  constructor(private readonly text: string) {}

  take(bits: number): number {
    if (this.#bits < bits) this.#fill();
    this.#bits -= bits;
    const rest = 2 ** this.#bits;
    const value = Math.floor(this.#value / rest);
    this.#value -= value * rest;
    return value;
  }

  takeUuid(version: UuidVersion): string {
    const bytes = Buffer.alloc(16);
    for (let word = 0; word < 8; word++) bytes.writeUInt16BE(this.take(WORD_BITS[word]!), 2 * word);
    bytes[6]! |= version << 4;
    bytes[8]! |= 0x80;
    return readUuid(bytes, 0);
  }

  #fill(): void {
    const { bits, digits } = this.#at === FIXED_DIGITS - SHORT_GROUP.digits ? SHORT_GROUP : GROUP;
    // A group of digits can exceed its bits; then the token is not spelled as it would be written.
    const group = parseInt(this.text.slice(this.#at, this.#at + digits), 36) % 2 ** bits;
    this.#value = this.#value * 2 ** bits + group;
    this.#bits += bits;
    this.#at += digits;
  }
}

/** What the tag of a return path covers, and the tag: 122 + 11 + 1 + 122 + 64 = 320 bits. */
export interface ReturnPathBits {
  organizationId: string;
  period: string;
  hidden: boolean;
  /** As it stands in the token: `hidden` says whether its last 32 bits are permuted, and that it is a UUIDv8. */
  messageId: string;
  tag: Buffer;
}

/** Writes the part that all messages of a send share. @throws RangeError for a month before 2000 or after 2170-08 */
export const writeFixedDigits = ({
  organizationId,
  period,
  hidden,
}: Omit<ReturnPathBits, 'messageId' | 'tag'>): string => {
  const month = Number(period.slice(0, 4)) * 12 + Number(period.slice(5)) - 1 - MONTHS_BEFORE;
  if (!(month >= 0 && month < 2 ** MONTH_BITS)) throw new RangeError(`No month for a return path: ${period}`);
  const bytes = Buffer.alloc(16);
  writeUuid(organizationId, bytes, 0);
  const writer = new DigitWriter();
  writer.putUuid(bytes, 0, 7);
  writer.put(month, MONTH_BITS);
  writer.put(hidden ? 1 : 0, 1);
  writer.flushShort();
  return writer.text;
};

/**
 * Writes the part of one message.
 * @param bytes holds the message's id at `at`
 * @param hidden as in the part that all messages share
 */
export const writeMessageDigits = (
  bytes: Buffer,
  at: number,
  { hidden, tag }: Pick<ReturnPathBits, 'hidden' | 'tag'>,
): string => {
  const writer = new DigitWriter();
  writer.putUuid(bytes, at, versionOf(hidden));
  for (let word = 0; word < RETURN_PATH_TAG_OCTETS / 2; word++) writer.put(tag.readUInt16BE(2 * word), 16);
  return writer.text;
};

/** Reads both parts; null unless they are exactly what the writers give. */
export const readReturnPathDigits = (token: string): ReturnPathBits | null => {
  if (token.length !== RETURN_PATH_DIGITS || !/^[0-9a-z]+$/.test(token)) return null;
  const reader = new DigitReader(token);
  const organizationId = reader.takeUuid(7);
  const months = reader.take(MONTH_BITS) + MONTHS_BEFORE;
  const hidden = reader.take(1) === 1;
  const messageId = reader.takeUuid(versionOf(hidden));
  const tag = Buffer.alloc(RETURN_PATH_TAG_OCTETS);
  for (let word = 0; word < RETURN_PATH_TAG_OCTETS / 2; word++) tag.writeUInt16BE(reader.take(16), 2 * word);
  const period = `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`;
  const read = { organizationId, period, hidden, messageId, tag };
  return spell(read) === token ? read : null;
};

const spell = ({ messageId, tag, ...fixed }: ReturnPathBits): string => {
  const bytes = Buffer.alloc(16);
  writeUuid(messageId, bytes, 0);
  return writeFixedDigits(fixed) + writeMessageDigits(bytes, 0, { hidden: fixed.hidden, tag });
};
