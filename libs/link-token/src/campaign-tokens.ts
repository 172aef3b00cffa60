import { timingSafeEqual } from 'node:crypto';
import { CampaignKeys, SEAL_OCTETS } from './campaign-keys.js';
import { readPeriod, readUuid, writePeriod, writeUuid } from './id-bytes.js';
import { readTarget, writeTarget } from './link-payload.js';
import type { ClickLink, ClickTarget, LinkKind, MessageLink, ReturnPath } from './link-payload.js';
import { isPositional } from './position-cipher.js';
import {
  readReturnPathDigits,
  RETURN_PATH_TAG_OCTETS,
  writeFixedDigits,
  writeMessageDigits,
} from './return-path-digits.js';

/** The kinds of links that campaign mail carries. */
export type CampaignLinkKind = Exclude<LinkKind, 'confirm' | 'return-path'>;

const VERSION = 2;
const KIND_CODES: Record<CampaignLinkKind, number> = { open: 1, click: 2, unsubscribe: 3, preferences: 4, view: 5 };
/** The number of each tag in the message's sequence of tags; those of clicks follow in the order of the links. */
const TAG_NUMBERS = { open: 0, unsubscribe: 1, preferences: 2, view: 3, click: 4 };
/** 72 bits: a multiple of three octets, so that a token's parts are encoded apart from one another. */
const TAG = { octets: 9, characters: 12 };
const TAGS_A_BLOCK = 7;
/** Period, organization, campaign. */
const CAMPAIGN_OCTETS = 2 + 16 + 16;
/** Flags, message, subscriber. */
const MESSAGE = { octets: 1 + 16 + 16, characters: 44 };
const FLAG_HIDDEN = 1;
const MAC_INPUT_OCTETS = 2 + CAMPAIGN_OCTETS + MESSAGE.octets;
const BLOCK_AT = 1;
const MESSAGE_AT = BLOCK_AT + 2 + CAMPAIGN_OCTETS;
const HEAD_OCTETS = 2 + CAMPAIGN_OCTETS;
const CLICK_FIXED_OCTETS = CAMPAIGN_OCTETS + 2;
/** Characters that one message adds to the part of a token that all messages of a campaign share. */
export const MESSAGE_PART_LENGTH = MESSAGE.characters + TAG.characters;

/** A campaign's links; ids are UUIDs in hex with dashes. */
export interface CampaignScope {
  organizationId: string;
  campaignId: string;
  /** Month of the send, `yyyy-mm`. */
  period: string;
}

const writeScope = ({ period, organizationId, campaignId }: CampaignScope, into: Buffer, at: number): number =>
  writeUuid(campaignId, into, writeUuid(organizationId, into, writePeriod(period, into, at)));

/** The tags and the return path of one message. */
export class MessageTokens {
  readonly #blocks: (string | undefined)[] = [];

  constructor(
    private readonly keys: CampaignKeys,
    private readonly input: Buffer,
    private readonly fixedDigits: string,
    /** Flags, message and subscriber: the middle of each token. */
    private readonly middle: string,
  ) {}

  /** Returns what completes a token of `CampaignTokenMaker.head`: 56 characters. */
  part(kind: Exclude<CampaignLinkKind, 'click'>): string {
    return this.middle + this.#tag(TAG_NUMBERS[kind]);
  }

  /** The same for a token of `CampaignTokenMaker.clickHead`. */
  clickPart(link: number): string {
    return this.middle + this.#tag(TAG_NUMBERS.click + link);
  }

  /** Returns the token of the return path, as `LinkTokens.seal`. */
  returnPath(): string {
    const octets = this.input.subarray(MESSAGE_AT);
    const tag = returnPathTag(this.keys, this.fixedDigits, octets.subarray(1, 17));
    return this.fixedDigits + writeMessageDigits(octets, 1, { hidden: octets[0] === FLAG_HIDDEN, tag });
  }

  #tag(number: number): string {
    const block = Math.floor(number / TAGS_A_BLOCK);
    const at = (number % TAGS_A_BLOCK) * TAG.characters;
    return (this.#blocks[block] ??= this.#block(block)).slice(at, at + TAG.characters);
  }

  #block(block: number): string {
    this.input.writeUInt16BE(block, BLOCK_AT);
    return this.keys.macText(this.input);
  }
}

const returnPathTag = (keys: CampaignKeys, fixedDigits: string, messageId: Buffer): Buffer => {
  const input = keys.inputFor('returnPath', fixedDigits.length + messageId.length);
  input.write(fixedDigits, 1, 'latin1');
  messageId.copy(input, 1 + fixedDigits.length);
  return keys.macOf(input).subarray(0, RETURN_PATH_TAG_OCTETS);
};

