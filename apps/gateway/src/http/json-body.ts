import { isUtf8 } from 'node:buffer';
import type { Issue } from '#contracts';
import { issuesMax, summarise, ToolError } from '#tool-call';

/** Levels of objects and arrays, the body itself being the first. */
const depthMax = 32;
/** Keys of one object: each custom field of a call costs its share of every step, and rate limits count calls. */
const keysMax = 1_000;
/** NUL and halves of surrogate pairs are valid JSON, and no database text can hold them. */
const unstorable = /[\0\ud800-\udfff]/u;
/** RFC 1952, 2.3.1; no UTF-8 begins so. */
const gzipMark = Buffer.from([0x1f, 0x8b]);

/** Whether a Content-Type is JSON; parameters such as a charset do not matter, since JSON is UTF-8. */
export const isJsonType = (contentType: string): boolean => /^application\/json\s*(;|$)/i.test(contentType);

/**
 * An empty body is an empty object; of duplicate keys the last one counts (ECMAScript's rule for RFC 8259 section 4).
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  if (bytes.subarray(0, 2).equals(gzipMark)) {
    throw new ToolError('BODY_NOT_JSON', { problem: 'it is compressed (gzip), and bodies are not unpacked here' });
  }
  if (!isUtf8(bytes)) throw new ToolError('BODY_NOT_JSON', { problem: 'it is not UTF-8' });
  try {
    return JSON.parse(withoutMark(bytes.toString('utf8')));
  } catch (error) {
    throw new ToolError('BODY_NOT_JSON', { problem: (error as Error).message });
  }
}

/** A value without its faults of form, and the faults with their paths. */
export interface CheckedForm {
  value: unknown;
  issues: Issue[];
}

/**
 * Removes from a value all that no call accepts: deep nesting, `__proto__`, numbers that cannot be held exactly, text
 * that cannot be stored. In an array, null replaces a removed item, so that indexes stay.
 * @returns the first 50 faults; without faults the value itself
 */
export function checkForm(value: unknown): CheckedForm {
  const issues: Issue[] = [];
  // Nearly every body is well-formed, and is neither copied nor searched by path.
  return hasFault(value, 1) ? { value: formOf(value, [], issues) ?? {}, issues } : { value, issues };
}

export function assertForm(value: unknown): void {
  const { issues } = checkForm(value);
  if (issues.length > 0) throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

function hasFault(value: unknown, depth: number): boolean {
  if (problemOf(value, depth) !== null) return true;
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some((item) => hasFault(item, depth + 1));
  return Object.entries(value).some(([key, inner]) => keyProblemOf(key) !== null || hasFault(inner, depth + 1));
}

/** @returns undefined if the value itself is at fault */
function formOf(value: unknown, path: Issue['path'], issues: Issue[]): unknown {
  const problem = problemOf(value, path.length + 1);
  if (problem !== null) {
    if (issues.length < issuesMax) issues.push({ path, message: problem });
    return undefined;
  }
  if (Array.isArray(value)) return value.map((item, place) => formOf(item, [...path, place], issues) ?? null);
  if (value === null || typeof value !== 'object') return value;
  const taken: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const fault = keyProblemOf(key);
    if (fault !== null) {
      if (issues.length < issuesMax) issues.push({ path: [...path, key], message: fault });
      continue;
    }
    const checked = formOf(inner, [...path, key], issues);
    if (checked !== undefined) taken[key] = checked;
  }
  return taken;
}

function problemOf(value: unknown, depth: number): string | null {
  if (typeof value === 'string') {
    return unstorable.test(value) ? 'must not hold NUL characters or halves of surrogate pairs' : null;
  }
  if (typeof value === 'number') {
    const exact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return exact ? null : 'is a number too large to be held exactly; send it as text';
  }
  if (value === null || typeof value !== 'object') return null;
  if (depth > depthMax) return `nests deeper than ${depthMax} levels`;
  const tooMany = !Array.isArray(value) && Object.keys(value).length > keysMax;
  return tooMany ? `has more than ${keysMax} keys` : null;
}

function keyProblemOf(key: string): string | null {
  if (key === '__proto__') return 'is not a possible parameter';
  return unstorable.test(key) ? 'is a key that cannot be stored' : null;
}
