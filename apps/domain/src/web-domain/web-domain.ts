import type { z } from 'zod';
import type { webDomain } from '#contracts';
import type { DnsAnswer, Lookup } from '../dns/dns-answer.js';
import type { VerificationState } from '../dns/verification-state.js';
import { addAdvice, boundedFound, troubleAdvice } from '../dns/record-check.js';
import type { RecordCheck } from '../dns/record-check.js';

export interface WebDomain extends VerificationState {
  id: string;
  organizationId: string;
  /** Lower-case ASCII. */
  hostname: string;
  check: RecordCheck;
  checkedAt: Date | null;
  createdAt: Date;
}

const aliasesMax = 8;

/** Follows the CNAME of a host name and reports whether it leads to `target`, with advice for its owner. */
export async function checkWebDomain(
  { hostname, check: before }: Pick<WebDomain, 'hostname' | 'check'>,
  target: string,
  lookup: Lookup,
): Promise<RecordCheck> {
  const { chain, end } = await follow(hostname, target, lookup);
  const { proven } = before;
  if (chain.includes(target)) return { status: 'VERIFIED', found: boundedFound(chain), advice: null, proven: true };
  if (end.kind === 'trouble') return { ...before, advice: troubleAdvice(chain.at(-1) ?? hostname, end.why) };
  const status = chain.length > 0 || proven ? 'FAILED' : 'PENDING';
  const advice =
    chain.length > 0
      ? `The CNAME of ${hostname} leads to ${chain[0]!}. Let it lead to ${target}.`
      : `${addAdvice('CNAME', hostname)} Remove other records of that name.`;
  return { status, found: boundedFound(chain), advice, proven };
}

async function follow(hostname: string, target: string, lookup: Lookup): Promise<{ chain: string[]; end: DnsAnswer }> {
  const chain: string[] = [];
  for (;;) {
    const end = await lookup('CNAME', chain.at(-1) ?? hostname);
    if (end.kind === 'values') chain.push(end.values[0]!.toLowerCase().replace(/\.$/, ''));
    if (end.kind !== 'values' || chain.at(-1) === target || chain.length === aliasesMax) return { chain, end };
  }
}

/** A web domain as the tools show it. @param target the name that its CNAME must lead to */
export const publicWebDomain = (domain: WebDomain, target: string): z.infer<typeof webDomain> => ({
  id: domain.id,
  hostname: domain.hostname,
  status: domain.status,
  cname: { name: domain.hostname, value: target },
  found: domain.check.found,
  advice: domain.checkedAt === null ? addAdvice('CNAME', domain.hostname) : domain.check.advice,
  checkedAt: domain.checkedAt?.toISOString() ?? null,
  failingSince: domain.failingSince?.toISOString() ?? null,
  createdAt: domain.createdAt.toISOString(),
});
