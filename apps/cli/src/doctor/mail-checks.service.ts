import { connect as connectTls } from 'node:tls';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type { DoctorConfig } from '../config.js';
import { findingsOf, judgeCertificate } from './finding.js';
import type { Finding } from './finding.js';

const answerMs = 10_000;

/** Connects to the relay, sends EHLO, and signs in if the address has credentials; sends no mail. */
export async function checkRelay({ SMTP_URL: url }: DoctorConfig): Promise<Finding> {
  const { ok, warn, fail } = findingsOf('relay');
  const remedy = 'Compare SMTP_URL with what your relay’s provider says, and see that its port is not blocked.';
  if (!url) return warn('not checked: SMTP_URL is not known here', 'Run this beside the system, or set SMTP_URL.');
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  const tls = searchParams.get('tls');
  const host = hostname.replace(/^\[|\]$/g, '');
  const transport = createTransport({
    host,
    port: Number(port) || (protocol === 'smtps:' ? 465 : 25),
    secure: protocol === 'smtps:',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off' || (tls === null && /^(localhost|127\.|::1)/.test(host)),
    tls: { rejectUnauthorized: tls !== 'unverified' },
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: answerMs,
  });
  try {
    await transport.verify();
    return ok(`${host} takes EHLO${username ? ' and the password' : ''}`);
  } catch (error) {
    return fail(`${host} does not: ${(error as Error).message}`, remedy);
  } finally {
    transport.close();
  }
}

/**
 * Reports relays that sign mail by DKIM in place of Tidings. Only their mail shows with which domain, and DMARC counts
 * no signature of an unaligned one (RFC 7489 section 3.1.1).
 */
export function checkSignatures(config: DoctorConfig): Finding {
  const { ok, warn } = findingsOf('DKIM');
  const { SMTP_DKIM, SMTP_FALLBACK_DKIM, SMTP_FALLBACK_URL } = config;
  const unsigned = [
    ...(SMTP_DKIM === 'relay' ? ['SMTP_URL'] : []),
    ...(SMTP_FALLBACK_DKIM === 'relay' && SMTP_FALLBACK_URL ? ['SMTP_FALLBACK_URL'] : []),
  ];
  if (unsigned.length === 0) return ok('Tidings signs all mail with the key of its sender’s domain');
  return warn(
    `Tidings does not sign mail for ${unsigned.join(' and ')}, and does not see whether the relay does`,
    'See that the relay signs with a domain aligned with each sender’s (RFC 7489 section 3.1.1): send a test to yourself, and look for `dkim=pass` with that domain in Authentication-Results. Otherwise set `ours` or `both`.',
  );
}

export async function checkSmtpListener(config: DoctorConfig): Promise<Finding[]> {
  const { ok, warn, fail } = findingsOf('SMTP listener');
  const port = config.SMTP_LISTEN_PORT;
  if (!port)
    return [warn('not checked: no port is known here', 'Set SMTP_LISTEN_PORT if bounces or mail shall come in.')];
  try {
    const certificate = await readCertificate(port);
    const daysLeft = (Date.parse(certificate.valid_to) - Date.now()) / 86_400_000;
    const isSelfSigned = JSON.stringify(certificate.issuer) === JSON.stringify(certificate.subject);
    return [ok(`answers at port ${port}`), judgeCertificate(daysLeft, isSelfSigned)];
  } catch (error) {
    const remedy = 'Start the system, and see that no other program has the port.';
    return [fail(`does not answer at port ${port}: ${(error as Error).message}`, remedy)];
  }
}

/** The certificate that a server shows after STARTTLS (RFC 3207). */
async function readCertificate(port: number) {
  const socket = connect({ host: '127.0.0.1', port });
  socket.setTimeout(answerMs, () => socket.destroy(new Error('no answer in time')));
  try {
    await reply(socket);
    await say(socket, 'EHLO doctor.internal');
    await say(socket, 'STARTTLS');
    const secured = connectTls({ socket, rejectUnauthorized: false });
    await new Promise<void>((resolve, reject) => {
      secured.once('secureConnect', resolve);
      secured.once('error', reject);
    });
    const certificate = secured.getPeerCertificate();
    secured.end('QUIT\r\n');
    return certificate;
  } finally {
    socket.destroy();
  }
}

async function say(socket: Socket, line: string): Promise<void> {
  socket.write(`${line}\r\n`);
  await reply(socket);
}

/** Waits for the last line of a reply. @throws Error for a reply that is no success */
async function reply(socket: Socket): Promise<void> {
  let heard = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      if (!/^\d{3} .*\r\n$/m.test(heard)) return;
      socket.off('data', hear);
      if (heard.startsWith('2')) resolve();
      else reject(new Error(heard.trim()));
    };
    socket.on('data', hear);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}
