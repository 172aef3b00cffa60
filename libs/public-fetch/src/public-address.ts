import { BlockList, isIP } from 'node:net';

/** What no public server lives at: private, shared, local, reserved and documentation networks (IANA registries). */
const closed = new BlockList();
for (const [network, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
  ] as const),
  ...([
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
] as const) {
  closed.addSubnet(network, bits, 'ipv4');
}
/** Within global unicast: protocol assignments (Teredo too), documentation, 6to4, which reach IPv4 through the back door. */
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  closed.addSubnet(network, bits, 'ipv6');
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an address (IPv4 or IPv6, no name) is a public one. Of IPv6 only global unicast is: that leaves out loopback,
 * link-local, unique local and every form that holds an IPv4 address (mapped, compatible, NAT64).
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  return (
    family === 6 && !address.includes('%') && globalUnicast.check(address, 'ipv6') && !closed.check(address, 'ipv6')
  );
}

/** Names that no public DNS server resolves (RFC 6761, RFC 6762, RFC 8375, and the ICANN reservation of .internal). */
const privateNames = /(?:^|\.)(?:localhost|local|internal|test|invalid|onion|home\.arpa)$/i;

/**
 * Whether a host may be reachable from the public internet.
 * @param host a DNS name, an IPv4 address, or an IPv6 address with or without brackets, as in a URL
 */
export function isPublicHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(bare) === 0 ? bare.includes('.') && !privateNames.test(bare) : isPublicAddress(bare);
}
