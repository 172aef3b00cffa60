import type { MessageState } from './message.js';

/** The message states of the ledger; a message whose attempt mark has no outcome yet has no row. */
export type LedgerState = Exclude<MessageState, 'HANDING_OVER'>;

/** Which letter the ledger stores for each message state (type "char"). */
export const ledgerStates = {
  QUEUED: 'Q',
  SENT: 'S',
  DELIVERED: 'D',
  BOUNCED: 'B',
  COMPLAINED: 'C',
  DEFERRED: 'W',
  FAILED: 'F',
  SKIPPED: 'K',
  IN_DOUBT: 'I',
} as const satisfies Record<LedgerState, string>;

/** Which letter the ledger and the message queue store for each kind of mail (type "char"). */
export const ledgerKinds = { CAMPAIGN: 'C', TRANSACTIONAL: 'T', WORKFLOW: 'W', SMTP: 'S', TEST: 'E' } as const;
export type LedgerKind = keyof typeof ledgerKinds;

const nameSql = (codes: Record<string, string>, column: string): string =>
  `case ${column} ${Object.entries(codes)
    .map(([name, code]) => `when '${code}' then '${name}'`)
    .join(' ')} end`;

/** SQL: the name of the state in a column of the ledger. */
export const stateNameSql = (column: string): string => nameSql(ledgerStates, column);

/** SQL: the name of the kind in a column of the ledger or of the message queue. */
export const kindNameSql = (column: string): string => nameSql(ledgerKinds, column);

/** Returns what the ledger stores of a relay's reply: the text without the code, which has a column of its own. */
export const withoutCode = (code: number | null, response: string): string =>
  code !== null && response.startsWith(String(code)) && /^\d{3}[ -]/.test(response) ? response.slice(4) : response;

/** SQL: the whole reply of a row of the ledger; `m` is its alias. */
export const responseSql = (m: string): string => `concat_ws(' ', ${m}.code, ${m}.response)`;

/** SQL: the enhanced status code (RFC 3463) of a row of the ledger, null without one; `m` is its alias. */
export const enhancedCodeSql = (m: string): string =>
  `case when ${m}.code is not null then substring(${m}.response from '^(\\d\\.\\d{1,3}\\.\\d{1,3})\\M') end`;
