import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { deriveKey } from '#link-token';

const dayS = 86_400;
/** Seconds for which a browser keeps the cookies: a session's longest life, and Chromium's limit. */
const sessionMaxAge = 30 * dayS;
const deviceMaxAge = 400 * dayS;
/** Seconds for which a browser keeps a sign-in at the identity provider. */
const attemptMaxAge = 600;
/** Longer than any secret; longer ones are not hashed. */
const secretLengthMax = 512;

/** Hosts that name this machine; in a container the peer of a loopback connection is a bridge. */
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;

export const isHttps = ({ protocol }: FastifyRequest): boolean => protocol === 'https';

/** Whether cookies are safe on a request's connection: HTTPS, or plain HTTP on this machine. */
export const isSecureContext = (request: FastifyRequest): boolean =>
  isHttps(request) || loopback.test(request.hostname);

/** The secret of the session cookie; null without one, and on connections where no cookie is safe. */
export function sessionSecret(request: FastifyRequest): string | null {
  const secret = readCookie(request, 'tidings');
  return secret !== null && secret.length <= secretLengthMax ? secret : null;
}

/** The hash by which the domain service knows a session: SHA-256, hex. */
export const hashSessionSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export class SessionCookies {
  readonly #key: Buffer;

  constructor(masterKeyHex: string) {
    this.#key = deriveKey(masterKeyHex, 'sessions');
  }

  /** The token that each changing request of a session must send in the header Tidings-Csrf. */
  csrfToken(secret: string): string {
    return this.#sign(`csrf:${secret}`);
  }

  isCsrfToken(given: unknown, secret: string): boolean {
    return typeof given === 'string' && equal(given, this.csrfToken(secret));
  }

  /** The id of a browser that signed in with an address before; null for another browser. */
  deviceOf(request: FastifyRequest, email: string): string | null {
    const [id = '', signature = ''] = readCookie(request, 'tidings-device')?.split('.') ?? [];
    return id !== '' && equal(signature, this.#sign(deviceText(id, email))) ? id : null;
  }

  /** Set-Cookie fields of a new session, and of the browser as one that knows the address. */
  opened(request: FastifyRequest, secret: string, email: string): string[] {
    const id = this.deviceOf(request, email) ?? randomBytes(12).toString('hex');
    return [
      setCookie(request, 'tidings', secret, sessionMaxAge),
      setCookie(request, 'tidings-device', `${id}.${this.#sign(deviceText(id, email))}`, deviceMaxAge),
    ];
  }

  ended(request: FastifyRequest): string[] {
    return [setCookie(request, 'tidings', '', 0)];
  }

  /** Set-Cookie field of a sign-in at the identity provider; an empty text ends it. */
  oidcAttempt(request: FastifyRequest, attempt: string): string {
    return setCookie(request, 'tidings-oidc', attempt, attempt === '' ? 0 : attemptMaxAge);
  }

  oidcAttemptOf(request: FastifyRequest): string | null {
    return readCookie(request, 'tidings-oidc');
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

const deviceText = (id: string, email: string): string => `device:${id}:${email.trim().toLowerCase()}`;

/** RFC 6265bis section 4.1.3.2: the prefix ties a cookie to HTTPS, this host and all paths. */
const cookieName = (request: FastifyRequest, name: string): string => (isHttps(request) ? `__Host-${name}` : name);

function readCookie(request: FastifyRequest, name: string): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined || !isSecureContext(request)) return null;
  return parseCookie(cookie)[cookieName(request, name)] ?? null;
}

const setCookie = (request: FastifyRequest, name: string, value: string, maxAge: number): string =>
  stringifySetCookie({
    name: cookieName(request, name),
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(request),
  });

const equal = (given: string, wanted: string): boolean =>
  given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
