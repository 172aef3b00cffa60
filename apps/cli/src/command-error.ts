/**
 * How a command ended (contract, part two A, section 6): done; failed; typed wrongly; done in part, for example but for
 * rows that were refused; not confirmed or waiting for an approval; no running system was reached.
 */
export const exitStatus = { done: 0, failed: 1, misused: 2, refusedRows: 3, unconfirmed: 4, unreachable: 5 } as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** Something the operator can put right; its message is all that is shown. */
export class CommandError extends Error {}
/** A command typed wrongly. */
export class UsageError extends CommandError {}
/** No running system was reached. */
export class UnreachableError extends CommandError {}
