import type { SubscriberStatus } from '#contracts';

/** Suppressions of an address in every status; only a reactivation or the operator lifts them. */
export interface Suppressions {
  banned: boolean;
  hardBounced: boolean;
  complained: boolean;
}

export interface SubscriberState {
  id: string;
  email: string;
  name: string | null;
  phone: string | null;
  country: string | null;
  ip: string | null;
  status: SubscriberStatus;
  marks: Suppressions;
  /** Values by field id (uuid). */
  custom: Record<string, string>;
  /** Ids of tags added while the person was pending, whose triggers wait for the confirmation. */
  withheldTags: readonly string[];
  confirmationDue: boolean;
  confirmationSentAt: Date | null;
  /** Since when the person has this address; null: always. */
  addressAt: Date | null;
  /** The last explicit yes: a confirmation, the resubscribe link, a reactivation, or a call whose resubscribe is true. */
  optedInAt: Date | null;
  /** The last reactivation, which alone undoes complaints and bounces. */
  reactivatedAt: Date | null;
}

export interface StatusChangeRequest {
  /** An add or import says that the person wishes to hear of the organization; a mere update does not. */
  via: 'add' | 'update' | 'import';
  resubscribe: boolean;
  skipDoubleOptIn: boolean;
  doubleOptIn: boolean;
}

/** An import asserts consent: its subscribers are not asked to confirm. */
export const initialStatus = ({ via, doubleOptIn, skipDoubleOptIn }: StatusChangeRequest): SubscriberStatus =>
  doubleOptIn && !skipDoubleOptIn && via !== 'import' ? 'PENDING_CONFIRMATION' : 'SUBSCRIBED';

/** Why a subscriber receives no mail without having unsubscribed: the suppression, or the status that means one. */
export function suppressionOf({
  status,
  marks,
}: Pick<SubscriberState, 'status' | 'marks'>): 'BANNED' | 'COMPLAINED' | 'BOUNCED' | null {
  if (marks.banned || status === 'BANNED') return 'BANNED';
  if (marks.complained || status === 'COMPLAINED') return 'COMPLAINED';
  if (marks.hardBounced || status === 'BOUNCED') return 'BOUNCED';
  return null;
}

/**
 * A suppression stays; resubscribing is enough for an UNSUBSCRIBED person even where newcomers must confirm;
 * skipDoubleOptIn promotes but never resubscribes.
 */
export function nextStatus(
  current: Pick<SubscriberState, 'status' | 'marks'>,
  change: StatusChangeRequest,
): SubscriberStatus {
  if (suppressionOf(current)) return current.status;
  switch (current.status) {
    case 'UNSUBSCRIBED':
      return change.resubscribe ? 'SUBSCRIBED' : 'UNSUBSCRIBED';
    case 'PENDING_CONFIRMATION':
      return change.skipDoubleOptIn ? 'SUBSCRIBED' : 'PENDING_CONFIRMATION';
    case 'TRANSACTIONAL':
      return change.via === 'update' && !change.resubscribe ? 'TRANSACTIONAL' : initialStatus(change);
    default:
      return current.status;
  }
}

/** Whether a former recipient can resubscribe by a link of their mail. */
export const canResubscribe = (current: Pick<SubscriberState, 'status' | 'marks'>): boolean =>
  current.status === 'UNSUBSCRIBED' && suppressionOf(current) === null;

/** What the button of a confirmation link does: nothing for a link that is too old, or was made for another address. */
export function confirmationOutcome(
  current: Pick<SubscriberState, 'status' | 'marks' | 'addressAt'> | null,
  linkMadeAt: Date,
  now: Date,
): 'CONFIRM' | 'CONFIRMED' | 'EXPIRED' | 'NOT_PENDING' {
  if (!current || suppressionOf(current)) return 'NOT_PENDING';
  if (current.status === 'SUBSCRIBED') return 'CONFIRMED';
  if (current.status !== 'PENDING_CONFIRMATION') return 'NOT_PENDING';
  const outdated = current.addressAt !== null && linkMadeAt < current.addressAt;
  return outdated || now.getTime() - linkMadeAt.getTime() > confirmationLinkMs ? 'EXPIRED' : 'CONFIRM';
}

/** The sentence for a caller whose change could not make the person reachable; null when there is nothing to say. */
export function suppressionWarning(current: Pick<SubscriberState, 'status' | 'marks'>): string | null {
  const suppression = suppressionOf(current);
  if (!suppression) return null;
  const way = suppression === 'BANNED' ? 'only the operator can lift a ban' : 'only reactivate_subscriber lifts that';
  return `The address is marked ${suppression}: its status stays ${current.status}, and ${way}.`;
}

export function returnWarning(status: SubscriberStatus): string | null {
  if (status === 'UNSUBSCRIBED') {
    return 'The address unsubscribed before it was deleted: it is UNSUBSCRIBED again, and resubscribe: true subscribes it.';
  }
  return suppressionWarning({ status, marks: { banned: false, hardBounced: false, complained: false } });
}

/**
 * The status of a suppression: for a new subscriber with such an address, or after a lifted ban when another one
 * remains.
 */
export function markedStatus({ banned, complained, hardBounced }: Suppressions): SubscriberStatus | null {
  if (banned) return 'BANNED';
  if (complained) return 'COMPLAINED';
  return hardBounced ? 'BOUNCED' : null;
}

/** A confirmation message is owed again at most once an hour. */
const confirmationEveryMs = 3_600_000;
/** A link of a confirmation message works so long. */
export const confirmationLinkMs = 7 * 86_400_000;

export const owesConfirmation = (
  current: Pick<SubscriberState, 'confirmationDue' | 'confirmationSentAt'> | null,
  now: Date,
): boolean =>
  !current?.confirmationDue &&
  (!current?.confirmationSentAt || now.getTime() - current.confirmationSentAt.getTime() >= confirmationEveryMs);
