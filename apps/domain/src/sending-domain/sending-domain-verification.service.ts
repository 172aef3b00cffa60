import type { ServiceBus } from '#bus';
import { ToolError } from '#tool-call';
import type { DnsClient } from '../dns/dns.client.js';
import { nextCheckAt, nextState } from '../dns/verification-state.js';
import type { InTransaction, Repositories } from '../repositories.js';
import { checkRecords } from './check-records.js';
import { wantedRecords } from './dns-record.js';
import type { MailRoute } from './dns-record.js';
import { mailFromStatus, statusOf } from './sending-domain.js';
import type { SendingDomain } from './sending-domain.js';

export interface VerificationDependencies {
  domains: Pick<Repositories['domains'], 'get'>;
  inTransaction: InTransaction;
  bus: Pick<ServiceBus, 'broadcast'>;
  dns: DnsClient;
  route: MailRoute;
}

/**
 * Checks the records of a domain, stores the result, and broadcasts a changed status to the services that keep a copy.
 * @throws ToolError DOMAIN_NOT_FOUND; DOMAIN_TAKEN when it would be VERIFIED, but another organization's is
 */
export async function verifySendingDomain(
  { domains, inTransaction, bus, dns, route }: VerificationDependencies,
  { organizationId, domainId, now }: { organizationId: string; domainId: string; now: Date },
): Promise<{ before: SendingDomain; after: SendingDomain }> {
  const known = await domains.get(organizationId, domainId);
  if (known.sandbox) return { before: known, after: known };
  const wanted = wantedRecords(known, route);
  const checks = await dns.check((lookup) => checkRecords(known.domain, { wanted, before: known.checks }, lookup));
  const required = wanted.filter((one) => one.required).map(({ purpose }) => statusOf(checks[purpose]));
  const checked = await inTransaction(async (repositories) => {
    await repositories.domains.lockName(known.domain);
    // Another check may have come first while this one asked DNS.
    const before = await repositories.domains.lock(organizationId, domainId);
    const proof = nextState(before, required, now);
    if (proof.status === 'VERIFIED' && (await repositories.domains.isTaken(organizationId, known.domain))) {
      throw new ToolError('DOMAIN_TAKEN', { domain: known.domain });
    }
    const found = {
      ...proof,
      checks,
      dkim: statusOf(checks.DKIM),
      mailFrom: mailFromStatus(checks),
      checkedAt: now,
      nextCheckAt: nextCheckAt(proof, before.createdAt, now),
    };
    await repositories.domains.updateChecked(organizationId, domainId, found);
    return { before, after: await repositories.domains.get(organizationId, domainId) };
  });
  const { status, mailFrom } = checked.after;
  if (status !== checked.before.status || mailFrom !== checked.before.mailFrom) {
    bus.broadcast('sending-domain.changed', { organizationId, domain: known.domain });
  }
  return checked;
}
