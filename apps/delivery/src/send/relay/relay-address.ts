export interface RelayAddress {
  host: string;
  port: number;
  /** TLS from the first octet (smtps). */
  secure: boolean;
  /** STARTTLS: used when offered, required, or never; `unverified` accepts any certificate. */
  startTls: 'offered' | 'required' | 'off' | 'unverified';
  auth: { user: string; pass: string } | null;
}

const startTlsModes = ['required', 'off', 'unverified'] as const;
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

/**
 * Reads `smtp://user:password@host:port?tls=required|off|unverified`. Without the parameter STARTTLS is used when
 * offered, except on a loopback address, where a certificate could only be self-signed.
 */
export function parseRelayUrl(text: string): RelayAddress {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const asked = startTlsModes.find((mode) => mode === url.searchParams.get('tls'));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port) || (secure ? 465 : 25),
    secure,
    startTls: asked ?? (loopback.test(url.hostname) ? 'off' : 'offered'),
    auth: url.username ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : null,
  };
}
