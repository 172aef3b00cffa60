/**
 * How a command ended (contract, part two A, section 6): done; failed; used wrongly; done in part, such as an import
 * with refused rows; not confirmed or waiting for an approval; no running system reached.
 */
export const exitStatus = { done: 0, failed: 1, misused: 2, partly: 3, unconfirmed: 4, unreachable: 5 } as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** An error that the operator can correct; only its message is shown. */
export class CommandError extends Error {}
export class UsageError extends CommandError {}
export class UnreachableError extends CommandError {}
export class UnconfirmedError extends CommandError {}
