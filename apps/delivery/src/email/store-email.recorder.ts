import type { CallContext } from '#service-host';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { MailQuotaRepository } from '../quota/mail-quota.repository.js';
import { OwnMessageRepository } from '../own-message/own-message.repository.js';
import { EmailRepository } from './email.repository.js';
import type { AcceptedEmail } from './email.repository.js';

/**
 * Stores an email for all its recipients, counted by quota and guard, or for none.
 * @throws ToolError QUOTA_REACHED, RECIPIENT_GUARD_REACHED
 */
export async function storeEmail(
  context: Pick<CallContext, 'transaction'>,
  accepted: AcceptedEmail,
  caller: Caller,
): Promise<void> {
  await context.transaction(async ({ manager }) => {
    const [email] = await new EmailRepository(manager).insert(accepted);
    if (email === undefined)
      return await new MailQuotaRepository(manager).take(caller, accepted.month, accepted.copies.length);
    const retryAt = await new OwnMessageRepository(manager).findGuardOpening(accepted.organizationId, email);
    throw new ToolError('RECIPIENT_GUARD_REACHED', { email }, { retryAt });
  });
}
