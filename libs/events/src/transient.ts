/** PostgreSQL's classes of trouble that pass: connection, resources, shutdown, deadlock and serialisation, locks. */
const transientClasses = ['08', '40', '53', '55', '57', '58'];

/** Whether trying the same thing again later may succeed: the database or the network is in trouble, not the data. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    if (/^[0-9A-Z]{5}$/.test(code)) return transientClasses.includes(code.slice(0, 2));
    if (/^E[A-Z]+$/.test(code)) return true;
  }
  const { failure } = error as { failure?: { code?: string } };
  if (failure) return failure.code === 'UNAVAILABLE' || failure.code === 'TIMEOUT';
  return (
    typeof message === 'string' && /connection (terminated|ended|closed)|timeout|not queryable|pool/i.test(message)
  );
}
