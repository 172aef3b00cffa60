import { newUuid, wireId } from '#database';
import { emailKey, isFixtureAddress, needsSmtpUtf8, parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { executeIdempotentWithIo } from '#service-host';
import type { CallContext, CallContexts } from '#service-host';
import { failureOf, RemoteFailure, requestHash, ToolError } from '#tool-call';
import type { Caller, Outcome } from '#tool-call';
import { createCopies, bare } from '../email/email.service.js';
import type { EmailDependencies } from '../email/email.service.js';
import type { AcceptedEmail } from '../email/email.repository.js';
import { storeEmail } from '../email/store-email.service.js';
import { RecipientGuardRepository } from '../../limits/recipient-guard.repository.js';
import { guardedMailbox } from '../../message/address-hash.js';
import { messageIdFor } from '../../message/message-id.js';
import { messageToStore } from '../../message/relay-signature.js';
import { readSubmittedMail } from './submitted-mail.js';
import { SmtpRefusal } from './smtp-refusal.js';

export interface SubmissionDependencies extends EmailDependencies {
  contexts: CallContexts;
}

/** @throws SmtpRefusal for a malformed address; ToolError RECIPIENT_SUPPRESSED, RECIPIENT_GUARD_REACHED */
export async function checkRecipient(
  text: string,
  parts: SubmissionDependencies,
  caller: Caller,
): Promise<EmailAddress> {
  const read = parseAddress(text);
  if (!read.ok) throw new SmtpRefusal(553, '5.1.3', `The address ${read.reason}`);
  const { address } = read;
  const email = bare(address);
  const { suppressed } = await parts.lives.list_suppressed_addresses({ emails: [email] }, caller);
  if (suppressed[0]) throw new ToolError('RECIPIENT_SUPPRESSED', suppressed[0]);
  if (isFixtureAddress(address)) return address;
  const guard = new RecipientGuardRepository(parts.contexts.plain().manager);
  if (!(await guard.isOpen(caller.organizationId, guardedMailbox(caller.organizationId, address, parts.hashMailbox)))) {
    throw new ToolError('RECIPIENT_GUARD_REACHED', { email });
  }
  return address;
}

/**
 * Accepts a submitted mail for checked recipients, in the same way as send_email. With an `X-Idempotency-Key` the same
 * mail again returns the same id.
 * @throws SmtpRefusal, ToolError, RemoteFailure
 */
export async function submitMail(
  raw: Buffer,
  recipients: readonly EmailAddress[],
  parts: SubmissionDependencies,
  caller: Caller,
): Promise<string> {
  const mail = await readSubmittedMail(raw, caller.now);
  const { mailFromDomain, key } = await parts.sendingDomains.get(mail.from, caller);
  const accept = async (context: Pick<CallContext, 'conclude'>): Promise<{ id: string }> => {
    const month = caller.now.toISOString().slice(0, 7);
    const messageId = newUuid();
    const copies = await createCopies(recipients, { first: messageId, mailFromDomain, month }, parts, caller);
    const { fields, body } = mail.composed;
    const composed = {
      fields: [...fields, `Message-ID: ${messageIdFor(messageId, mail.from.asciiDomain)}`],
      body,
      smtpUtf8: mail.composed.smtpUtf8 || recipients.some(needsSmtpUtf8),
    };
    const bytes = await messageToStore(composed, { key, signs: parts.signs, at: caller.now });
    const accepted: AcceptedEmail = {
      kind: 'SMTP',
      organizationId: caller.organizationId,
      month,
      subject: mail.subject,
      tags: [],
      html: mail.html,
      text: mail.text,
      smtpUtf8: composed.smtpUtf8,
      signingDomain: mail.from.asciiDomain,
      raw: bytes,
      copies,
    };
    return await storeEmail(context, { accepted, answer: { id: wireId('msg', messageId) } }, caller);
  };
  const { idempotencyKey } = mail;
  if (idempotencyKey === null) return (await accept(parts.contexts.plain())).id;
  return await once(idempotencyKey, { digest: mail.digest, recipients, accept }, { contexts: parts.contexts, caller });
}

async function once(
  idempotencyKey: string,
  mail: {
    digest: string;
    recipients: readonly EmailAddress[];
    accept: (context: Pick<CallContext, 'conclude'>) => Promise<{ id: string }>;
  },
  { contexts, caller }: { contexts: CallContexts; caller: Caller },
): Promise<string> {
  const key = {
    organizationId: caller.organizationId,
    callId: `key:${idempotencyKey}`,
    requestHash: requestHash('smtp', mail.digest, mail.recipients.map(emailKey)),
  };
  const run = (context: CallContext): Promise<Outcome> =>
    mail.accept(context).then(
      (data): Outcome => ({ ok: true, data }),
      (error: unknown): Outcome => {
        const { error: failure, defect } = failureOf(error);
        if (defect) throw error;
        return { ok: false, error: failure };
      },
    );
  const outcome = await executeIdempotentWithIo({ key, deadline: caller.deadline, contexts, run });
  if (!outcome.ok) throw new RemoteFailure(outcome.error);
  return (outcome.data as { id: string }).id;
}
