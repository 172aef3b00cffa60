import type { DnsAnswer } from '../dns/dns-answer.js';
import { addAdvice, boundedFound, troubleAdvice, untouched } from '../dns/record-check.js';
import type { RecordCheck } from '../dns/record-check.js';
import type { RecordPurpose, WantedRecord } from './dns-record.js';

/** Why the values are wrong; null when they are right. `missing`: the name has other values, and ours may be added. */
type Judgement = { missing: boolean; advice: string } | null;

/**
 * Evaluates a record by the answer of DNS, with advice for its owner.
 * @param before the last check, whose status remains when DNS cannot be asked
 */
export function evaluateRecord(wanted: WantedRecord, answer: DnsAnswer, before: RecordCheck | undefined): RecordCheck {
  const proven = before?.proven ?? false;
  if (answer.kind === 'trouble') return { ...untouched, ...before, advice: troubleAdvice(wanted.name, answer.why) };
  const missingStatus = proven ? 'FAILED' : 'PENDING';
  if (answer.kind === 'none')
    return { status: missingStatus, found: [], advice: addAdvice(wanted.type, wanted.name), proven };
  const judgement = judges[wanted.purpose](wanted, answer.values);
  const found = boundedFound(answer.values);
  if (!judgement) return { status: 'VERIFIED', found, advice: null, proven: true };
  return { status: judgement.missing ? missingStatus : 'FAILED', found, advice: judgement.advice, proven };
}

const wrong = (advice: string): Judgement => ({ missing: false, advice });
const absent = (advice: string): Judgement => ({ missing: true, advice });

const judges: Record<RecordPurpose, (wanted: WantedRecord, values: string[]) => Judgement> = {
  VERIFICATION: ({ name, value }, values) =>
    values.some((one) => one.trim() === value)
      ? null
      : wrong(`${name} has other text. Add a TXT record with exactly this value beside it, or in its place.`),

  DKIM: ({ name, value }, values) => {
    const keys = values.map(tagsOf).filter((tags) => tags.has('p') || tags.get('v') === 'DKIM1');
    if (keys.length === 0) return absent(`${name} has text, but no DKIM key. Add this TXT record.`);
    // RFC 6376 section 3.6.2.2: with several the result is undefined.
    if (keys.length > 1) return wrong(`${name} has ${keys.length} DKIM keys. Leave this one alone there.`);
    const [found, key] = [keys[0]!, tagsOf(value).get('p')!];
    const p = found.get('p') ?? '';
    if (p === '') return wrong(`The DKIM key at ${name} is empty, which revokes it. Replace it with this value.`);
    if (p !== key && key.startsWith(p)) {
      return wrong(
        `The DKIM key at ${name} is cut off after ${p.length} of ${key.length} characters. Enter it whole; if your provider takes at most 255 at a time, as several quoted strings of one record.`,
      );
    }
    if (p !== key) return wrong(`${name} holds another DKIM key. Replace it with this value.`);
    if ((found.get('v') ?? 'DKIM1') !== 'DKIM1' || (found.get('k') ?? 'rsa') !== 'rsa') {
      return wrong(`The DKIM record at ${name} must say v=DKIM1 and k=rsa. Replace it with this value.`);
    }
    const hashes = found.get('h');
    return hashes === undefined || hashes.split(':').includes('sha256')
      ? null
      : wrong(`The DKIM record at ${name} forbids SHA-256 (h=${hashes}). Replace it with this value.`);
  },

  MAIL_FROM_MX: ({ name, value }, values) => {
    const hosts = values.map(exchangeOf);
    const ours = exchangeOf(value);
    if (!hosts.includes(ours)) return wrong(`The MX of ${name} leads elsewhere. Replace it with ${value}.`);
    return hosts.every((host) => host === ours)
      ? null
      : wrong(`${name} has further MX records, so that bounces may go astray. Leave ${value} alone there.`);
  },

  MAIL_FROM_SPF: ({ name, value }, values) => {
    const records = values.filter((one) => /^v=spf1(?: |$)/i.test(one));
    if (records.length === 0) return absent(`${name} has text, but no SPF record. Add this TXT record.`);
    // RFC 7208 section 4.5: several are a permanent error.
    if (records.length > 1)
      return wrong(`${name} has ${records.length} SPF records, which makes all void. Join them in one.`);
    const terms = mechanismsOf(records[0]!);
    const missing = mechanismsOf(value).filter((term) => !term.endsWith('all') && !terms.includes(term));
    if (missing.length > 0)
      return wrong(`The SPF record of ${name} lacks "${missing.join(' ')}". Replace it with this value.`);
    // RFC 7208 section 5.1: mechanisms behind "all" are never looked at.
    const end = terms.findIndex((term) => /^[-~?]?all$/.test(term));
    const unread = mechanismsOf(value).filter((term) => end !== -1 && terms.indexOf(term) > end);
    if (unread.length > 0)
      return wrong(`The SPF record of ${name} has "${unread.join(' ')}" behind all. Replace it with this value.`);
    if (terms.includes('all'))
      return wrong(`The SPF record of ${name} allows every server to send (+all). End it with ~all.`);
    const lookups = terms.filter((term) =>
      /^(?:include:|a(?:[:/]|$)|mx(?:[:/]|$)|ptr|exists:|redirect=)/.test(term),
    ).length;
    return lookups <= 10 ? null : wrong(`The SPF record of ${name} asks for ${lookups} look-ups; ten are allowed.`);
  },

  DMARC: ({ name, value }, values) => {
    const records = values.filter((one) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(one));
    if (records.length === 0) return absent(`${name} has text, but no DMARC record. Add a TXT record such as ${value}`);
    if (records.length > 1)
      return wrong(`${name} has ${records.length} DMARC records, which makes all void. Leave one.`);
    return ['none', 'quarantine', 'reject'].includes(tagsOf(records[0]!).get('p')?.toLowerCase() ?? '')
      ? null
      : wrong(`The DMARC record at ${name} has no policy. Add p=none, p=quarantine or p=reject.`);
  },
};

/** Tags of a DKIM or DMARC record (RFC 6376 section 3.2); white space inside a value does not count. */
function tagsOf(text: string): Map<string, string> {
  const parts = text.split(';').map((part) => [part.indexOf('='), part] as const);
  return new Map(
    parts
      .filter(([at]) => at > 0)
      .map(([at, part]) => [part.slice(0, at).trim(), part.slice(at + 1).replace(/\s/g, '')]),
  );
}

/** The terms of an SPF record behind its version, without case and the `+` that may be left out. */
const mechanismsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/ +/)
    .slice(1)
    .filter(Boolean)
    .map((term) => term.replace(/^\+/, ''));

const exchangeOf = (value: string): string =>
  value
    .replace(/^\d+ +/, '')
    .replace(/\.$/, '')
    .toLowerCase();