/** Makes the tokens of one campaign: what its messages share once, and the rest per message. */
export class CampaignTokenMaker {
  /** The first digits of return paths, of ids by position and of others. */
  readonly #fixedDigits: Record<'hidden' | 'shown', string>;
  readonly #keys: CampaignKeys;
  readonly #scope: CampaignScope;

  /** @throws RangeError for ids that are no UUIDs or an organization's that is no UUIDv7, and for a malformed month */
  constructor(linkKey: Buffer, scope: CampaignScope) {
    this.#keys = new CampaignKeys(linkKey);
    this.#scope = scope;
    this.#fixedDigits = {
      hidden: writeFixedDigits({ ...scope, hidden: true }),
      shown: writeFixedDigits({ ...scope, hidden: false }),
    };
  }

  /** Returns the part of a token that all messages of the campaign share. */
  head(kind: Exclude<CampaignLinkKind, 'click'>): string {
    const head = Buffer.alloc(HEAD_OCTETS);
    head[0] = (VERSION << 4) | KIND_CODES[kind];
    writeScope(this.#scope, head, 2);
    return head.toString('base64url');
  }

  /**
   * The same for a click; the target is sealed.
   * @param link which of the mail's links it is
   * @throws RangeError for a link above 65,535 and for a NUL in target or tags
   */
  clickHead(link: number, click: ClickTarget): string {
    const text = Buffer.from(writeTarget(click));
    const octets = 1 + SEAL_OCTETS.nonce + CLICK_FIXED_OCTETS + text.length + SEAL_OCTETS.mac;
    // Padded with NULs to a multiple of three octets, so that the next part begins with a character of its own.
    const body = Buffer.alloc(CLICK_FIXED_OCTETS + text.length + ((3 - (octets % 3)) % 3));
    body.writeUInt16BE(link, writeScope(this.#scope, body, 0));
    text.copy(body, CLICK_FIXED_OCTETS);
    const kind = Buffer.of((VERSION << 4) | KIND_CODES.click);
    return Buffer.concat([kind, this.#keys.seal(body)]).toString('base64url');
  }

  /** Returns the id by which the world knows a message: the same, or one that hides its position. */
  publicId(messageId: string): string {
    return isPositional(messageId) ? this.#keys.positions.hide(messageId) : messageId;
  }

  /** @throws RangeError for ids that are no UUIDs, or a message's that is neither a UUIDv7 nor a UUIDv8 */
  message({ messageId, subscriberId }: { messageId: string; subscriberId: string }): MessageTokens {
    const input = this.#keys.inputFor('links', MAC_INPUT_OCTETS);
    writeScope(this.#scope, input, BLOCK_AT + 2);
    const hidden = isPositional(messageId);
    input[MESSAGE_AT] = hidden ? FLAG_HIDDEN : 0;
    writeUuid(subscriberId, input, writeUuid(this.publicId(messageId), input, MESSAGE_AT + 1));
    const fixedDigits = this.#fixedDigits[hidden ? 'hidden' : 'shown'];
    return new MessageTokens(this.#keys, input, fixedDigits, input.toString('base64url', MESSAGE_AT));
  }
}

/**
 * Opens the tokens of campaign mail, format 2. A token is one text in base64url of three parts, each a multiple of
 * three octets long: head, message, tag.
 *
 * - **Head**, the same in all messages of a campaign. Of a click: octet 0x22, then AES-256-GCM of period (2 octets),
 *   organization (16), campaign (16), link number (2), target and tag names, NULs as padding; nonce first, tag last,
 *   the nonce being a MAC of the text. Of another kind: octet 0x20 + kind, 0, period, organization, campaign.
 * - **Message**: flags (1), message id (16), subscriber id (16). Flag 1: the last 32 bits of the message id are
 *   permuted (`PositionCipher`).
 * - **Tag**: 9 octets (72 bits). Tag n of a message is octets 9 (n mod 7) to 9 (n mod 7) + 8 of HMAC-SHA-512(key,
 *   0x02 | n div 7 | period | organization | campaign | message part): a PRF in counter mode (NIST SP 800-108). Open is
 *   tag 0, unsubscribe 1, preferences 2, view 3, click on link n 4 + n.
 *
 * The return path is 62 digits of base 36: 31 bits in six digits, 10 in two. Organization (122 bits of the UUIDv7),
 * months since 2000-01 (11), flag (1), message (122 bits of a UUIDv7, or of a UUIDv8 with flag 1), tag: the first 64 bits of HMAC-SHA-512(key, 0x01 | the digits
 * before the message | message id).
 *
 * Why it holds: without the key all tags are independent random numbers, so that a forger guesses one with a chance of
 * 2^-72 (2^-64) at each request, however many tokens of the same or of other messages are known. Kind and link number
 * choose the tag, and a click's link number is in the sealed head: the token of one link, kind, message, subscriber,
 * campaign or organization says nothing about the tag of another. Heads are public (each recipient has them); a head
 * that was changed no longer opens, or names a tag that was not given. A target can neither be read nor changed.
 * HMAC, nonce and return path have inputs with different first octets, and keys that no other format uses.
 */
export class CampaignTokens {
  readonly #keys: CampaignKeys;

  constructor(linkKey: Buffer) {
    this.#keys = new CampaignKeys(linkKey);
  }

  /**
   * @param bytes the decoded token, of any length
   * @returns null for what is no such token; that takes as long as opening one
   */
  open(kind: CampaignLinkKind, bytes: Buffer): MessageLink | ClickLink | null {
    const headMin = kind === 'click' ? NO_CLICK.length : HEAD_OCTETS;
    const isLong = bytes.length >= headMin + MESSAGE.octets + TAG.octets;
    const token = isLong ? bytes : Buffer.alloc(headMin + MESSAGE.octets + TAG.octets);
    const messageAt = token.length - MESSAGE.octets - TAG.octets;
    const head = token.subarray(0, messageAt);
    const click = kind === 'click' ? this.#openClick(head) : null;
    const scope = kind === 'click' ? (click?.scope ?? NO_CLICK) : head.subarray(2);
    const number = click ? TAG_NUMBERS.click + click.link : TAG_NUMBERS[kind];
    const message = token.subarray(messageAt, messageAt + MESSAGE.octets);
    const isOurs = timingSafeEqual(token.subarray(-TAG.octets), this.#tag(number, scope, message));
    const isHead = kind === 'click' ? click !== null : head.length === HEAD_OCTETS && head[1] === 0;
    if (!isOurs || !isHead || !isLong || head[0] !== ((VERSION << 4) | KIND_CODES[kind])) return null;
    const link = this.#linkOf(scope, message);
    return click ? { ...link, link: click.link, ...readTarget(click.text) } : link;
  }

  openReturnPath(token: string): ReturnPath | null {
    const read = readReturnPathDigits(token);
    const messageId = Buffer.alloc(16);
    if (read) writeUuid(read.messageId, messageId, 0);
    const fixed = read ? writeFixedDigits(read) : token.slice(0, 1);
    const isOurs = timingSafeEqual(
      read?.tag ?? Buffer.alloc(RETURN_PATH_TAG_OCTETS),
      returnPathTag(this.#keys, fixed, messageId),
    );
    if (!read || !isOurs) return null;
    const { organizationId, period, hidden } = read;
    return { organizationId, period, messageId: this.#idOf(read.messageId, hidden) };
  }

  /** Returns the id of the message that the world knows by this one. */
  idBehind(publicId: string): string {
    return isPositional(publicId) ? this.#keys.positions.reveal(publicId) : publicId;
  }

  #openClick(head: Buffer): { scope: Buffer; link: number; text: string } | null {
    const body = this.#keys.unseal(head.subarray(1));
    if (!body || body.length < CLICK_FIXED_OCTETS) return null;
    const text = body.toString('utf8', CLICK_FIXED_OCTETS).replace(/\0+$/, '');
    return { scope: body.subarray(0, CAMPAIGN_OCTETS), link: body.readUInt16BE(CAMPAIGN_OCTETS), text };
  }

  #tag(number: number, scope: Buffer, message: Buffer): Buffer {
    const input = this.#keys.inputFor('links', MAC_INPUT_OCTETS);
    input.writeUInt16BE(Math.floor(number / TAGS_A_BLOCK), BLOCK_AT);
    scope.copy(input, BLOCK_AT + 2, 0, CAMPAIGN_OCTETS);
    message.copy(input, MESSAGE_AT);
    const at = (number % TAGS_A_BLOCK) * TAG.octets;
    return this.#keys.macOf(input).subarray(at, at + TAG.octets);
  }

  #linkOf(scope: Buffer, message: Buffer): MessageLink {
    return {
      organizationId: readUuid(scope, 2),
      messageId: this.#idOf(readUuid(message, 1), (message[0]! & FLAG_HIDDEN) !== 0),
      subscriberId: readUuid(message, 17),
      campaignId: readUuid(scope, 18),
      period: readPeriod(scope, 0),
    };
  }

  #idOf(publicId: string, hidden: boolean): string {
    return hidden ? this.#keys.positions.reveal(publicId) : publicId;
  }
}

const NO_CLICK = Buffer.alloc(1 + SEAL_OCTETS.nonce + CLICK_FIXED_OCTETS + SEAL_OCTETS.mac);
