export type RecordType = 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA';

/**
 * What DNS says of a name: its values (strings of a TXT record joined, an MX as "10 host"); `none` when the name or the
 * type is not there; `trouble` when nobody can tell.
 */
export type DnsAnswer = { kind: 'values'; values: string[] } | { kind: 'none' } | { kind: 'trouble'; why: string };

/** Asks for one name; never throws. A CNAME is followed where the server leaves that to us. */
export type Lookup = (type: RecordType, name: string) => Promise<DnsAnswer>;
