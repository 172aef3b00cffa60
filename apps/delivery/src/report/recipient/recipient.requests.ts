import { recipientRequests } from '#contracts';
import type { RetentionRepository } from '#database';
import { isFixtureAddress, parseAddress } from '#email-address';
import type { Outbox } from '#events';
import { implement, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { MailQuotaRepository } from '../../limits/mail-quota.repository.js';
import type { SendRepository } from '../../send/send.repository.js';
import { canRetry } from './recipient.js';
import type { EndedMessage, RecipientRepository, Requeued } from './recipient.repository.js';

const atOnce = 2_000;

interface Dependencies {
  outbox: Outbox;
  sends: SendRepository;
  recipients: RecipientRepository;
  retention: RetentionRepository;
  quota: MailQuotaRepository;
}

export const implementRecipientRequests = ({ outbox, sends, recipients, retention, quota }: Dependencies) =>
  implement(recipientRequests, {
    list_recipients: async ({ sendId, counted, ...page }, { organizationId, now }) => {
      await assertKept({ sends, retention }, sendId, { organizationId, now });
      const listed = await recipients.list(organizationId, sendId, page);
      return { ...listed, ...(counted && { counts: await recipients.count(organizationId, sendId) }) };
    },

    retry_send: async ({ sendId, inDoubt }, { organizationId, now }) => {
      const send = await recipients.findStateForUpdate(organizationId, sendId);
      const { contentExpired } = await assertKept({ sends, retention }, sendId, { organizationId, now });
      if (!send) throw new ToolError('SEND_NOT_FOUND', { id: sendId });
      if (contentExpired) throw new ToolError('RECORDS_EXPIRED', { what: 'The content of the send' });
      if (send.state === 'STOPPED' && !send.finished) throw new ToolError('CAMPAIGN_STOPPING', {});
      const { layout } = send;
      const counts = { retried: 0, inDoubt: 0 };
      let softBounces = 0;
      let after: string | null = null;
      do {
        const ended = await recipients.listEnded(organizationId, sendId, { layout, after, limit: atOnce });
        const again = ended.flatMap((message) => requeued(message, inDoubt) ?? []);
        if (again.length > 0 && counts.retried === 0 && send.finished)
          await quota.updateSkipped(organizationId, sendId, 'take again');
        if (again.length > 0) await recipients.requeue(organizationId, sendId, { layout, messages: again });
        counts.retried += again.length;
        // Of the refused, only those are tried again that were refused for now.
        softBounces += ended.filter((message) => message.state === 'FAILED' && canRetry(message) === 'YES').length;
        counts.inDoubt += ended.filter(({ state }) => state === 'IN_DOUBT').length;
        after = ended.length === atOnce ? ended.at(-1)!.place : null;
      } while (after !== null);
      const reopened = counts.retried > 0 ? await recipients.updateReopened(organizationId, sendId) : null;
      if (reopened) {
        const { campaignId, at } = reopened;
        outbox.add(organizationId, 'send.retried', { sendId, campaignId, softBounces, at }, sendId);
      }
      // A message that is tried again is in doubt no longer.
      return { ...counts, inDoubt: inDoubt ? 0 : counts.inDoubt, retriedAt: reopened?.at ?? null };
    },
  });

/** @throws ToolError SEND_NOT_FOUND; RECORDS_EXPIRED when the messages of a send are deleted, or are being deleted */
async function assertKept(
  { sends, retention }: Pick<Dependencies, 'sends' | 'retention'>,
  sendId: string,
  { organizationId, now }: Pick<Caller, 'organizationId' | 'now'>,
): Promise<{ contentExpired: boolean }> {
  const send = await sends.findAge(organizationId, sendId);
  if (!send) throw new ToolError('SEND_NOT_FOUND', { id: sendId });
  const horizon = await retention.findHorizon(organizationId, 'messages', now);
  if (horizon && send.period < horizon) throw new ToolError('RECORDS_EXPIRED', { what: 'The list of recipients' });
  return send;
}

function requeued(message: EndedMessage, inDoubt: boolean): Requeued | null {
  const can = canRetry(message);
  // A deleted subscriber has no address here any more.
  if (can === 'NO' || (can === 'IF_ASKED' && !inDoubt) || message.email === '') return null;
  const parsed = parseAddress(message.email);
  return { messageId: message.messageId, simulated: parsed.ok && isFixtureAddress(parsed.address) };
}
