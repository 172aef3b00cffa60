import type { z } from 'zod';
import type { sender, SenderFacts } from '#contracts';
import { parseAddress, wireAddress } from '#email-address';
import { ToolError } from '#tool-call';

export type Sender = z.infer<typeof sender>;

/** A sender as it is stored: where bounces go is null until its domain's MAIL FROM is VERIFIED. */
export type StoredSender = Omit<SenderFacts, 'mailFromDomain'> & { mailFromDomain: string | null };

export const publicSender = ({ domainId: _i, domainStatus: _s, mailFromDomain: _m, ...shown }: StoredSender): Sender =>
  shown;

const localLengthMax = 64; // RFC 5321 section 4.5.3.1.1
const dotAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** A local part is a dot-atom of ASCII. */
export function assertLocalPart(localPart: string): void {
  if (localPart.length <= localLengthMax && dotAtom.test(localPart)) return;
  throw new ToolError('SENDER_LOCAL_PART_INVALID', { localPart });
}

/** The one address that replies go to, alone or in a list; null for none. */
export function readReplyTo(given: string | readonly string[] | null | undefined): string | null {
  const text = typeof given === 'string' ? given : given?.[0];
  if (text === undefined) return null;
  const parsed = parseAddress(text);
  if (parsed.ok) return wireAddress(parsed.address);
  throw new ToolError('SENDER_REPLY_TO_INVALID', { replyTo: text, problem: parsed.reason });
}
