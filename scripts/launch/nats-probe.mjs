import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { childEnvironment } from './paths.mjs';
import { LaunchError } from './terminal.mjs';

/** 2.10.20 to 2.10.22 could lose a stream when the process was killed; 2.9 ignores expiry settings without an error. */
export const NATS_VERSION_MIN = '2.10.23';

/** Bodies and replies of the bus are bounded by this. */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

/** @param {string} version */
export function isNewEnough(version) {
  return version.localeCompare(NATS_VERSION_MIN, 'en', { numeric: true }) >= 0;
}

/**
 * Returns the version that a nats-server binary reports; undefined when it does not run here.
 * @param {string} binary
 */
export function versionOfBinary(binary) {
  try {
    const answer = execFileSync(binary, ['--version'], { encoding: 'utf8', env: childEnvironment(), stdio: 'pipe' });
    return /v?(\d+\.\d+\.\d+)/.exec(answer)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * Returns a running server's own description, if it admits us (NATS client protocol: INFO, CONNECT, PING, PONG).
 * @param {string} url `nats://[token@ or user:password@]host:port`
 * @param {number} [patienceMs]
 * @returns {Promise<{ version: string, jetstream: boolean, maxPayloadBytes: number }>}
 */
export function askNats(url, patienceMs = 5_000) {
  const { hostname, port, username, password } = new URL(url);
  const credentials = password
    ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    : username && { auth_token: decodeURIComponent(username) };
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 4222) });
    let heard = '';
    /** @type {any} */
    let info;
    const fail = (/** @type {Error} */ error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(patienceMs, () => fail(new Error('no answer in time')));
    socket.once('error', fail);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      heard += chunk;
      if (!info && heard.includes('\r\n')) {
        info = JSON.parse(heard.slice('INFO '.length, heard.indexOf('\r\n')));
        // A server that requires TLS sends only INFO before it.
        if (info.tls_required) return finish();
        socket.write(
          `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, lang: 'node', ...(credentials || {}) })}\r\nPING\r\n`,
        );
      }
      const refusal = /-ERR '([^']*)'/.exec(heard);
      if (refusal) fail(new Error(`it refused us: ${refusal[1]}`));
      else if (heard.includes('PONG\r\n')) finish();
    });
    const finish = () => {
      resolve({ version: info.version, jetstream: info.jetstream === true, maxPayloadBytes: info.max_payload });
      socket.destroy();
    };
  });
}

/**
 * Refuses a server that Tidings cannot run on; returns its version.
 * @param {string} url several, separated by commas, are members of one cluster: the first that answers speaks for all
 * @param {string} name the operator's name of the server
 */
export async function checkNats(url, name) {
  /** @type {unknown} */
  let lastError;
  for (const member of url.split(',')) {
    try {
      const { version, jetstream, maxPayloadBytes } = await askNats(member);
      const faults = [
        ...(isNewEnough(version) ? [] : [`it is nats-server ${version}; Tidings needs ${NATS_VERSION_MIN} or newer`]),
        ...(jetstream ? [] : ['JetStream is off; start it with `-js` or a `jetstream {}` block']),
        ...(maxPayloadBytes >= MAX_PAYLOAD_BYTES
          ? []
          : [`its max_payload is ${maxPayloadBytes}; set \`max_payload: 8MB\``]),
      ];
      if (faults.length > 0) throw new LaunchError(`${name} cannot be used: ${faults.join('; ')}.`);
      return version;
    } catch (error) {
      if (error instanceof LaunchError) throw error;
      lastError = error;
    }
  }
  throw new LaunchError(`${name} does not answer: ${/** @type {Error} */ (lastError).message}.`);
}
