import type { PageRecipient } from '#contracts';
import { isFixtureAddress, parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { skipReasonOf } from '../skip-reason.js';
import type { SkipReason } from '../skip-reason.js';

export interface Person {
  recipient: PageRecipient;
  subscriberId: string;
  address: EmailAddress;
  /** The uuid of its message, where it follows from the position. */
  messageId?: string;
  /** A test address: everything happens but the sending. */
  simulated: boolean;
}

export interface Skipped {
  subscriberId: string;
  email: string;
  reason: SkipReason;
  detail: string | null;
}

/**
 * @param uuidOf the stored id behind a recipient's
 * @param known uuids of recipients that have a message already
 * @returns the recipients with test addresses first: they need no relay, and must not wait behind those that do
 */
export function admitRecipients(
  recipients: readonly PageRecipient[],
  uuidOf: (subscriberId: string) => string,
  known: ReadonlySet<string>,
): { people: Person[]; skipped: Skipped[] } {
  const fixtures: Person[] = [];
  const people: Person[] = [];
  const skipped: Skipped[] = [];
  for (const recipient of recipients) {
    const { email } = recipient;
    const subscriberId = uuidOf(recipient.subscriberId);
    if (known.has(subscriberId)) continue;
    const reason = skipReasonOf(recipient);
    const parsed = parseAddress(email);
    if (reason) skipped.push({ subscriberId, email, reason, detail: null });
    else if (!parsed.ok) {
      skipped.push({ subscriberId, email, reason: 'INVALID_ADDRESS', detail: `The address ${parsed.reason}` });
    } else {
      const simulated = isFixtureAddress(parsed.address);
      (simulated ? fixtures : people).push({ recipient, subscriberId, address: parsed.address, simulated });
    }
  }
  return { people: [...fixtures, ...people], skipped };
}
