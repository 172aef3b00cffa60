import type { Problem } from './use-problems.js';

/** The first problem of each field of a step. */
export function stepFaults(problems: readonly Problem[], stepId: string): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const { stepId: id, field, message } of problems) if (id === stepId && field !== null) faults[field] ??= message;
  return faults;
}
