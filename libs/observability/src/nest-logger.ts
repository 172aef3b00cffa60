/** A silent logger for Nest: problems it reports reach us as errors of our own. */
export const quietNest = { log: () => undefined, warn: () => undefined, error: () => undefined };
