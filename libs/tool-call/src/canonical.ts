import { createHash, createHmac } from 'node:crypto';

/** JSON with the keys of every object in order, so that equal requests have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** SHA-256 (hex) of a request's canonical JSON; key order and white space do not count, values do. */
export function requestHash(...parts: unknown[]): string {
  return createHash('sha256').update(canonicalJson(parts)).digest('hex');
}

/** The same under a key (HMAC-SHA256), for requests that hold secrets. */
export function keyedRequestHash(key: Buffer, ...parts: unknown[]): string {
  return createHmac('sha256', key).update(canonicalJson(parts)).digest('hex');
}
