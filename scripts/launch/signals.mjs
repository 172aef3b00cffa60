/** An interrupt typed at the terminal arrives twice within moments: from the terminal, and passed on by npm. */
const SAME_SIGNAL_MS = 500;

/**
 * Resolves at the first request to stop; later ones call `again`.
 * @param {() => void} again
 * @returns {Promise<void>}
 */
export function firstSignal(again) {
  return new Promise((resolve) => {
    let first = 0;
    const heard = () => {
      if (first === 0) first = Date.now();
      else if (Date.now() - first > SAME_SIGNAL_MS) again();
      resolve();
    };
    for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, heard);
  });
}
