/**
 * The page that a sign-in leads to: an address of this server from the search part `next`, else the start.
 * @param next as it stands in the address; another host there would lead people astray
 */
export function nextAddress(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) && !/[\t\r\n]/.test(next) ? next : '/';
}

/** Whether an address of this server is no page of the dashboard, so that the browser has to load it. */
export const isServedElsewhere = (address: string): boolean => /^\/(?:mailbox|docs)(?:[/?#]|$)/.test(address);
