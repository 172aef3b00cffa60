import { Resolver } from 'node:dns/promises';
import type { DnsAnswer, Lookup, RecordType } from './dns-answer.js';

const aliasesMax = 8;
const firstWaitMs = 2_000;

export class DnsClient {
  /**
   * @param servers `ip` or `ip:port`; empty for those of the machine
   * @param limitMs milliseconds after which a missing answer is `trouble`
   */
  constructor(
    private readonly servers: readonly string[],
    private readonly limitMs: number,
  ) {}

  /** Runs one check; names are asked once each. */
  async check<T>(work: (lookup: Lookup) => Promise<T>): Promise<T> {
    // One resolver per check, so that cancelling one check leaves the others alone.
    const resolver = new Resolver({ timeout: Math.min(firstWaitMs, this.limitMs), tries: 2 });
    if (this.servers.length > 0) resolver.setServers(this.servers);
    let over = false;
    const end = setTimeout(() => {
      over = true;
      resolver.cancel();
    }, this.limitMs);
    const ask = async (type: RecordType, name: string): Promise<DnsAnswer> => {
      if (over) return { kind: 'trouble', why: inWords.ECANCELLED! };
      return await read(resolver, type, name);
    };
    const follow = async (type: RecordType, name: string): Promise<DnsAnswer> => {
      for (let [at, aliases] = [name, 0]; ; aliases++) {
        const answer = await ask(type, at);
        if (answer.kind !== 'none' || type === 'CNAME' || aliases === aliasesMax) return answer;
        const alias = await ask('CNAME', at);
        if (alias.kind !== 'values') return alias;
        at = alias.values[0]!;
      }
    };
    const asked = new Map<string, Promise<DnsAnswer>>();
    const once: Lookup = (type, name) => {
      const answer = asked.get(`${type} ${name}`) ?? follow(type, name);
      asked.set(`${type} ${name}`, answer);
      return answer;
    };
    try {
      return await work(once);
    } finally {
      clearTimeout(end);
    }
  }
}

const inWords: Readonly<Record<string, string>> = {
  ESERVFAIL: 'SERVFAIL',
  EREFUSED: 'REFUSED',
  ETIMEOUT: 'no answer in time',
  ECANCELLED: 'no answer in time',
  ECONNREFUSED: 'no DNS server there',
};

async function read(resolver: Resolver, type: RecordType, name: string): Promise<DnsAnswer> {
  try {
    const values = await readers[type](resolver, name);
    return values.length > 0 ? { kind: 'values', values } : { kind: 'none' };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return { kind: 'none' };
    return { kind: 'trouble', why: inWords[code] ?? code };
  }
}

const readers: Record<RecordType, (resolver: Resolver, name: string) => Promise<string[]>> = {
  // The owner of a name may write NUL there, which no database text can hold.
  TXT: async (resolver, name) =>
    (await resolver.resolveTxt(name)).map((strings) => strings.join('').replaceAll('\0', '\ufffd')),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange || '.'}`),
  CNAME: (resolver, name) => resolver.resolveCname(name),
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
};
