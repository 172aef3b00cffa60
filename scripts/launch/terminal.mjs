/** An expected failure: its text is for the operator, without a stack. */
export class LaunchError extends Error {}

/** A line for the operator; a closed terminal must not end what is running. */
export function say(line = '') {
  process.stdout.write(`${line}\n`);
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}

/** What takes longer than this is told while it happens. */
const NOTICE_AFTER_MS = 700;

/**
 * Runs a step and, when it takes longer than a moment, says what is being done and how long it took.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function progress(label, step) {
  const startedAt = Date.now();
  let told = false;
  const notice = setTimeout(() => {
    told = true;
    say(`· ${label} …`);
  }, NOTICE_AFTER_MS);
  try {
    const result = await step();
    if (told) say(`✓ ${label} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    return result;
  } finally {
    clearTimeout(notice);
  }
}
