import type { Client } from '#bus';
import type { Args, messageRequests, domainRequests } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import { isFixtureAddress, parseAddress, toAsciiDomain, wireAddress } from '#email-address';
import type { LinkTokens } from '#link-token';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { guardedMailbox } from '../../message/address-hash.js';
import type { HashMailbox } from '../../message/address-hash.js';
import { composeMessage } from '../../message/compose-message.js';
import { messageIdFor } from '../../message/message-id.js';
import { messageToStore } from '../../message/relay-signature.js';
import type { AcceptedMessage, StoredMessageRepository } from '../stored-message.repository.js';

type Calls = (typeof messageRequests)['calls'];
type Asked = Args<Calls['queue_message']>;
type AskedSystem = Args<Calls['queue_system_message']>;
type AskedTest = Args<Calls['queue_test']>;

export interface SystemMessageDependencies {
  own: StoredMessageRepository;
  domain: Client<typeof domainRequests>;
  tokens: LinkTokens;
  hashMailbox: HashMailbox;
  /** Whether the first relay wants our signature. */
  signs: boolean;
}

/**
 * Accepts a system message for one recipient: composed now, and signed if the first relay wants it; attempted as soon as the relay takes it.
 * @returns the id of the message; for a repeated source the first message's
 */
export const queueMessage = (asked: Asked, parts: SystemMessageDependencies, caller: Caller): Promise<string> =>
  accept({ ...asked, kind: 'TRANSACTIONAL', senderId: null, replyTo: null, isGuarded: false }, parts, caller);

/**
 * The same for a test of a campaign, from the campaign's sender, which the recipient guard may refuse.
 * @throws ToolError RECIPIENT_GUARD_REACHED too
 */
export const queueTest = (asked: AskedTest, parts: SystemMessageDependencies, caller: Caller): Promise<string> =>
  accept({ ...asked, kind: 'TEST', subscriberId: null, isGuarded: true }, parts, caller);

/** The same for a mail of the installation itself to a user; like a test, no statistics include it. */
export const queueSystemMessage = (
  asked: AskedSystem,
  parts: SystemMessageDependencies,
  caller: Caller,
): Promise<string> =>
  accept({ ...asked, replyTo: null, kind: 'TEST', subscriberId: null, isGuarded: false }, parts, caller);

type Wanted = AskedTest & Pick<AcceptedMessage, 'kind' | 'subscriberId'> & { isGuarded: boolean };

async function accept(wanted: Wanted, parts: SystemMessageDependencies, caller: Caller): Promise<string> {
  const { organizationId } = caller;
  const known = await parts.own.findBySource(organizationId, wanted.sourceKey);
  if (known) return wireId('msg', known);
  const message = await make(wanted, parts, caller);
  const accepted = await parts.own.insert(message);
  const id = accepted ? message.messageId : await parts.own.findBySource(organizationId, wanted.sourceKey);
  if (id !== null) return wireId('msg', id);
  const retryAt = await parts.own.findGuardOpening(organizationId, message.guarded!);
  throw new ToolError('RECIPIENT_GUARD_REACHED', { email: wanted.email }, { retryAt });
}

async function make(
  asked: Wanted,
  { domain, tokens, hashMailbox, signs }: SystemMessageDependencies,
  caller: Caller,
): Promise<AcceptedMessage> {
  const { organizationId, now } = caller;
  const to = parseAddress(asked.email);
  if (!to.ok) throw new ToolError('PARAMETERS_INVALID', { summary: `The address ${to.reason}.` });
  const { sender } = await domain.get_sender({ senderId: asked.senderId }, caller);
  if (!sender) throw new ToolError('SENDER_MISSING', {});
  const { key } = await domain.get_signing_key({ domain: sender.domain }, caller);
  const asciiDomain = toAsciiDomain(sender.domain);
  if (!key || asciiDomain === null || sender.domainStatus !== 'VERIFIED') {
    throw new ToolError('SENDER_DOMAIN_UNVERIFIED', { domain: sender.domain });
  }
  const from = { display: sender.displayName, local: sender.localPart, domain: sender.domain, asciiDomain };
  const replyAddress = asked.replyTo ?? sender.replyTo;
  const replyTo = replyAddress === null ? null : parseAddress(replyAddress);
  const messageId = newUuid();
  const composed = composeMessage({
    from,
    to: [to.address],
    replyTo: replyTo?.ok ? replyTo.address : from,
    subject: asked.subject,
    html: asked.html,
    text: asked.text,
    messageId: messageIdFor(messageId, asciiDomain),
    date: now,
    autoSubmitted: 'auto-generated',
  });
  const month = now.toISOString().slice(0, 7);
  const named = { organizationId: uuidOf('org', organizationId)!, messageId, period: month };
  const returnPath = tokens.seal('return-path', named);
  const simulated = isFixtureAddress(to.address);
  return {
    organizationId,
    messageId,
    month,
    kind: asked.kind,
    sourceKey: asked.sourceKey,
    subscriberId: asked.subscriberId,
    email: asked.email,
    subject: asked.subject,
    simulated,
    guarded: asked.isGuarded && !simulated ? guardedMailbox(organizationId, to.address, hashMailbox) : null,
    from: `b.${returnPath}@${sender.mailFromDomain}`,
    to: wireAddress(to.address),
    smtpUtf8: composed.smtpUtf8,
    signingDomain: asciiDomain,
    raw: await messageToStore(composed, { key, signs, at: now }),
  };
}
