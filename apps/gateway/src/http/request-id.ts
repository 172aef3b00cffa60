import { randomUUID } from 'node:crypto';

/** What a caller may choose as the id of its request: it travels in headers and log lines. */
const sane = /^[\w.:-]{1,128}$/;

/** The caller's X-Request-Id if it is one, else a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : randomUUID();
}
