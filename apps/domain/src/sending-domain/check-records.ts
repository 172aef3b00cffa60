import { randomBytes } from 'node:crypto';
import type { DnsAnswer, Lookup } from '../dns/dns-answer.js';
import type { RecordCheck } from '../dns/record-check.js';
import type { RecordChecks, WantedRecord } from './dns-record.js';
import { evaluateRecord } from './evaluate-record.js';

const parentsMax = 7;

/** Looks up the records of a domain in DNS and evaluates each. @param before the last checks */
export async function checkRecords(
  domain: string,
  { wanted, before }: { wanted: readonly WantedRecord[]; before: RecordChecks },
  lookup: Lookup,
): Promise<RecordChecks> {
  const checks = wanted.map(async (record) => {
    const answer = await (record.purpose === 'DMARC' ? policyOf(domain, lookup) : lookup(record.type, record.name));
    const check = evaluateRecord(record, answer, before[record.purpose]);
    return [record.purpose, await explained(check, { record, domain, answer, lookup })] as const;
  });
  return Object.fromEntries(await Promise.all(checks));
}

/** The DMARC record of a domain, else that of the nearest name above it, whose policy then holds (RFC 7489 section 6.6.3). */
async function policyOf(domain: string, lookup: Lookup): Promise<DnsAnswer> {
  const own = await lookup('TXT', `_dmarc.${domain}`);
  if (own.kind !== 'none') return own;
  const labels = domain.split('.');
  const above = labels
    .slice(1, -1)
    .map((_label, at) => labels.slice(at + 1).join('.'))
    .slice(-parentsMax);
  for (const parent of above) {
    const answer = await lookup('TXT', `_dmarc.${parent}`);
    if (answer.kind === 'values' && answer.values.some((value) => value.startsWith('v=DMARC1'))) return answer;
  }
  return own;
}

interface Asked {
  record: WantedRecord;
  domain: string;
  answer: DnsAnswer;
  lookup: Lookup;
}

/** Looks for the two usual reasons why a record that its owner did add is not found. */
async function explained(check: RecordCheck, { record, domain, answer, lookup }: Asked): Promise<RecordCheck> {
  if (check.status === 'VERIFIED') return check;
  if (answer.kind === 'values') {
    const sibling = await lookup(record.type, record.name.replace(/^[^.]+/, `none-${randomBytes(6).toString('hex')}`));
    if (sibling.kind !== 'values' || !isSame(sibling.values, answer.values)) return check;
    const parent = record.name.slice(record.name.indexOf('.') + 1);
    const advice = `What ${record.name} answers comes from a wildcard record (*.${parent} or above). Add this ${record.type} record at the name itself, which then goes first.`;
    return { ...check, status: check.proven ? 'FAILED' : 'PENDING', advice };
  }
  if (answer.kind === 'none') {
    const doubled = `${record.name}.${domain}`;
    if (evaluateRecord(record, await lookup(record.type, doubled), undefined).status !== 'VERIFIED') return check;
    const short = record.name.slice(0, -domain.length - 1);
    const advice = `The record stands at ${doubled}: your DNS provider puts the domain behind every name. Enter only ${short}.`;
    return { ...check, advice };
  }
  return check;
}

const isSame = (some: readonly string[], others: readonly string[]) =>
  JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
