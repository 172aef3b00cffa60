import { isUtf8 } from 'node:buffer';
import type { Issue } from '#contracts';
import { summarise, ToolError } from '#tool-call';

/** Levels of objects and arrays, the body itself being the first. */
const depthMax = 32;
/** Keys of one object. */
const keysMax = 10_000;
/** NUL and halves of surrogate pairs are valid JSON, and no database text can hold them. */
const unstorable = /[\0\ud800-\udfff]/u;
/** RFC 1952, 2.3.1; no UTF-8 begins so. */
const gzipMark = Buffer.from([0x1f, 0x8b]);

/** Says whether a Content-Type is JSON; parameters such as a charset do not matter, since JSON is UTF-8. */
export const isJsonType = (contentType: string): boolean => /^application\/json\s*(;|$)/i.test(contentType);

/**
 * Reads a body: nothing at all is an empty object, and of keys that occur twice the last one counts (ECMAScript's rule
 * for RFC 8259 section 4).
 * @throws ToolError BODY_NOT_JSON, or PARAMETERS_INVALID for what no call takes: deep nesting, `__proto__`, numbers that
 * cannot be held exactly, text that cannot be stored
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  if (bytes.subarray(0, 2).equals(gzipMark)) {
    throw new ToolError('BODY_NOT_JSON', { problem: 'it is compressed (gzip), and bodies are not unpacked here' });
  }
  if (!isUtf8(bytes)) throw new ToolError('BODY_NOT_JSON', { problem: 'it is not UTF-8' });
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(bytes.toString('utf8')));
  } catch (error) {
    throw new ToolError('BODY_NOT_JSON', { problem: (error as Error).message });
  }
  assertTakeable(value);
  return value;
}

/** @throws ToolError PARAMETERS_INVALID for what no call takes, wherever it comes from */
export function assertTakeable(value: unknown): void {
  const issue = problemIn(value, 1);
  if (issue) throw new ToolError('PARAMETERS_INVALID', { summary: summarise([issue]) }, { issues: [issue] });
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

function problemIn(value: unknown, depth: number): Issue | null {
  if (typeof value === 'string') {
    return unstorable.test(value) ? here('must not hold NUL characters or halves of surrogate pairs') : null;
  }
  if (typeof value === 'number') {
    const exact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return exact ? null : here('is a number too large to be held exactly; send it as text');
  }
  if (value === null || typeof value !== 'object') return null;
  if (depth > depthMax) return here(`nests deeper than ${depthMax} levels`);
  return Array.isArray(value) ? problemInArray(value, depth) : problemInObject(value, depth);
}

function problemInArray(items: unknown[], depth: number): Issue | null {
  for (let i = 0; i < items.length; i++) {
    const issue = problemIn(items[i], depth + 1);
    if (issue) return { ...issue, path: [i, ...issue.path] };
  }
  return null;
}

function problemInObject(object: object, depth: number): Issue | null {
  const entries = Object.entries(object);
  if (entries.length > keysMax) return here(`has more than ${keysMax} keys`);
  for (const [key, inner] of entries) {
    const issue =
      key === '__proto__'
        ? here('is not a possible parameter')
        : unstorable.test(key)
          ? here('is a key that cannot be stored')
          : problemIn(inner, depth + 1);
    if (issue) return { ...issue, path: [key, ...issue.path] };
  }
  return null;
}

const here = (message: string): Issue => ({ path: [], message });
