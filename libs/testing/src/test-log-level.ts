/** Defects are shown, since a call answers only that they were logged. */
export const testLogLevel = process.env.TEST_LOG_LEVEL ?? 'error';
