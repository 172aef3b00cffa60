import { ledgerStates } from './ledger-codes.js';
import type { LedgerState } from './ledger-codes.js';
import type { MessageLayout, MessageState } from './message.js';

/**
 * SQL: the messages of one layout, in the columns of `any_message`. With the view itself, the planner would open the
 * months of both tables.
 */
export const messagesOf: Record<MessageLayout, string> = {
  0: '(select m.*, 0::smallint as layout, null::jsonb as subject_values, null::bigint as mailbox_hash from message m)',
  1: 'ledger_message',
};

/** SQL: the rows of one send of layout 1, one range of ids in one partition; `$1` organization, `$2` send. */
export const ledgerRows = `(
  select * from ledger_message m where m.organization_id = $1 and m.message_id between $2 and last_message_of($2))`;

/** The letters behind states; a message in an attempt is a deferred one in the ledger, and in its queue. */
export const ledgerStatesOf = (states: readonly MessageState[]): string[] => [
  ...new Set(
    states.map((state) => ledgerStates[state === 'HANDING_OVER' ? 'DEFERRED' : (state satisfies LedgerState)]),
  ),
];

/** Returns the code (RFC 5321 4.2) that a stored text begins with; null without one. */
export const codeOf = (response: string | null): number | null => {
  const [, code] = /^(\d{3})[ -]/.exec(response ?? '') ?? [];
  return code === undefined ? null : Number(code);
};
