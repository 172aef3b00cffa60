/** PostgreSQL's classes of trouble that pass: connection, resources, shutdown, deadlock and serialisation, locks. */
const transientClasses = ['08', '40', '53', '55', '57', '58'];
/** A statement that takes longer than it may: it will the next time. */
const statementTimeout = '57014';
/** What `pg` itself says without a code when a connection cannot be had or went away. */
const connectionTrouble =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool after)/;

/** Whether trying the same thing again later may succeed: the database or the network is in trouble, not the data. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    if (/^[0-9A-Z]{5}$/.test(code)) return code !== statementTimeout && transientClasses.includes(code.slice(0, 2));
    if (/^E[A-Z]+$/.test(code)) return true;
  }
  const { failure } = error as { failure?: { code?: string } };
  if (failure) return failure.code === 'UNAVAILABLE' || failure.code === 'TIMEOUT';
  return typeof message === 'string' && connectionTrouble.test(message);
}
