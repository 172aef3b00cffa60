/** Whose mail a public link belongs to; ids are UUIDs in hex with dashes. */
export interface MessageLink {
  organizationId: string;
  messageId: string | null;
  subscriberId: string | null;
  campaignId: string | null;
  /** Month of the send, `yyyy-mm`: it names the partition that holds the message. */
  period: string;
}

/** A tracked link: where it leads, which of the mail's links it is (from 0), and the tags a click changes, by name. */
export interface ClickLink extends MessageLink {
  link: number;
  target: string;
  addTags?: string[];
  removeTags?: string[];
}

/** The message a bounce is about. A local part has 64 octets, so only what finds the row is in it. */
export interface ReturnPath {
  organizationId: string;
  messageId: string;
  period: string;
}

export interface LinkPayloads {
  open: MessageLink;
  click: ClickLink;
  unsubscribe: MessageLink;
  preferences: MessageLink;
  view: MessageLink;
  confirm: MessageLink;
  'return-path': ReturnPath;
}

export type LinkKind = keyof LinkPayloads;

const UUID_OCTETS = 16;
const UUID_DASHES = [8, 13, 18, 23];
const PERIOD = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const OPTIONAL_IDS = ['messageId', 'subscriberId', 'campaignId'] as const;
const MESSAGE_OCTETS_MAX = 1 + 2 + 4 * 16;
const VERSION = 1;

/** Position of each octet's two digits in a UUID. */
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
/** By character code; -1 for a character that is not a hex digit. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

const digit = (text: string, at: number): number => DIGITS[text.charCodeAt(at)] ?? -1;

const writeUuid = (uuid: string, into: Buffer, at: number): number => {
  let isUuid = uuid.length === 36 && UUID_DASHES.every((place) => uuid[place] === '-');
  for (let octet = 0; isUuid && octet < UUID_OCTETS; octet++) {
    const place = UUID_PLACES[octet]!;
    const value = (digit(uuid, place) << 4) | digit(uuid, place + 1);
    isUuid = value >= 0;
    into[at + octet] = value;
  }
  if (!isUuid) throw new RangeError(`Not a UUID: ${uuid}`);
  return at + UUID_OCTETS;
};

const readUuid = (from: Buffer, at: number): string => {
  const hex = from.toString('hex', at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

const writePeriod = (period: string, into: Buffer, at: number): number => {
  if (!PERIOD.test(period)) throw new RangeError(`Not a month: ${period}`);
  return into.writeUInt16BE(Number(period.slice(0, 4)) * 12 + Number(period.slice(5)) - 1, at);
};

const readPeriod = (from: Buffer, at: number): string => {
  const months = from.readUInt16BE(at);
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
};

/** The links of a message are made one after another and share it. */
let last: { link: MessageLink; bytes: Buffer } | null = null;

const isSame = (a: MessageLink, b: MessageLink): boolean =>
  a.messageId === b.messageId &&
  a.subscriberId === b.subscriberId &&
  a.campaignId === b.campaignId &&
  a.organizationId === b.organizationId &&
  a.period === b.period;

const writeMessage = (link: MessageLink, into: Buffer): number => {
  if (!last || !isSame(link, last.link)) last = { link, bytes: messageBytes(link) };
  last.bytes.copy(into);
  return last.bytes.length;
};

const messageBytes = (link: MessageLink): Buffer => {
  const bytes = Buffer.allocUnsafe(MESSAGE_OCTETS_MAX);
  let present = 0;
  let end = writeUuid(link.organizationId, bytes, writePeriod(link.period, bytes, 1));
  for (const [bit, name] of OPTIONAL_IDS.entries()) {
    const id = link[name];
    if (id === null) continue;
    present |= 1 << bit;
    end = writeUuid(id, bytes, end);
  }
  bytes[0] = (VERSION << 4) | present;
  return bytes.subarray(0, end);
};

const readMessage = (from: Buffer): { link: MessageLink; end: number } | null => {
  if (from.length < 19 || from[0]! >> 4 !== VERSION) return null;
  const link: MessageLink = {
    organizationId: readUuid(from, 3),
    messageId: null,
    subscriberId: null,
    campaignId: null,
    period: readPeriod(from, 1),
  };
  let end = 19;
  for (const [bit, name] of OPTIONAL_IDS.entries()) {
    if (!(from[0]! & (1 << bit))) continue;
    link[name] = readUuid(from, end);
    end += 16;
  }
  return { link, end };
};

/** Packs ids into bytes: version and presence bits, month, ids. */
export const packMessage = (link: MessageLink): Buffer => {
  const bytes = Buffer.allocUnsafe(MESSAGE_OCTETS_MAX);
  return bytes.subarray(0, writeMessage(link, bytes));
};

/** Reads what `packMessage` wrote; null for another version or length. */
export const unpackMessage = (bytes: Buffer): MessageLink | null => {
  const read = readMessage(bytes);
  return read !== null && read.end === bytes.length ? read.link : null;
};

/** Packs a click: ids, link number, then target and tag names as text. */
export const packClick = (click: ClickLink): Buffer => {
  const texts = [click.target, (click.addTags ?? []).join(','), (click.removeTags ?? []).join(',')];
  if (texts.some((text) => text.includes('\0'))) throw new RangeError('A link holds a NUL.');
  const text = texts.join('\0').replace(/\0+$/, '');
  const bytes = Buffer.allocUnsafe(MESSAGE_OCTETS_MAX + 2 + Buffer.byteLength(text));
  const end = bytes.writeUInt16BE(click.link, writeMessage(click, bytes));
  return bytes.subarray(0, end + bytes.write(text, end));
};

export const unpackClick = (bytes: Buffer): ClickLink | null => {
  const read = readMessage(bytes);
  if (read === null || bytes.length < read.end + 2) return null;
  const [target = '', addTags, removeTags] = bytes.toString('utf8', read.end + 2).split('\0');
  return {
    ...read.link,
    link: bytes.readUInt16BE(read.end),
    target,
    ...(addTags ? { addTags: addTags.split(',') } : {}),
    ...(removeTags ? { removeTags: removeTags.split(',') } : {}),
  };
};

const RETURN_PATH_OCTETS = 16 + 16 + 2;

/** Packs what finds a bounced message into 34 bytes. */
export const packReturnPath = ({ organizationId, messageId, period }: ReturnPath): Buffer => {
  const bytes = Buffer.allocUnsafe(RETURN_PATH_OCTETS);
  writePeriod(period, bytes, writeUuid(messageId, bytes, writeUuid(organizationId, bytes, 0)));
  return bytes;
};

export const unpackReturnPath = (bytes: Buffer): ReturnPath | null =>
  bytes.length === RETURN_PATH_OCTETS
    ? { organizationId: readUuid(bytes, 0), messageId: readUuid(bytes, 16), period: readPeriod(bytes, 32) }
    : null;
