import { createInterface } from 'node:readline';

const NAME_WIDTH = 10;
const COLOURS = /** @type {Record<string, number>} */ ({ warn: 33, error: 31, fatal: 31, debug: 90, trace: 90 });

/**
 * Passes a service's lines on, marked with its name. On a terminal JSON log lines become readable; elsewhere they stay
 * JSON, which names the service itself, for whoever collects them.
 * @param {string} name
 * @param {import('node:stream').Readable} stream
 * @param {(line: string) => void} write
 */
export function relayOutput(name, stream, write) {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
    write(process.stdout.isTTY ? readable(name, line) : line.startsWith('{') ? line : `[${name}] ${line}`);
  });
}

/**
 * A log line for people: time, service, level, message, and the rest as name=value.
 * @param {string} name
 * @param {string} line
 */
export function readable(name, line) {
  const mark = `\u001b[36m${name.padEnd(NAME_WIDTH)}\u001b[0m`;
  const entry = parsed(line);
  if (!entry) return `${mark} ${line}`;
  const { time, level, msg, service: _service, err, ...rest } = entry;
  const facts = Object.entries(rest).map(
    ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const trouble = err ? `\n${err.stack ?? err.message ?? JSON.stringify(err)}` : '';
  const clock = String(time ?? '').slice(11, 23);
  return `${clock} ${mark} \u001b[${COLOURS[level] ?? 0}m${String(level).padEnd(5)}\u001b[0m ${msg ?? ''}${facts.join('')}${trouble}`;
}

/** @param {string} line @returns {Record<string, any> | undefined} */
function parsed(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
