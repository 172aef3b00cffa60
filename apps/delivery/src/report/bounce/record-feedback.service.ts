import type { EventData, FeedbackOutcome } from '#contracts';
import type { Outbox } from '#events';
import type { LinkTokens } from '#link-token';
import type { HashEmail } from '../../message/address-hash.js';
import type { CallContexts } from '#service-host';
import { BounceRepository, reportLengthMax } from './bounce.repository.js';
import type { MessageChange, MessageKey, ReportedMessage } from './bounce.repository.js';
import { addCounters, counterChanges, noChange, transitionOf } from './feedback.js';
import type { Feedback, Transition } from './feedback.js';
import { readReport } from './read-report.js';
import type { MailReport, NamedRecipient, ReportedRecipient } from './report.js';

export interface FeedbackDependencies {
  contexts: Pick<CallContexts, 'transaction' | 'plain'>;
  tokens: LinkTokens;
  hashEmail: HashEmail;
}

export interface FeedbackItem extends FeedbackTraces {
  feedback: Feedback;
  raw: string | null;
}

/** Only a return path proves that its sender got the message. */
export interface FeedbackTraces {
  returnPaths: readonly string[];
  /** Of channels that are trusted: ids from Message-IDs, which may hide the position of a message. */
  messageIds: readonly string[];
  /** The recipient it is about, by every name in it; empty if it names none. */
  addresses: readonly string[];
  /** Other recipients in the same report: feedback about this one says nothing of them. */
  others: readonly string[];
}

/**
 * Reads the message key from a return path that we signed: `b.<token>@domain`, or the part before the @; null for other
 * text.
 */
export function readReturnPath(tokens: LinkTokens, address: string): MessageKey | null {
  const [, token] = /^<?b\.([0-9a-z]+)(?:@|$)/i.exec(address.trim()) ?? [];
  return token === undefined ? null : tokens.open('return-path', token.toLowerCase());
}

/**
 * @param from `returnPath`: the address it came to, which alone counts; null for a trusted channel, where everything
 * that names a message counts
 */
export async function recordMail(
  parts: FeedbackDependencies,
  raw: Buffer,
  { returnPath }: { returnPath: string | null },
): Promise<FeedbackOutcome> {
  const report = await readReport(raw);
  if (report.kind === 'other') return 'nothing';
  const traces =
    returnPath === null
      ? { returnPaths: report.returnPaths, messageIds: report.messageIds }
      : { returnPaths: [returnPath], messageIds: [] };
  const beginning = raw.toString('latin1', 0, reportLengthMax);
  const feedback = itemsOf(report).map(({ feedback, ...named }) => ({
    ...traces,
    ...named,
    feedback,
    // A report of arrival needs no explanation, and every message has one where the relay sends them.
    raw: feedback.kind === 'delivered' ? null : beginning,
  }));
  const outcomes = await recordFeedback(parts, feedback);
  return (['later', 'recorded', 'nothing', 'unknown'] as const).find((one) => outcomes.includes(one)) ?? 'nothing';
}

/** Lists the feedback of a report by recipient: failures first, since a bounced message stays bounced. */
function itemsOf(report: Exclude<MailReport, { kind: 'other' }>) {
  if (report.kind === 'complaint') {
    const { feedbackType, provider, address } = report;
    const feedback: Feedback = { kind: 'complained', feedbackType, provider };
    return [{ addresses: namesIn(address), others: [], feedback }];
  }
  const bounced = report.kind === 'bounce' ? report.recipients : [];
  const items = [
    ...bounced.filter(({ action }) => action === 'failed').map((one) => item(one, bouncedOf(one))),
    ...bounced.filter(({ action }) => action === 'delayed').map((one) => item(one, delayedOf(one))),
    ...report.delivered.map((one) => item(one, { kind: 'delivered' })),
  ];
  return items.map((one) => ({
    ...one,
    others: items.flatMap(({ addresses }) => (addresses === one.addresses ? [] : addresses)),
  }));
}

