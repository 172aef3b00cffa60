import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { fromBase36, toBase36 } from './base36.js';
import { subkey } from './campaign-keys.js';
import { CampaignTokens } from './campaign-tokens.js';
import {
  packClick,
  packMessage,
  packReturnPath,
  unpackClick,
  unpackMessage,
  unpackReturnPath,
} from './link-payload.js';
import type { ClickLink, LinkKind, LinkPayloads, MessageLink, ReturnPath } from './link-payload.js';

/** Signed into every token, so that a token of one kind is nothing on another's route. */
const KIND_CODES: Record<LinkKind, number> = {
  open: 1,
  click: 2,
  unsubscribe: 3,
  preferences: 4,
  view: 5,
  confirm: 6,
  'return-path': 7,
};
const MAC_OCTETS = 16;
const NONCE_OCTETS = 12;
/**
 * `b.` and 62 characters fill the 64 octets of a local part; base 36 since some servers fold its case. 40 bytes
 * leave 6 for the MAC: guessing one takes 2^48 RCPT commands, and the message id behind it is random as well.
 */
const RETURN_PATH = { length: 62, octets: 40, macOctets: 6 };
/** Longest token that `open` takes. Only a click's can be longer, when its target is. */
export const TOKEN_LENGTH_MAX = 8192;
const NOTHING = Buffer.alloc(0);
const NO_SEAL = Buffer.alloc(NONCE_OCTETS + MAC_OCTETS);

/** Buffer reads base64url forgivingly; a token has one spelling only, so that a changed character always counts. */
const fromBase64Url = (token: string): Buffer => {
  if (token.length > TOKEN_LENGTH_MAX) return NOTHING;
  const bytes = Buffer.from(token, 'base64url');
  return bytes.toString('base64url') === token ? bytes : NOTHING;
};

/**
 * Makes the tokens of single links (format 1), and opens these and those of campaign mail (format 2, `CampaignTokens`).
 * One payload always gives the same token. A click token is sealed with AES-256-GCM, so that its target can be neither
 * read nor changed; the others are signed with HMAC-SHA256. Takes the key `deriveKey(masterKey, 'links')`.
 */
export class LinkTokens {
  private readonly macKey: KeyObject;
  private readonly sealKey: KeyObject;
  private readonly campaigns: CampaignTokens;

  constructor(linkKey: Buffer) {
    this.campaigns = new CampaignTokens(linkKey);
    this.macKey = subkey(linkKey, 'mac');
    this.sealKey = subkey(linkKey, 'seal');
  }

  /** Gives the token of a link: URL-safe, or for a return path lower-case letters and digits. */
  seal<K extends LinkKind>(kind: K, payload: LinkPayloads[K]): string {
    if (kind === 'click') return this.encrypt(packClick(payload as ClickLink)).toString('base64url');
    if (kind === 'return-path') {
      const signed = this.sign(kind, packReturnPath(payload as ReturnPath), RETURN_PATH.macOctets);
      return toBase36(signed, RETURN_PATH.length);
    }
    return this.sign(kind, packMessage(payload as MessageLink), MAC_OCTETS).toString('base64url');
  }

  /**
   * Returns the payload of a token of either format, or null when it is no token of this kind made with this key. Every
   * null costs the same cryptographic work.
   */
  open<K extends LinkKind>(kind: K, token: string): LinkPayloads[K] | null;
  open(kind: LinkKind, token: string): LinkPayloads[LinkKind] | null {
    if (kind === 'return-path') {
      const ofCampaign = this.campaigns.openReturnPath(token.toLowerCase());
      return this.openReturnPath(token) ?? ofCampaign;
    }
    const bytes = fromBase64Url(token);
    // Both formats are tried, since a sealed click of format 1 can begin with any octet.
    const ofCampaign = kind === 'confirm' ? null : this.campaigns.open(kind, bytes);
    return (kind === 'click' ? this.openClick(bytes) : this.openMessage(kind, bytes)) ?? ofCampaign;
  }

  /** Returns the id of the message that the world, by its Message-ID, knows by this one. */
  idBehind(publicId: string): string {
    return this.campaigns.idBehind(publicId);
  }

  private openClick(token: Buffer): ClickLink | null {
    const bytes = this.decrypt(token);
    return bytes && unpackClick(bytes);
  }

  private openMessage(kind: LinkKind, token: Buffer): MessageLink | null {
    const bytes = this.verify(kind, token, MAC_OCTETS);
    return bytes && unpackMessage(bytes);
  }

  private openReturnPath(token: string): ReturnPath | null {
    const signed = token.length === RETURN_PATH.length ? fromBase36(token, RETURN_PATH.octets) : null;
    const bytes = this.verify('return-path', signed ?? NOTHING, RETURN_PATH.macOctets);
    return bytes && unpackReturnPath(bytes);
  }

  private mac(kind: LinkKind, body: Buffer): Buffer {
    return createHmac('sha256', this.macKey).update(Buffer.of(KIND_CODES[kind])).update(body).digest();
  }

  private sign(kind: LinkKind, body: Buffer, macOctets: number): Buffer {
    return Buffer.concat([body, this.mac(kind, body).subarray(0, macOctets)]);
  }

  private verify(kind: LinkKind, signed: Buffer, macOctets: number): Buffer | null {
    const end = Math.max(0, signed.length - macOctets);
    const body = signed.subarray(0, end);
    const given = Buffer.alloc(macOctets);
    signed.copy(given, 0, end);
    return timingSafeEqual(given, this.mac(kind, body).subarray(0, macOctets)) ? body : null;
  }

  /** The nonce is a MAC of the plain text (as in SIV): another text has another nonce, and none has to be counted. */
  private encrypt(body: Buffer): Buffer {
    const nonce = this.mac('click', body).subarray(0, NONCE_OCTETS);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, nonce);
    return Buffer.concat([nonce, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
  }

  private decrypt(given: Buffer): Buffer | null {
    const sealed = given.length < NO_SEAL.length ? NO_SEAL : given;
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, sealed.subarray(0, NONCE_OCTETS));
    decipher.setAuthTag(sealed.subarray(-MAC_OCTETS));
    const body = decipher.update(sealed.subarray(NONCE_OCTETS, -MAC_OCTETS));
    try {
      decipher.final();
      return body;
    } catch {
      return null;
    }
  }
}
