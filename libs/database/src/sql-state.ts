/** Whether a statement failed because a row with its key is there already (SQLSTATE 23505). */
export const isUniqueViolation = (error: unknown): boolean =>
  (error as { driverError?: { code?: unknown } } | null)?.driverError?.code === '23505';

/** Whether PostgreSQL ended a transaction because it and another waited for each other (SQLSTATE 40P01). */
export const isDeadlock = (error: unknown): boolean =>
  (error as { driverError?: { code?: unknown } } | null)?.driverError?.code === '40P01';

/** Whether a lock was not free within `lock_timeout` (SQLSTATE 55P03). */
export const isLockTimeout = (error: unknown): boolean =>
  (error as { driverError?: { code?: unknown } } | null)?.driverError?.code === '55P03';
