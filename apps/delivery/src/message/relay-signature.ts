import type { ComposedMessage } from './compose-message.js';
import { messageBytes } from './compose-message.js';
import { signerOf } from './dkim-signer.js';
import type { SigningKey } from './dkim-signer.js';

/** Who signs the mail of a relay: `ours` and `both` alike get our signature, `relay` gets none. */
export type RelayDkim = 'ours' | 'relay' | 'both';

export const signsFor = (dkim: RelayDkim): boolean => dkim !== 'relay';

/** No caller can add this field, and ours stands in front of all others: what begins with it, we signed. */
const field = 'DKIM-Signature:';

export const isSigned = (raw: string): boolean => raw.startsWith(field);

/**
 * Returns a message as a relay wants it, without or with our signature.
 * @param raw one character an octet
 * @returns null when the message has to be signed first
 */
export function asRelayWants(raw: string, signs: boolean): string | null {
  if (isSigned(raw) === signs) return raw;
  return signs ? null : withoutSignature(raw);
}

function withoutSignature(raw: string): string {
  const end = /\r\n(?![ \t])/.exec(raw)!;
  return raw.slice(end.index + 2);
}

/** Returns a message as it is stored: signed apart from this thread if the first relay wants our signature. */
export async function messageToStore(
  composed: ComposedMessage,
  { key, signs, at }: { key: SigningKey; signs: boolean; at: Date },
): Promise<Buffer> {
  return messageBytes(composed, signs ? await signerOf(key).signApart(composed, at) : undefined);
}

/**
 * Signs a message that was stored unsigned, for a relay that wants our signature.
 * @param raw one character an octet
 * @param at when it was accepted: each attempt has the same octets
 */
export async function signStored(raw: string, key: SigningKey, at: Date): Promise<string> {
  const end = raw.indexOf('\r\n\r\n');
  const header = Buffer.from(raw.slice(0, end), 'latin1').toString();
  const composed = { fields: header.split(/\r\n(?![ \t])/), body: raw.slice(end + 4), smtpUtf8: false };
  return `${await signerOf(key).signApart(composed, at)}\r\n${raw}`;
}
