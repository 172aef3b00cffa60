import { createHash, createPrivateKey, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyObject } from 'node:crypto';
import type { ComposedMessage } from './compose-message.js';

/**
 * The signed header fields. `over`: named once more than present, so that a second one added on the way breaks the
 * signature (RFC 6376 8.15). The others are named only where present, since a mailing list on the way may add its own.
 */
const FIELDS = [
  ...[
    ...['from', 'to', 'cc', 'reply-to', 'subject', 'date', 'message-id'],
    ...['mime-version', 'content-type', 'content-transfer-encoding'],
  ].map((name) => ({ name, over: true })),
  ...['list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'feedback-id', 'auto-submitted'].map((name) => ({
    name,
    over: false,
  })),
];
const RSA_BITS_MIN = 1024; // RFC 8301 3.2
const BASE64_LINE_LENGTH = 72;

const BASE64_LINES = new RegExp(`.{1,${BASE64_LINE_LENGTH}}`, 'g');

const collapse = (text: string): string => text.replace(/[ \t]{2,}|\t/g, ' ');

/** RFC 6376 3.4.2, without the last CRLF. */
export const relaxField = (field: string): string => {
  const colon = field.indexOf(':');
  const value = collapse(field.slice(colon + 1).replaceAll('\r\n', ''));
  const end = value.endsWith(' ') ? value.length - 1 : value.length;
  return `${field.slice(0, colon).trim().toLowerCase()}:${value.slice(value.startsWith(' ') ? 1 : 0, end)}`;
};

const BLANKS = /[ \t](?:[ \t]|\r\n|$)|\t/;

/** RFC 6376 3.4.4; looking first costs a third, since most bodies hold nothing to change. */
const relaxBody = (body: string): string =>
  endOnce(BLANKS.test(body) ? collapse(body).replaceAll(' \r\n', '\r\n').replace(/ $/, '') : body);

/** Removes empty lines at the end, and ends the last line. */
const endOnce = (lines: string): string => {
  let end = lines.length;
  while (lines.endsWith('\r\n', end)) end -= 2;
  if (end === 0) return '';
  return end === lines.length - 2 ? lines : `${lines.slice(0, end)}\r\n`;
};

const foldNames = (names: string[]): string => (names.join(':').match(/.{1,68}(?::|$)/g) ?? []).join('\r\n ');

/** The names for h=, folded. */
export interface SignedNames {
  folded: string;
  relaxed: string;
}

/**
 * Returns the names for h=, and the fields they cover in relaxed form: of several of one name the last first (RFC 6376
 * 5.4.2).
 */
export const coverFields = (fields: readonly string[]): { names: SignedNames; covered: string[] } => {
  const byName = new Map<string, string[]>();
  for (const field of fields) {
    const relaxed = relaxField(field);
    const name = relaxed.slice(0, relaxed.indexOf(':'));
    const others = byName.get(name);
    if (others) others.unshift(relaxed);
    else byName.set(name, [relaxed]);
  }
  const names: string[] = [];
  const covered: string[] = [];
  for (const { name, over } of FIELDS) {
    for (const relaxed of byName.get(name) ?? []) {
      names.push(name);
      covered.push(relaxed);
    }
    if (over) names.push(name);
  }
  const folded = foldNames(names);
  return { names: { folded, relaxed: folded.replaceAll('\r\n ', ' ') }, covered };
};

const signApart = promisify(sign);

const foldSignature = (signature: Buffer): string =>
  (signature.toString('base64').match(BASE64_LINES) ?? []).join('\r\n ');

/** A message in relaxed form, as far as signatures cover it. */
export interface RelaxedMessage {
  names: SignedNames;
  /** The fields in the order of the names, joined by CRLF. */
  covered: string;
  /** One character an octet; empty lines at its end do not matter. */
  body: string;
}

export interface SigningKey {
  domain: string;
  selector: string;
  privateKeyPem: string;
}

/** Signs messages for one domain and selector: DKIM (RFC 6376), rsa-sha256, relaxed/relaxed, the whole body. */
export class DkimSigner {
  private readonly key: KeyObject;
  private readonly opening: string;
  private readonly relaxedOpening: string;

  constructor({ domain, selector, privateKey }: { domain: string; selector: string; privateKey: string }) {
    this.key = createPrivateKey(privateKey);
    const bits = this.key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (this.key.asymmetricKeyType !== 'rsa' || bits < RSA_BITS_MIN) {
      throw new Error(`A DKIM key must be RSA with at least ${RSA_BITS_MIN} bits.`);
    }
    this.opening = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n d=${domain}; s=${selector};`;
    this.relaxedOpening = relaxField(this.opening);
  }

  /** Gives the DKIM-Signature field, folded, without its last CRLF. */
  sign(message: ComposedMessage, at: Date): string {
    return this.signRelaxed(relaxMessage(message), at);
  }

  /** The same for a message that is known in relaxed form. */
  signRelaxed(message: RelaxedMessage, at: Date): string {
    const { unsigned, signing } = this.prepare(message, at);
    return unsigned + foldSignature(sign('sha256', signing, this.key));
  }

  /** The same for a single message: what else the process does goes on while another thread signs. */
  async signApart(message: ComposedMessage, at: Date): Promise<string> {
    const { unsigned, signing } = this.prepare(relaxMessage(message), at);
    return unsigned + foldSignature(await signApart('sha256', signing, this.key));
  }

  private prepare({ names, covered, body }: RelaxedMessage, at: Date): { unsigned: string; signing: Buffer } {
    const bodyHash = createHash('sha256').update(endOnce(body), 'latin1').digest('base64');
    const seconds = Math.floor(at.getTime() / 1000);
    const unsigned = `${this.opening} t=${seconds};\r\n h=${names.folded};\r\n bh=${bodyHash};\r\n b=`;
    const relaxed = `${this.relaxedOpening} t=${seconds}; h=${names.relaxed}; bh=${bodyHash}; b=`;
    return { unsigned, signing: Buffer.from(`${covered}\r\n${relaxed}`) };
  }
}

const relaxMessage = ({ fields, body }: ComposedMessage): RelaxedMessage => {
  const { names, covered } = coverFields(fields);
  return { names, covered: covered.join('\r\n'), body: relaxBody(body) };
};

/** Cached signers by their keys, the newest last: parsing a key takes as long as signing with it. */
const signers = new Map<string, DkimSigner>();
const signersMax = 100;

export function signerOf({ domain, selector, privateKeyPem }: SigningKey): DkimSigner {
  const id = `${domain} ${selector} ${privateKeyPem}`;
  const signer = signers.get(id) ?? new DkimSigner({ domain, selector, privateKey: privateKeyPem });
  signers.delete(id);
  signers.set(id, signer);
  if (signers.size > signersMax) signers.delete(signers.keys().next().value!);
  return signer;
}
