import type { PageRecipient } from '#contracts';

export type SkipReason =
  | 'UNSUBSCRIBED'
  | 'PENDING_CONFIRMATION'
  | 'TRANSACTIONAL'
  | 'BOUNCED'
  | 'COMPLAINED'
  | 'BANNED'
  | 'DELETED'
  | 'INVALID_ADDRESS'
  | 'RENDER_FAILED'
  | 'STOPPED';

/** Marketing mail goes to SUBSCRIBED subscribers without a suppression entry; an entry outweighs the status. */
export function skipReasonOf({ status, suppressed }: Pick<PageRecipient, 'status' | 'suppressed'>): SkipReason | null {
  if (status === null) return 'DELETED';
  return suppressed ?? (status === 'SUBSCRIBED' ? null : status);
}
