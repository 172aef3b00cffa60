import { emailTools } from '#contracts';
import { wireId } from '#database';
import { isFixtureAddress } from '#email-address';
import type { CallContext } from '#service-host';
import { implement } from '#tool-call';
import { bare, checkEmail, makeEmail } from './email.source.js';
import type { EmailParts } from './email.source.js';
import type { EmailEnvelope } from './email.js';
import { EmailRepository } from './email.repository.js';
import { storeEmail } from './store-email.recorder.js';

export const implementEmailTools = (context: CallContext, parts: EmailParts) =>
  implement(
    emailTools,
    {
      send_email: async (args, caller) => {
        const checked = await checkEmail(args, parts, caller);
        const { accepted, messageId } = await makeEmail(args, checked, parts, caller);
        await storeEmail(context, accepted);
        const warnings = checked.document?.warnings ?? [];
        return {
          id: wireId('msg', accepted.copies[0]!.messageId),
          status: 'QUEUED' as const,
          messageId,
          ...(warnings.length > 0 && { warnings }),
        };
      },

      get_subscriber_emails: async ({ status, limit, ...who }, caller) => {
        const { subscriberId } = await parts.lives.identify_subscriber(who, caller);
        const emails = new EmailRepository(context.manager);
        const page = { status: status ?? null, limit };
        return { emails: await emails.listBySubscriber(caller.organizationId, subscriberId, page) };
      },
    },
    {
      send_email: async (args, caller) => {
        const { envelope } = await checkEmail(args, parts, caller);
        return { action: 'Send the email', message: sentence(args.subject, envelope) };
      },
    },
  );

function sentence(subject: string, { from, to, cc }: EmailEnvelope): string {
  const others = cc.length > 0 ? ` and ${cc.length} in cc` : '';
  const tests = [to, ...cc].filter(isFixtureAddress).length;
  const spared = tests > 0 ? `; ${tests} of ${cc.length + 1} are test addresses, for which nothing really leaves` : '';
  return `Sends "${subject}" now to ${bare(to)}${others} from ${bare(from)}${spared}.`;
}
