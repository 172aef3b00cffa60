import type { CallContext } from '#service-host';
import { ToolError } from '#tool-call';
import { OwnMessageRepository } from '../own-message/own-message.repository.js';
import { EmailRepository } from './email.repository.js';
import type { AcceptedEmail } from './email.repository.js';

/**
 * Stores an email for all its recipients, counted by the guard, or for none.
 * @throws ToolError RECIPIENT_GUARD_REACHED
 */
export async function storeEmail(context: Pick<CallContext, 'transaction'>, accepted: AcceptedEmail): Promise<void> {
  await context.transaction(async ({ manager }) => {
    const [email] = await new EmailRepository(manager).insert(accepted);
    if (email === undefined) return;
    const retryAt = await new OwnMessageRepository(manager).findGuardOpening(accepted.organizationId, email);
    throw new ToolError('RECIPIENT_GUARD_REACHED', { email }, { retryAt });
  });
}
