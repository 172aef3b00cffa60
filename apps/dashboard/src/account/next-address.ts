/**
 * The page that a sign-in leads to: an address of this server from the search part `next`, else the start.
 * @param next as it stands in the address; another host there would lead people astray
 */
export function nextAddress(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) && !/[\t\r\n]/.test(next) ? next : '/';
}
