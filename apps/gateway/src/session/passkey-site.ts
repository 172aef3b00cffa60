import type { FastifyRequest } from 'fastify';
import type { RelyingParty } from '#contracts';

/**
 * The relying party of a request (WebAuthn Level 2, section 5.1.2): the host of PUBLIC_URL, or localhost on this machine.
 * Null elsewhere: an IP address cannot be one, and another name would tie passkeys to an address that the operator did not choose.
 */
export function passkeySiteOf(
  request: Pick<FastifyRequest, 'hostname' | 'protocol' | 'host'>,
  publicUrl: string,
): RelyingParty | null {
  const { origin, hostname } = new URL(publicUrl);
  if (request.hostname === 'localhost') return { id: 'localhost', origin: `${request.protocol}://${request.host}` };
  return request.hostname === hostname && !/^[\d.]+$|^\[/.test(hostname) ? { id: hostname, origin } : null;
}
