import { createRequire } from 'node:module';
import { isDisposableDomain, isRoleAddress } from '#email-address';
import type { EmailAddress } from '#email-address';

export interface AddressLists {
  isFree(asciiDomain: string): boolean;
  isDisposable(asciiDomain: string): boolean;
  isRole(address: EmailAddress): boolean;
}

/** Reads the packages' lists, about 300 KB: once, and only on first use. */
export function readAddressLists(): AddressLists {
  const require = createRequire(import.meta.url);
  const free = new Set(require('email-providers/all.json') as string[]);
  const { disposableEmailBlocklistSet } = require('disposable-email-domains-js') as {
    disposableEmailBlocklistSet: () => Set<string>;
  };
  const disposable = disposableEmailBlocklistSet();
  const roles = new Set(listed(require('role-based-email-addresses')));
  const isDisposable = (domain: string) =>
    isDisposableDomain(domain) || parents(domain).some((name) => disposable.has(name));
  return {
    isDisposable,
    isFree: (domain) => free.has(domain) && !isDisposable(domain),
    isRole: (address) => isRoleAddress(address) || roles.has(address.local.toLowerCase().replace(/\+.*$/, '')),
  };
}

const parents = (domain: string): string[] => {
  const labels = domain.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
};

/** The package groups its names by department. */
const listed = (groups: unknown): string[] =>
  typeof groups === 'string' ? [groups] : Object.values(groups as object).flatMap(listed);
