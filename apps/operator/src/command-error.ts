/** How a command ended: done; failed; was typed wrongly; did its work but for rows that it refused. */
export const exitStatus = { done: 0, failed: 1, misused: 2, refusedRows: 3 } as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** Something the operator can put right; its message is all that is shown. */
export class CommandError extends Error {}
/** A command typed wrongly. */
export class UsageError extends CommandError {}
