import type { Client } from '#bus';
import { previewLinks } from '#content';
import type { ContentCompiler } from '#content';
import type { domainRequests, subscriberLifeRequests, subscriberRequests } from '#contracts';
import { newUuid, uuidOf } from '#database';
import { isFixtureAddress, wireAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { linkBase, LinkUrls } from '#link-token';
import type { LinkTokens } from '#link-token';
import { RemoteFailure, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { guardedMailbox } from '../../message/address-hash.js';
import type { HashEmail, HashMailbox } from '../../message/address-hash.js';
import { composeMessage } from '../../message/compose-message.js';
import { messageIdFor } from '../../message/message-id.js';
import { messageToStore } from '../../message/relay-signature.js';
import type { SendingDomain, SendingDomainSource } from '../../message/sending-domain.client.js';
import { compileEmail, contentInvalid, htmlEmail, renderEmail } from './email-content.js';
import type { EmailTemplate, EmailText } from './email-content.js';
import { readEnvelope } from './email.js';
import type { EmailArgs, EmailEnvelope } from './email.js';
import type { AcceptedEmail, EmailCopy } from './email.repository.js';

export interface EmailDependencies {
  domain: Client<typeof domainRequests>;
  sendingDomains: SendingDomainSource;
  subscribers: Client<typeof subscriberRequests>;
  lives: Client<typeof subscriberLifeRequests>;
  tokens: LinkTokens;
  hashEmail: HashEmail;
  hashMailbox: HashMailbox;
  /** Where public links begin, without a slash at the end. */
  publicUrl: string;
  content: ContentCompiler;
  /** Whether the first relay wants our signature. */
  signs: boolean;
}

export interface CheckedEmail {
  envelope: EmailEnvelope;
  sending: SendingDomain;
  /** A document with the organization it is filled for; null for finished HTML. */
  document: (EmailTemplate & { timezone: string }) | null;
}

export const bare = ({ local, domain }: EmailAddress): string => `${local}@${domain}`;
const recipients = ({ to, cc }: EmailEnvelope): EmailAddress[] => [to, ...cc];

/**
 * @param toBeAdmitted whether `makeEmail` follows
 * @throws ToolError PARAMETERS_INVALID, CONTENT_INVALID, SENDER_DOMAIN_UNVERIFIED, RECIPIENT_SUPPRESSED; RemoteFailure
 * FILTER_TARGET_GONE
 */
export async function checkEmail(
  args: EmailArgs,
  parts: EmailDependencies,
  { caller, toBeAdmitted }: { caller: Caller; toBeAdmitted: boolean },
): Promise<CheckedEmail> {
  const envelope = readEnvelope(args);
  const emails = recipients(envelope).map(bare);
  const sending = await parts.sendingDomains.get(envelope.from, caller);
  const [document, { suppressed }] = await Promise.all([
    args.html === undefined ? checkDocument(args, parts, caller) : null,
    toBeAdmitted && emails.length === 1 ? noneSuppressed : parts.lives.list_suppressed_addresses({ emails }, caller),
  ]);
  if (suppressed[0]) throw new ToolError('RECIPIENT_SUPPRESSED', suppressed[0]);
  return { envelope, sending, document };
}

/** An admission reports the suppression of a single recipient, and changes nothing when it refuses. */
const noneSuppressed = { suppressed: [] };

async function checkDocument(args: EmailArgs, { domain, subscribers, content }: EmailDependencies, caller: Caller) {
  const { organization } = await domain.get_organization({}, caller);
  const compiled = await compileEmail(args, organization, { content, caller });
  const showIf: EmailTemplate['showIf'] = [];
  for (const filters of compiled.showIf) {
    const checked = await subscribers.check_filters({ filters }, caller).catch(filterProblem);
    showIf.push(checked.filters);
  }
  return { ...compiled, showIf, timezone: organization.timezone };
}

/** @throws ToolError CONTENT_INVALID for wrong filters of a block, and every other error as it is */
function filterProblem(error: unknown): never {
  if (!(error instanceof RemoteFailure) || error.failure.reason !== 'FILTERS_INVALID') throw error;
  const issues = error.failure.issues ?? [{ path: [], message: error.failure.message }];
  throw contentInvalid(issues.map(({ path, message }) => ({ path: ['showIf', ...path.slice(1)], message })));
}

/** Renders a checked email for an approver: a document with placeholders, since its recipient may be none yet. */
export function previewEmail(args: EmailArgs, { document, envelope }: CheckedEmail, { now }: Caller) {
  const { subject, preview = null, html = '', text = '' } = args;
  if (!document) return { subject, preview, html, text, renderedFor: bare(envelope.to) };
  const { timezone } = document;
  const input = { values: { email: bare(envelope.to) }, placeholders: true, links: previewLinks, timezone, now };
  const rendered = renderEmail(document, args, input);
  return { ...rendered, text: rendered.text ?? '', preview, renderedFor: null };
}

/**
 * Creates a checked email, composed, and signed if the first relay wants it, once for all recipients; they are subscribers from now on.
 * @throws ToolError RECIPIENT_SUPPRESSED for a recipient who was suppressed meanwhile
 */
export async function makeEmail(
  args: EmailArgs,
  checked: CheckedEmail,
  parts: EmailDependencies,
  caller: Caller,
): Promise<{ accepted: AcceptedEmail; messageId: string }> {
  const { organizationId, now } = caller;
  const { envelope } = checked;
  const { mailFromDomain, key } = checked.sending;
  const month = now.toISOString().slice(0, 7);
  const id = newUuid();
  const messageId = messageIdFor(id, envelope.from.asciiDomain);
  // The requests to other services and the signature run at the same time.
  const addressing = createCopies(recipients(envelope), { first: id, mailFromDomain, month }, parts, caller);
  const renderPool = contentOf(args, checked, { id, month, addressing, parts, caller }).then(async (content) => {
    const { from, to, ...head } = envelope;
    const composed = composeMessage({
      ...content,
      ...head,
      from,
      to: [to],
      messageId,
      date: now,
      autoSubmitted: 'auto-generated',
    });
    const raw = await messageToStore(composed, { key, signs: parts.signs, at: now });
    return { ...content, smtpUtf8: composed.smtpUtf8, signingDomain: from.asciiDomain, raw };
  });
  const [copies, made] = await Promise.all([addressing, renderPool]);
  return {
    accepted: { kind: 'TRANSACTIONAL', organizationId, month, ...made, tags: args.tags ?? [], copies },
    messageId,
  };
}

/** Returns the email's content; a document is rendered for the first recipient once they are a subscriber. */
async function contentOf(
  args: EmailArgs,
  { document }: CheckedEmail,
  { addressing, ...filling }: Omit<Filling, 'subscriberId'> & { addressing: Promise<EmailCopy[]> },
): Promise<EmailText> {
  if (!document)
    return await htmlEmail({ ...args, html: args.html! }, { content: filling.parts.content, caller: filling.caller });
  const [first] = await addressing;
  return await fill(document, args, { ...filling, subscriberId: first!.subscriberId });
}

/**
 * Makes every recipient a subscriber and addresses a copy to each, in their order.
 * @param options `first`: the id of the first copy
 * @throws ToolError RECIPIENT_SUPPRESSED
 */
export async function createCopies(
  to: readonly EmailAddress[],
  { first, mailFromDomain, month }: { first: string; mailFromDomain: string; month: string },
  { lives, tokens, hashMailbox }: Pick<EmailDependencies, 'lives' | 'tokens' | 'hashMailbox'>,
  caller: Caller,
): Promise<EmailCopy[]> {
  const organizationId = uuidOf('org', caller.organizationId)!;
  const copies: EmailCopy[] = [];
  for (const address of to) {
    const email = bare(address);
    const { subscriberId, suppressed } = await lives.admit_transactional({ email }, caller);
    if (suppressed) throw new ToolError('RECIPIENT_SUPPRESSED', { email, mark: suppressed });
    const messageId = copies.length === 0 ? first : newUuid();
    const simulated = isFixtureAddress(address);
    copies.push({
      messageId,
      subscriberId,
      email,
      simulated,
      mailbox: simulated ? null : guardedMailbox(caller.organizationId, address, hashMailbox),
      from: `b.${tokens.seal('return-path', { organizationId, messageId, period: month })}@${mailFromDomain}`,
      to: wireAddress(address),
    });
  }
  return copies;
}

interface Filling {
  id: string;
  subscriberId: string;
  month: string;
  parts: EmailDependencies;
  caller: Caller;
}

/** No link is counted; links that change tags have to lead through our server. */
async function fill(
  document: CheckedEmail['document'] & object,
  args: EmailArgs,
  { id, subscriberId, month, parts, caller }: Filling,
): Promise<EmailText> {
  const { tokens, subscribers, domain } = parts;
  const [{ recipient }, { hostname }] = await Promise.all([
    subscribers.get_recipient({ subscriberId, showIf: document.showIf }, caller),
    domain.find_link_host({}, caller),
  ]);
  const urls = new LinkUrls(tokens, linkBase(parts.publicUrl, hostname));
  const link = {
    organizationId: uuidOf('org', caller.organizationId)!,
    messageId: id,
    period: month,
    subscriberId: uuidOf('sub', subscriberId),
    campaignId: null,
  };
  return renderEmail(document, args, {
    values: recipient.values,
    shows: recipient.shows,
    timezone: document.timezone,
    now: caller.now,
    links: {
      unsubscribeUrl: urls.of('unsubscribe', link),
      preferencesUrl: urls.of('preferences', link),
      onlineUrl: '',
    },
    track: (target, number, tag) => (tag ? urls.click(link, { target, number, tag }) : target),
  });
}
