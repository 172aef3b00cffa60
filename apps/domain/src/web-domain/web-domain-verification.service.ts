import { toAsciiDomain } from '#email-address';
import type { DnsClient } from '../dns/dns.client.js';
import { nextCheckAt, nextState } from '../dns/verification-state.js';
import { checkWebDomain } from './web-domain.js';
import type { WebDomain } from './web-domain.js';
import type { WebDomainRepository } from './web-domain.repository.js';

export interface WebVerificationDependencies {
  webDomains: WebDomainRepository;
  dns: DnsClient;
  webHost: string;
}

/** The stored form of an id or a host name as a caller typed it. */
export const webDomainName = (text: string): string => toAsciiDomain(text.replace(/\.$/, '')) ?? text;

export async function verifyWebDomain(
  { webDomains, dns, webHost }: WebVerificationDependencies,
  { organizationId, domainId, now }: { organizationId: string; domainId: string; now: Date },
): Promise<{ before: WebDomain; after: WebDomain }> {
  const before = await webDomains.get(organizationId, webDomainName(domainId));
  const check = await dns.check((lookup) => checkWebDomain(before, webHost, lookup));
  const proof = nextState(before, [check.status], now);
  const next = nextCheckAt(proof, before.createdAt, now);
  await webDomains.updateChecked(before, { proof, check, checkedAt: now, nextCheckAt: next });
  return { before, after: await webDomains.get(organizationId, before.id) };
}
