import type { Lookup } from '../dns/dns-answer.js';
import type { DnsClient } from '../dns/dns.client.js';
import { readAddressLists } from './address-lists.js';
import type { AddressLists } from './address-lists.js';
import { malformed, needsDns, readAddress, verdictOf } from './verdict.js';
import type { AddressVerdict, DomainFacts, MailRoute } from './verdict.js';

/** Milliseconds for which an answer of DNS is cached: a form that is sent again must not query again. */
const believedMs = 10 * 60_000;
const believedMax = 10_000;

interface Dependencies {
  dns: Pick<DnsClient, 'check'>;
  /** The zone of a blocklist of domains (RFC 5782); empty for none. */
  blocklist: string;
  now?: () => number;
}

export class AddressVerificationService {
  #lists: AddressLists | null = null;
  /** The oldest first. */
  readonly #believed = new Map<string, { facts: Promise<DomainFacts>; until: number }>();

  constructor(private readonly parts: Dependencies) {}

  /** Whether mail to an address can arrive; DNS that does not answer in time makes a warning. */
  async verify(text: string): Promise<AddressVerdict> {
    const read = readAddress(text);
    if ('problem' in read) return malformed(text, read.problem);
    this.#lists ??= readAddressLists();
    const { address } = read;
    const facts = needsDns(address, this.#lists) ? await this.#factsOf(address.asciiDomain) : null;
    return verdictOf(address, this.#lists, facts);
  }

  /** Concurrent callers share one lookup; an unknown result is not cached. */
  async #factsOf(domain: string): Promise<DomainFacts> {
    const now = (this.parts.now ?? Date.now)();
    const known = this.#believed.get(domain);
    if (known && known.until > now) return await known.facts;
    const { dns, blocklist } = this.parts;
    const facts = dns.check(async (lookup) => {
      const [route, spam] = await Promise.all([routeOf(domain, lookup), isListed(domain, blocklist, lookup)]);
      return { route, spam };
    });
    this.#believed.delete(domain);
    if (this.#believed.size >= believedMax) this.#believed.delete(this.#believed.keys().next().value!);
    this.#believed.set(domain, { facts, until: now + believedMs });
    const { route } = await facts;
    if (route.kind === 'unknown' && this.#believed.get(domain)?.facts === facts) this.#believed.delete(domain);
    return await facts;
  }
}

/** Where mail to a domain goes (RFC 5321 section 5.1). */
async function routeOf(domain: string, lookup: Lookup): Promise<MailRoute> {
  const mx = await lookup('MX', domain);
  if (mx.kind === 'trouble') return { kind: 'unknown', why: mx.why };
  if (mx.kind === 'values') return { kind: mx.values.every((value) => value.endsWith(' .')) ? 'refuses' : 'mx' };
  const [v4, v6] = await Promise.all([lookup('A', domain), lookup('AAAA', domain)]);
  if (v4.kind === 'values' || v6.kind === 'values') return { kind: 'address' };
  const trouble = [v4, v6].find((answer) => answer.kind === 'trouble');
  return trouble ? { kind: 'unknown', why: trouble.why } : { kind: 'nothing' };
}

/** RFC 5782: listed by an answer in 127.0.0.0/8, of which 127.255.255.0/24 says that the list may not be asked. */
async function isListed(domain: string, blocklist: string, lookup: Lookup): Promise<boolean> {
  if (blocklist === '') return false;
  const answer = await lookup('A', `${domain}.${blocklist}`);
  return answer.kind === 'values' && answer.values.some((ip) => /^127\.(?!255\.255\.)/.test(ip));
}
