/** An expected failure: its text is for the operator, without a stack. */
export class LaunchError extends Error {}

/**
 * How lines are written: `plain` for commands that end by themselves; a running system writes `pretty` lines for people
 * or `json` for what collects them.
 * @type {'plain' | 'pretty' | 'json'}
 */
let format = 'plain';
let isStarting = false;

/** Takes the format from LOG_FORMAT, else pretty on a terminal and JSON elsewhere; a start-up begins. */
export function useLogFormat() {
  const given = process.env.LOG_FORMAT || (process.stdout.isTTY ? 'pretty' : 'json');
  if (given !== 'pretty' && given !== 'json') {
    throw new LaunchError(`LOG_FORMAT is «${given}»; it takes pretty or json.`);
  }
  format = given;
  isStarting = true;
}

export function logFormat() {
  return format;
}

/** From here on pretty output shows what services log, not only their warnings. */
export function startIsOver() {
  isStarting = false;
}

/** True while lines of services below `warn` are held back. */
export function showsStepsOnly() {
  return isStarting && format === 'pretty';
}

/** Writes a line unchanged; a closed terminal must not end running work. @param {string} line */
export function write(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * A line for the operator. In JSON it is an entry of the service `launcher`; an empty line is for people only.
 * @param {string} [text]
 * @param {{ level?: string, [field: string]: unknown }} [fields] of the JSON entry
 */
export function say(text = '', fields = {}) {
  if (format !== 'json') write(text);
  else if (text) write(entry(text, fields));
}

/** What ends the command; on the standard error. @param {unknown} error */
export function sayFailure(error) {
  const text = error instanceof LaunchError ? error.message : String(/** @type {Error} */ (error)?.stack ?? error);
  process.stderr.write(`${format === 'json' ? entry(text, { level: 'fatal' }) : text}\n`);
}

/** @param {string} msg @param {Record<string, unknown>} fields */
function entry(msg, { level = 'info', ...fields }) {
  return JSON.stringify({ level, time: new Date().toISOString(), service: 'launcher', msg: msg.trim(), ...fields });
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}

/** What takes longer than this is announced while it happens. */
const NOTICE_AFTER_MS = 700;

/**
 * Runs a step. One that takes longer than a moment is announced; a running system says of each how long it took.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function progress(label, step) {
  const startedAt = Date.now();
  let isAnnounced = false;
  const notice = setTimeout(() => {
    isAnnounced = true;
    say(`· ${label} …`);
  }, NOTICE_AFTER_MS);
  try {
    const result = await step();
    const seconds = (Date.now() - startedAt) / 1000;
    if (isAnnounced || format !== 'plain') say(`✓ ${label} (${seconds.toFixed(1)} s)`, { step: label, seconds });
    return result;
  } finally {
    clearTimeout(notice);
  }
}
