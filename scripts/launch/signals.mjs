/** An interrupt typed at the terminal arrives twice within moments: from the terminal, and passed on by npm. */
const SAME_SIGNAL_MS = 500;
const PARENT_CHECK_MS = 500;

/** npm says so to what it starts; a script's shell is replaced by `exec`, so that npm is the parent. */
const isStartedByNpm = () => process.env.npm_lifecycle_event !== undefined;

/**
 * Listens for requests to stop: SIGINT, SIGTERM, SIGHUP, and, when npm started this process, the end of its parent,
 * which may have had no chance to pass a signal on.
 * @param {() => void} again called at each later signal
 * @returns {{ stopped: Promise<void>, signal: AbortSignal }} both say that a stop was requested
 */
export function stopRequest(again) {
  const controller = new AbortController();
  /** @type {Promise<void>} */
  const stopped = new Promise((resolve) => controller.signal.addEventListener('abort', () => resolve()));
  let first = 0;
  const heard = () => {
    if (first === 0) first = Date.now();
    else if (Date.now() - first > SAME_SIGNAL_MS) again();
    controller.abort();
  };
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, heard);
  if (isStartedByNpm()) {
    const parent = process.ppid;
    const check = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(check);
      if (first === 0) heard();
    }, PARENT_CHECK_MS);
  }
  return { stopped, signal: controller.signal };
}
