import { missing, reason } from './reason.js';

/** Refusals about sends and messages. */
export const deliveryReasons = {
  RECIPIENT_GUARD_REACHED: reason<{ email: string }>(
    'RECIPIENT_GUARD',
    ({ email }) =>
      `${email} has reached its limit of 5 messages in 10 minutes or 20 in 24 hours. Nothing was sent. Try again later or use a test address such as ada@example.com.`,
  ),
  RECIPIENT_SUPPRESSED: reason<{ email: string; mark: string }>(
    'REFUSED',
    ({ email, mark }) =>
      `${email} is ${mark} and cannot receive any email, including transactional email. Nothing was sent. ${mark === 'BANNED' ? 'Only the operator can lift a ban' : 'If the mailbox works and its owner wants mail, use reactivate_subscriber'}.`,
  ),
  SEND_NOT_FOUND: missing('send'),
};
