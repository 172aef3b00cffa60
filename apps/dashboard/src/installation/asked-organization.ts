import type { Membership } from '../data/session.js';

const administers = ({ role }: Membership) => role === 'admin' || role === 'owner';

/** The organizations as whose admin an operator can ask. */
export const askable = (organizations: readonly Membership[]): Membership[] => organizations.filter(administers);

/**
 * The organization as whose admin the installation's pages ask: the named one, else the one used last, else the first.
 * @param named of the address
 * @param last used in this browser
 * @returns null where the user administers none
 */
export function askedOrganization(
  organizations: readonly Membership[],
  named: number | undefined,
  last: number | null,
): number | null {
  const found = askable(organizations);
  const numbered = (wanted: number | null | undefined) => found.find(({ number }) => number === wanted);
  return (numbered(named) ?? numbered(last) ?? found[0])?.number ?? null;
}
