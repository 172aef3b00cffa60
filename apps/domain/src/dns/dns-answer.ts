export type RecordType = 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA';

/**
 * DNS's answer for a name. `values`: strings of a TXT record joined, an MX as "10 host". `none`: the name or the type
 * does not exist. `trouble`: no server could answer.
 */
export type DnsAnswer = { kind: 'values'; values: string[] } | { kind: 'none' } | { kind: 'trouble'; why: string };

/** Asks for one name and never throws; a CNAME is followed where the server leaves that to us. */
export type Lookup = (type: RecordType, name: string) => Promise<DnsAnswer>;
