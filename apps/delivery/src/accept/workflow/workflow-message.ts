import { createHash } from 'node:crypto';

/**
 * The send that a workflow's email goes out under: one a month, since links name the month, and another one for each time
 * somebody gets the same email again, since a send reaches nobody twice. @returns a uuid
 */
export function sendOf(sendKey: string, month: string, round: number): string {
  const hex = createHash('sha256').update(`${sendKey} ${month} ${round}`).digest('hex');
  // RFC 9562 section 5.8: version 8 is ours to fill.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
