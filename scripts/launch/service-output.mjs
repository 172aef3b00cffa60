import { createInterface } from 'node:readline';
import { logFormat, showsStepsOnly } from './terminal.mjs';

const NAME_WIDTH = 10;
const COLOURS = /** @type {Record<string, number>} */ ({ warn: 33, error: 31, fatal: 31, debug: 90, trace: 90 });
const WARNINGS = new Set(['warn', 'error', 'fatal']);

/**
 * Calls back with each line of a service's output.
 * @param {import('node:stream').Readable} stream
 * @param {(line: string) => void} heard
 */
export function readOutput(stream, heard) {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', heard);
}

/**
 * A service's line in the format of this run: readable for people, one JSON entry for what collects lines. Undefined
 * where it is not shown: an empty line, or less than a warning while a start shows its steps only.
 * @param {string} name
 * @param {string} line
 * @returns {string | undefined}
 */
export function outputLine(name, line) {
  const entry = parsed(line);
  if (logFormat() === 'plain') return entry ? line : `[${name}] ${line}`;
  if (line.trim() === '') return undefined;
  if (logFormat() === 'json') {
    // A line that is not a log entry comes from Node itself.
    return entry ? line : JSON.stringify({ level: 'warn', time: new Date().toISOString(), service: name, msg: line });
  }
  return showsStepsOnly() && entry && !WARNINGS.has(entry.level) ? undefined : readable(name, line);
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
