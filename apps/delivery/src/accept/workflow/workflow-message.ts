import { createHash } from 'node:crypto';

/**
 * One send a month, since links name the month. Each repetition has another one, since a send reaches each recipient
 * once. @returns a uuid
 */
export function sendOf(sendKey: string, month: string, round: number): string {
  const hex = createHash('sha256').update(`${sendKey} ${month} ${round}`).digest('hex');
  // RFC 9562 section 5.8: version 8 is ours to fill.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
