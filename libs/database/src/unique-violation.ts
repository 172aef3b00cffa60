/** Whether a statement failed because a row with its key is there already (SQLSTATE 23505). */
export const isUniqueViolation = (error: unknown): boolean =>
  (error as { driverError?: { code?: unknown } } | null)?.driverError?.code === '23505';
