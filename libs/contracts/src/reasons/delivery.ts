import { missing, reason } from './reason.js';

/** Refusals about sends and messages. */
export const deliveryReasons = {
  RECIPIENT_GUARD_REACHED: reason<{ email: string }>(
    'RECIPIENT_GUARD',
    ({ email }) =>
      `${email} was sent 5 messages within 10 minutes or 20 within 24 hours. Nothing was sent; try again later or use a test address such as ada@example.com.`,
  ),
  RECIPIENT_SUPPRESSED: reason<{ email: string; mark: string }>(
    'REFUSED',
    ({ email, mark }) =>
      `${email} is ${mark}, which forbids transactional mail too. Nothing was sent to anybody; ${mark === 'BANNED' ? 'only the operator lifts a ban' : 'reactivate_subscriber lifts it when the mailbox is known to want and take mail'}.`,
  ),
  SEND_NOT_FOUND: missing('send'),
};
