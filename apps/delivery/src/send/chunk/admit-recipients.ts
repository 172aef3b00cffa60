import type { PageRecipient } from '#contracts';
import { isFixtureAddress, parseAddress } from '#email-address';
import { skipReasonOf } from '../skip-reason.js';
import type { QueuedRecipient, Skip } from './chunk.js';

interface AdmitOptions {
  newUuid: () => string;
  uuidOf: (id: string) => string;
  known: ReadonlySet<string>;
  isStopped: boolean;
}

/**
 * Decides for each recipient of a chunk of layout 0 whether it gets a message.
 * @param options `newUuid`: makes the id of a message; `uuidOf`: the stored id behind a subscriber's; `known`: uuids of
 * recipients that have a message already; `isStopped`: the send is stopped, and nothing more is sent
 */
export function admitRecipients(
  recipients: readonly PageRecipient[],
  { newUuid, uuidOf, known, isStopped }: AdmitOptions,
): { queued: QueuedRecipient[]; skips: Skip[] } {
  const queued: QueuedRecipient[] = [];
  const skips: Skip[] = [];
  for (const recipient of recipients) {
    const { email } = recipient;
    const subscriberId = uuidOf(recipient.subscriberId);
    if (known.has(subscriberId)) continue;
    const message = { messageId: newUuid(), subscriberId, email };
    const reason = skipReasonOf(recipient);
    const parsed = parseAddress(email);
    if (reason) skips.push({ ...message, reason, detail: null });
    else if (!parsed.ok) skips.push({ ...message, reason: 'INVALID_ADDRESS', detail: `The address ${parsed.reason}` });
    else if (isStopped) skips.push({ ...message, reason: 'STOPPED', detail: null });
    else queued.push({ ...message, simulated: isFixtureAddress(parsed.address) });
  }
  return { queued, skips };
}
