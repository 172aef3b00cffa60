const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;

/**
 * Whether a request names this gateway in its Host field: by PUBLIC_URL, or as this machine. A page elsewhere whose name
 * its owner lets lead here (DNS rebinding) names itself, and must not read the mails that were caught.
 */
export function isKnownHost(host: string | undefined, publicUrl: string): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return loopback.test(hostname) || hostname === new URL(publicUrl).hostname;
}
