import { BlockList, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { GatewayConfig } from '../config.js';

/**
 * Compiles TRUST_PROXY to a check of connections.
 * @param trusted true or false for every peer, or addresses and networks in CIDR notation
 */
export function trustedProxy(
  trusted: GatewayConfig['TRUST_PROXY'],
): (socket: Pick<Socket, 'remoteAddress'>) => boolean {
  if (typeof trusted === 'boolean') return () => trusted;
  const networks = new BlockList();
  for (const one of trusted) {
    const [address = '', bits] = one.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) networks.addAddress(address, family);
    else networks.addSubnet(address, Number(bits), family);
  }
  return ({ remoteAddress = '' }) =>
    isIP(remoteAddress) !== 0 && networks.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4');
}
