import { missing, reason } from './reason.js';

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
  SEND_NOT_FOUND: missing('send', 'list_sends'),
  MESSAGE_NOT_FOUND: missing('message', 'list_messages'),
  MESSAGE_IN_PROGRESS: reason<{ id: string }>(
    'UNAVAILABLE',
    ({ id }) => `The message '${id}' is being sent, and its outcome is not recorded yet. Try again in some seconds.`,
  ),
  RANGE_TOO_LONG: reason<{ points: number; pointsMax: number } | { daysMax: number } | { spanDaysMax: number }>(
    'VALIDATION_ERROR',
    (range) => {
      if ('spanDaysMax' in range) return `from and to may be at most ${range.spanDaysMax} days apart.`;
      if ('daysMax' in range) return `Numbers are kept for ${range.daysMax} days. Choose a later from.`;
      return `The range has ${range.points} points; at most ${range.pointsMax} are returned. Use interval DAY, or from and to closer to each other.`;
    },
  ),
};