const item = ({ address, finalAddress }: NamedRecipient, feedback: Feedback) => ({
  addresses: namesIn(address, finalAddress),
  feedback,
});

const delayedOf = ({ reason }: ReportedRecipient): Feedback => ({ kind: 'delayed', reason });

export const bouncedOf = ({
  reason,
  status,
  bounceType,
  bounceCategory,
  suppression,
}: ReportedRecipient): Feedback => ({
  kind: 'bounced',
  reason,
  status,
  bounceType,
  bounceCategory,
  suppression,
});

/**
 * Records feedback in its order, with its events, in one transaction; repeated feedback changes nothing.
 * @returns the outcome of each
 */
export async function recordFeedback(
  { contexts, tokens, hashEmail }: FeedbackDependencies,
  feedback: readonly FeedbackItem[],
): Promise<FeedbackOutcome[]> {
  return await contexts.transaction(async ({ manager, outbox }) => {
    const bounces = new BounceRepository(manager);
    const find = await messageFinder(bounces, { tokens, hashEmail }, feedback);
    const changes = new Map<ReportedMessage, MessageChange>();
    const outcomes = feedback.map(({ feedback, raw, ...traces }): FeedbackOutcome => {
      const message = find(traces);
      if (!message) return 'unknown';
      if (message === 'being sent') return 'later';
      const transition = transitionOf(message.state, feedback);
      if (transition === 'later') return 'later';
      if (transition === null || isKnownDelay(message, feedback)) return 'nothing';
      tell(outbox, message, { transition, feedback });
      message.state = transition.state;
      // Words of servers repeat the address: of a message that forgot its own they would bring it back.
      const isErased = message.email === '';
      if ('reason' in feedback && !isErased) message.response = feedback.reason;
      const change = changes.get(message) ?? { message, status: null, reports: [], counters: noChange };
      changes.set(message, {
        message,
        status: (feedback.kind === 'bounced' ? feedback.status : null) ?? change.status,
        reports: raw === null || isErased ? change.reports : [...change.reports, { kind: feedback.kind, raw }],
        counters: addCounters(change.counters, counterChanges(transition)),
      });
      return 'recorded';
    });
    if (changes.size > 0) await bounces.update([...changes.values()]);
    return outcomes;
  });
}

/** Servers tell of a delay until it ends, and providers of the same event twice. */
const isKnownDelay = ({ state, response }: ReportedMessage, feedback: Feedback): boolean =>
  feedback.kind === 'delayed' && state !== 'IN_DOUBT' && feedback.reason === response;

/**
 * Locks the messages that traces name.
 * @returns what finds the one that a report is about; null for none, `being sent` before its outcome is recorded
 */
