import type { ServiceBus } from '#bus';
import { previewLinks, renderMail } from '#content';
import type { MailTemplate } from '#content';
import { subscriberQueryTools, subscriberRequests } from '#contracts';
import type { Filter, PageRecipient } from '#contracts';
import { RemoteFailure } from '#tool-call';
import type { Caller, Description } from '#tool-call';
import type { VersionEmail } from '../../rules/compiled-version.js';

type Preview = NonNullable<Description['preview']>;

/** The newest SUBSCRIBED subscriber, for a preview; null when there is none. */
export async function findSampleId(bus: ServiceBus, caller: Caller): Promise<string | null> {
  const asked = { status: 'SUBSCRIBED' as const, limit: 1, fields: ['id' as const], filters: [] };
  const { subscribers } = await bus.client(subscriberQueryTools).query_subscribers(asked, caller);
  return subscribers[0]?.id ?? null;
}

/** Renders an email of a version as a subscriber would get it; with placeholders where there is none. */
export async function previewEmail(
  bus: ServiceBus,
  { template: compiled }: Pick<VersionEmail, 'template'>,
  subscriberId: string | null,
  caller: Caller,
): Promise<Preview> {
  const template = compiled as MailTemplate;
  const recipient = subscriberId && (await findRecipient(bus, subscriberId, template.showIf as Filter[][], caller));
  const { subject, preview, html, text } = renderMail(template, {
    values: recipient ? { ...recipient.values, email: recipient.email } : {},
    placeholders: !recipient,
    ...(recipient && { shows: recipient.shows }),
    links: previewLinks,
    currentYear: caller.now.getUTCFullYear(),
  });
  return { subject, preview, html, text, renderedFor: recipient ? recipient.email : null };
}

/** @returns null for a subscriber who is gone, or blocks whose filters name something that is gone */
async function findRecipient(
  bus: ServiceBus,
  subscriberId: string,
  showIf: Filter[][],
  caller: Caller,
): Promise<PageRecipient | null> {
  try {
    return (await bus.client(subscriberRequests).get_recipient({ subscriberId, showIf }, caller)).recipient;
  } catch (error) {
    if (error instanceof RemoteFailure && error.failure.reason) return null;
    throw error;
  }
}
