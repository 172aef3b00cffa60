import type { z } from 'zod';
import type { sendingDomain } from '#contracts';
import { getPublicSuffix } from 'tldts';
import { toAsciiDomain } from '#email-address';
import { ToolError } from '#tool-call';
import type { DomainStatus, VerificationState } from '../dns/verification-state.js';
import { addAdvice, untouched } from '../dns/record-check.js';
import { wantedRecords } from './dns-record.js';
import type { DnsRecord, MailRoute, RecordChecks, RecordPurpose, RecordSource } from './dns-record.js';

export interface SendingDomain extends VerificationState, RecordSource {
  id: string;
  organizationId: string;
  /** Lower-case ASCII. */
  domain: string;
  /** Created by the system and verified from the start; it has no records in DNS. */
  sandbox: boolean;
  dkim: DomainStatus;
  mailFrom: DomainStatus;
  /** The return path's domain once its records are VERIFIED. */
  mailFromDomain: string;
  checks: RecordChecks;
  checkedAt: Date | null;
  createdAt: Date;
}

/** The sandbox domain of an organization: one each, by its number. */
export const sandboxDomain = (organizationNumber: number, suffix: string): string =>
  `org${organizationNumber}.${suffix}`;

/** The domain for bounces is a subdomain, so that its owner's other mail keeps its MX. */
export const mailFromDomainOf = (domain: string): string => `bounce.${domain}`;

/** The longest selector and `_domainkey` before it must still make a name (RFC 1035 section 2.3.4). */
const domainLengthMax = 253 - 'tdxxxxxxxx._domainkey.'.length;

/**
 * Reads a domain that a caller wants to use, in the form of DNS.
 * @param reserved a suffix that no organization may claim
 */
export function readDomain(text: string, reserved: string): string {
  const domain = toAsciiDomain(text.replace(/\.$/, ''));
  const refuse = (problem: string) => new ToolError('DOMAIN_INVALID', { domain: text, problem });
  if (domain === null) throw refuse('is no domain name');
  if (!domain.includes('.')) throw refuse('is a single label, which cannot be registered');
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain) {
    throw refuse('is a public suffix, under which others register names');
  }
  if (domain.length > domainLengthMax) throw refuse(`is longer than ${domainLengthMax} octets`);
  if (`.${domain}`.endsWith(`.${reserved}`)) throw refuse('lies among the sandbox domains of this installation');
  return domain;
}

/** The state of MAIL FROM: that of the worse of its two records. */
export function mailFromStatus({ MAIL_FROM_MX: mx, MAIL_FROM_SPF: spf }: RecordChecks): DomainStatus {
  const statuses = [statusOf(mx), statusOf(spf)];
  if (statuses.includes('FAILED')) return 'FAILED';
  return statuses.includes('PENDING') ? 'PENDING' : 'VERIFIED';
}

export const statusOf = (check: RecordChecks[RecordPurpose]): DomainStatus => (check ?? untouched).status;

/** The records of a domain with the last check of each; a sandbox domain is not in DNS, so it has none. */
export function recordsOf(domain: SendingDomain, route: MailRoute): DnsRecord[] {
  if (domain.sandbox) return [];
  return wantedRecords(domain, route).map((wanted) => {
    const { status, found, advice } = domain.checks[wanted.purpose] ?? {
      ...untouched,
      advice: addAdvice(wanted.type, wanted.name),
    };
    return { ...wanted, status, found, advice };
  });
}

export const publicDomain = (domain: SendingDomain, route: MailRoute): z.infer<typeof sendingDomain> => ({
  id: domain.id,
  domain: domain.domain,
  status: domain.status,
  sandbox: domain.sandbox,
  dkim: domain.dkim,
  mailFrom: domain.mailFrom,
  records: recordsOf(domain, route),
  checkedAt: domain.checkedAt?.toISOString() ?? null,
  failingSince: domain.failingSince?.toISOString() ?? null,
  createdAt: domain.createdAt.toISOString(),
});