async function messageFinder(
  bounces: BounceRepository,
  { tokens, hashEmail }: Pick<FeedbackDependencies, 'tokens' | 'hashEmail'>,
  feedback: readonly FeedbackTraces[],
): Promise<(traces: FeedbackTraces) => ReportedMessage | 'being sent' | null> {
  const byPath = new Map(
    feedback.flatMap(({ returnPaths }) => returnPaths).map((path) => [path, readReturnPath(tokens, path)]),
  );
  const named = (messageIds: readonly string[]) => messageIds.map((id) => tokens.idBehind(id));
  const byId = await bounces.listKeys(named(feedback.flatMap(({ messageIds }) => messageIds)));
  const keys = [...byPath.values(), ...byId.values()].filter((key) => key !== null);
  const messages = await bounces.listForUpdate(keys);
  const rowless = keys.filter(({ messageId }) => !messages.has(messageId));
  const open = await bounces.listOpen(rowless);
  // The other outcomes may have been committed between the two statements.
  const late = await bounces.listForUpdate(rowless.filter(({ messageId }) => !open.has(messageId)));
  for (const [messageId, message] of late) messages.set(messageId, message);
  const at = (key: MessageKey | null | undefined) => (key ? messages.get(key.messageId) : undefined);
  const isOpen = (key: MessageKey | null | undefined) => !!key && open.has(key.messageId);
  return ({ returnPaths, messageIds, addresses, others }) => {
    // An erased message keeps only the hash of its address.
    const isNamedBy = (names: readonly string[], { organizationId, email, addressHash }: ReportedMessage) =>
      email === ''
        ? addressHash !== null && names.some((name) => hashEmail(organizationId, name) === addressHash)
        : namesMailbox(names, email);
    // Copies to others in cc have the same Message-ID, and redacted text names no recipient.
    const isAbout = (message: ReportedMessage) =>
      addresses.length > 0 ? isNamedBy(addresses, message) : !isNamedBy(others, message);
    for (const returnPath of returnPaths) {
      const message = at(byPath.get(returnPath));
      if (!message) continue;
      // Servers rewrite addresses, and a return path belongs to one recipient, so that a sole entry is about that one.
      const isSole = returnPaths.length === 1 && others.every((other) => namesMailbox(addresses, other));
      if (isSole || isAbout(message)) return message;
    }
    for (const messageId of named(messageIds)) {
      const message = at(byId.get(messageId));
      if (message && isAbout(message)) return message;
    }
    // A mark has no address to compare.
    const isEarly =
      returnPaths.some((path) => isOpen(byPath.get(path))) || named(messageIds).some((id) => isOpen(byId.get(id)));
    return isEarly ? 'being sent' : null;
  };
}

const namesMailbox = (addresses: readonly string[], email: string): boolean =>
  addresses.some((address) => sameMailbox(address, email));
const sameMailbox = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
/** The addresses that name someone: some reports make them unreadable. */
export const namesIn = (...addresses: (string | null)[]): string[] =>
  addresses.filter((address) => address !== null).filter((address) => !isRedacted(address));
const isRedacted = (address: string): boolean => /^(?:redacted|x+|[0-9a-f]{32,})@/i.test(address);

function tell(
  outbox: Outbox,
  message: ReportedMessage,
  { transition, feedback }: { transition: Transition; feedback: Feedback },
): void {
  const { organizationId, messageId, sendId, pageNo } = message;
  const { subscriberId, campaignId, campaignName, subject, email, addressHash } = message;
  const about: EventData<'message.sent'> = {
    messageId,
    subscriberId,
    campaignId,
    campaignName,
    subject,
    email,
    ...(addressHash !== null && { addressHash }),
    at: new Date(Date.now()).toISOString(),
    simulated: false,
  };
  const key = sendId === null ? messageId : `${sendId}/${pageNo}`;
  const provider = email.slice(email.lastIndexOf('@') + 1).toLowerCase() || null;
  if (transition.countedAs === null) outbox.add(organizationId, 'message.sent', about, key);
  switch (feedback.kind) {
    case 'delivered':
      return outbox.add(organizationId, 'message.delivered', about, key);
    case 'delayed':
      return outbox.add(
        organizationId,
        'message.delayed',
        { ...about, reason: feedback.reason, attempts: message.attempts },
        key,
      );
    case 'bounced': {
      const { bounceType, bounceCategory, reason, status, suppression } = feedback;
      const countedAs = transition.countedAs ?? 'SENT';
      return outbox.add(
        organizationId,
        'message.bounced',
        { ...about, bounceType, bounceCategory, reason, provider, status, countedAs, suppression },
        key,
      );
    }
    case 'complained': {
      if (transition.countedAs !== 'DELIVERED') outbox.add(organizationId, 'message.delivered', about, key);
      const complained = { complaintFeedbackType: feedback.feedbackType, provider: feedback.provider ?? provider };
      return outbox.add(organizationId, 'message.complained', { ...about, ...complained }, key);
    }
  }
}
