import type { PageRecipient } from '#contracts';
import { emailKey, isFixtureAddress, parseAddress } from '#email-address';
import type { HashMailbox } from '../../message/address-hash.js';
import type { Person } from '../chunk/chunk.js';
import { skipReasonOf } from '../skip-reason.js';
import type { SkipReason } from '../skip-reason.js';
import type { ChunkRecipient } from './ledger-chunk.js';

/** A recipient that gets a message. */
export interface PositionedPerson extends Person {
  at: ChunkRecipient;
}

export interface SkippedPosition {
  at: ChunkRecipient;
  reason: SkipReason;
  detail: string | null;
}

export interface AdmitOptions {
  organizationId: string;
  /** The uuid of the message at a position. */
  messageIdAt: (position: number) => string;
  /** The stored id behind a subscriber's. */
  uuidOf: (subscriberId: string) => string;
  hashMailbox: HashMailbox;
}

/**
 * Decides for each recipient of a chunk whether it gets a message.
 * @param recipients the whole chunk; the place of each is its position
 * @returns `recipients` by position; `people` with test addresses first: they need no relay, and must not wait behind
 * those that do
 */
export function admitPositions(
  recipients: readonly PageRecipient[],
  { organizationId, messageIdAt, uuidOf, hashMailbox }: AdmitOptions,
): { recipients: ChunkRecipient[]; people: PositionedPerson[]; skipped: SkippedPosition[] } {
  const fixtures: PositionedPerson[] = [];
  const people: PositionedPerson[] = [];
  const skipped: SkippedPosition[] = [];
  const positioned = recipients.map((recipient, position) => {
    const { email } = recipient;
    const parsed = parseAddress(email);
    const address = parsed.ok ? parsed.address : null;
    const simulated = address !== null && isFixtureAddress(address);
    const mailboxHash = address && hashMailbox(organizationId, emailKey(address));
    const messageId = messageIdAt(position);
    const at = { position, messageId, subscriberId: uuidOf(recipient.subscriberId), email, mailboxHash, simulated };
    const reason = skipReasonOf(recipient);
    if (reason) skipped.push({ at, reason, detail: null });
    else if (!parsed.ok) skipped.push({ at, reason: 'INVALID_ADDRESS', detail: `The address ${parsed.reason}` });
    else {
      const person = { recipient, at, messageId, subscriberId: at.subscriberId, address: parsed.address, simulated };
      (simulated ? fixtures : people).push(person);
    }
    return at;
  });
  return { recipients: positioned, people: [...fixtures, ...people], skipped };
}
