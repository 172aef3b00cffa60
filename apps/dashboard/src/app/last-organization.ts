import type { Membership } from '../data/session.js';

const key = 'tidings.organization';

/** The organization used last in this browser, else the first. @returns null without any */
export function lastOrganization(organizations: readonly Membership[]): number | null {
  const kept = Number(localStorage.getItem(key));
  return (organizations.find(({ number }) => number === kept) ?? organizations[0])?.number ?? null;
}

export function noteOrganization(number: number): void {
  localStorage.setItem(key, String(number));
}
