/** A logger for Nest that says nothing: trouble it reports comes back as an error of ours. */
export const quietNest = { log: () => undefined, warn: () => undefined, error: () => undefined };
