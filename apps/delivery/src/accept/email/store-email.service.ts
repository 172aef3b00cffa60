import type { CallContext } from '#service-host';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { MailQuotaRepository } from '../../limits/mail-quota.repository.js';
import { StoredMessageRepository } from '../stored-message.repository.js';
import { EmailRepository } from './email.repository.js';
import type { AcceptedEmail } from './email.repository.js';

/**
 * Stores an email for all its recipients or for none, counted by quota and guard, and concludes the call with it.
 * @returns the response of the call as it was given
 * @throws ToolError QUOTA_REACHED, RECIPIENT_GUARD_REACHED
 */
export async function storeEmail<T>(
  context: Pick<CallContext, 'conclude'>,
  { accepted, answer }: { accepted: AcceptedEmail; answer: T },
  caller: Caller,
): Promise<T> {
  return await context.conclude(async ({ manager }) => {
    const inserting = new EmailRepository(manager).insert(accepted);
    // Sent at once with the insert, which the connection carries out first; a refusal undoes both.
    const counting = new MailQuotaRepository(manager).take(caller, accepted.month, accepted.copies.length);
    counting.catch(() => undefined);
    const [refused] = await inserting;
    if (refused) {
      const retryAt = await new StoredMessageRepository(manager).findGuardOpening(accepted.organizationId, refused);
      throw new ToolError('RECIPIENT_GUARD_REACHED', { email: refused.key }, { retryAt });
    }
    await counting;
    return answer;
  });
}
