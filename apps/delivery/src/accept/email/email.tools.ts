import { z } from 'zod';
import { emailTools, writtenEmailRequests } from '#contracts';
import { wireId } from '#database';
import { isFixtureAddress } from '#email-address';
import type { CallContext } from '#service-host';
import { implement, parseInput, summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { SubscriberMailClient } from '../../message/subscriber-mail.client.js';
import { bare, checkEmail, makeEmail, previewEmail } from './email.service.js';
import type { EmailDependencies } from './email.service.js';
import { unfilledWarnings } from './email-content.js';
import type { EmailArgs, EmailEnvelope } from './email.js';
import { EmailRepository } from './email.repository.js';
import { storeEmail } from './store-email.service.js';

export const implementEmailTools = (context: CallContext, parts: EmailDependencies) =>
  implement(
    emailTools,
    {
      send_email: async (args, caller) => await send(context, parts, args, caller),

      get_subscriber_emails: async ({ status, limit, ...who }, caller) => {
        const mail = await new SubscriberMailClient(parts.lives, parts.hashEmail).get(who, caller);
        const emails = new EmailRepository(context.manager);
        const page = { status: status ?? null, limit };
        return { emails: await emails.listBySubscriber(caller.organizationId, mail, page) };
      },
    },
    {
      send_email: async (args, caller) => {
        const checked = await checkEmail(args, parts, { caller, toBeAdmitted: false });
        const { envelope } = checked;
        const message = [sentence(args.subject, envelope), ...unfilledWarnings(args)].join(' ');
        const facts = Object.entries({ From: [envelope.from], To: [envelope.to], Cc: envelope.cc }).flatMap(
          ([label, addresses]) => addresses.map((one) => ({ label, value: bare(one) })),
        );
        // The parameters say all that is sent.
        const shown = {
          content: {},
          facts,
          ...(caller.forApproval && { preview: previewEmail(args, checked, caller) }),
        };
        return { action: 'Send the email', message, ...shown };
      },
    },
  );

async function send(context: CallContext, parts: EmailDependencies, args: EmailArgs, caller: Caller) {
  const checked = await checkEmail(args, parts, { caller, toBeAdmitted: true });
  const { accepted, messageId } = await makeEmail(args, checked, parts, caller);
  const warnings = [...(checked.document?.warnings ?? []), ...unfilledWarnings(args)];
  const answer = {
    id: wireId('msg', accepted.copies[0]!.messageId),
    status: 'QUEUED' as const,
    messageId,
    ...(warnings.length > 0 && { warnings }),
  };
  return await storeEmail(context, { accepted, answer }, caller);
}

const writtenText = z.object({ content: emailTools.calls.send_email.input.shape.html.unwrap() });

export const implementWrittenEmails = (context: CallContext, parts: EmailDependencies) =>
  implement(writtenEmailRequests, {
    send_written_email: async ({ content, contentType, ...email }, caller) => {
      if (contentType === 'TIPTAP')
        return await send(context, parts, { ...email, tiptap: content, contentType: 'MAILY' }, caller);
      if (typeof content !== 'string') throw textExpected(contentType);
      const { content: text } = parseInput(writtenText, { content });
      const body = contentType === 'HTML' ? { html: text } : { tiptap: text, contentType };
      return await send(context, parts, { ...email, ...body }, caller);
    },
  });

function textExpected(contentType: string): ToolError {
  const issues = [{ path: ['content'], message: `must be text for contentType ${contentType}` }];
  return new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}

function sentence(subject: string, { from, to, cc }: EmailEnvelope): string {
  const others = cc.length > 0 ? ` and ${cc.length} in cc` : '';
  const tests = [to, ...cc].filter(isFixtureAddress).length;
  const spared = tests > 0 ? `; ${tests} of ${cc.length + 1} are test addresses, for which nothing really leaves` : '';
  return `Sends "${subject}" now to ${bare(to)}${others} from ${bare(from)}${spared}.`;
}
