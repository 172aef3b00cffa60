import { readPeriod, readUuid, writePeriod, writeUuid } from './id-bytes.js';

/** Whose mail a public link belongs to; ids are UUIDs in hex with dashes. */
export interface MessageLink {
  organizationId: string;
  messageId: string | null;
  subscriberId: string | null;
  campaignId: string | null;
  /** Month of the send, `yyyy-mm`: it names the partition that holds the message. */
  period: string;
}

/** Where a tracked link leads, and the tags that a click changes, by name. */
export interface ClickTarget {
  target: string;
  addTags?: string[];
  removeTags?: string[];
}

/** A tracked link and which of the mail's links it is (from 0). */
export interface ClickLink extends MessageLink, ClickTarget {
  link: number;
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

const OPTIONAL_IDS = ['messageId', 'subscriberId', 'campaignId'] as const;
const MESSAGE_OCTETS_MAX = 1 + 2 + 4 * 16;
const VERSION = 1;

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

/** A click's target and tag names as one text; none of them may hold a NUL. @throws RangeError */
export const writeTarget = ({ target, addTags = [], removeTags = [] }: ClickTarget): string => {
  const texts = [target, addTags.join(','), removeTags.join(',')];
  if (texts.some((text) => text.includes('\0'))) throw new RangeError('A link holds a NUL.');
  return texts.join('\0').replace(/\0+$/, '');
};

export const readTarget = (text: string): ClickTarget => {
  const [target = '', addTags, removeTags] = text.split('\0');
  return {
    target,
    ...(addTags ? { addTags: addTags.split(',') } : {}),
    ...(removeTags ? { removeTags: removeTags.split(',') } : {}),
  };
};

/** Packs a click: ids, link number, then target and tag names as text. */
export const packClick = (click: ClickLink): Buffer => {
  const text = writeTarget(click);
  const bytes = Buffer.allocUnsafe(MESSAGE_OCTETS_MAX + 2 + Buffer.byteLength(text));
  const end = bytes.writeUInt16BE(click.link, writeMessage(click, bytes));
  return bytes.subarray(0, end + bytes.write(text, end));
};

export const unpackClick = (bytes: Buffer): ClickLink | null => {
  const read = readMessage(bytes);
  if (read === null || bytes.length < read.end + 2) return null;
  const target = readTarget(bytes.toString('utf8', read.end + 2));
  return { ...read.link, link: bytes.readUInt16BE(read.end), ...target };
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
