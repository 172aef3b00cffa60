const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;

/**
 * Whether a request's Host field names this gateway: by PUBLIC_URL, or as this machine. A foreign page whose owner
 * points its name here (DNS rebinding) sends that name, and must not read the caught mails.
 */
export function isKnownHost(host: string | undefined, publicUrl: string): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return loopback.test(hostname) || hostname === new URL(publicUrl).hostname;
}
