import { randomUUID } from 'node:crypto';

/** Allowed in a caller's request id, which appears in headers and log lines. */
const sane = /^[\w.:-]{1,128}$/;

/** The caller's X-Request-Id if it is valid, else a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : randomUUID();
}
