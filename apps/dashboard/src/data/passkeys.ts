import type { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { callSession } from './session.js';
import type { Session } from './session.js';

/** A user who closed the browser's dialog; other faults of the browser stay as they are. */
const cancelledNames = ['NotAllowedError', 'AbortError'];

/** Whether this browser can use passkeys on this page. */
export const hasPasskeys = (): boolean => isSecureContext && 'PublicKeyCredential' in globalThis;

/** Whether the browser's own dialog ended without a passkey. */
export const isCancelled = (error: unknown): boolean => error instanceof Error && cancelledNames.includes(error.name);

type JsonOptions<F extends (options: never) => unknown> = Parameters<F>[0] extends { optionsJSON: infer O } ? O : never;

/**
 * Proves the user by a passkey: the one of a sign-in that has begun, with `again` the one who is signed in, else any
 * user with a passkey of this site.
 * @throws Refusal; Error of the browser, also when its dialog was closed
 */
export async function proveByPasskey(of: { ticket?: string; again?: true }): Promise<Session> {
  const asked = callSession<{ ticket: string; options: JsonOptions<typeof startAuthentication> }>(
    'POST',
    '/factor/passkey-options',
    of,
  );
  const [library, { ticket, options }] = await Promise.all([import('@simplewebauthn/browser'), asked]);
  const passkey = await library.startAuthentication({ optionsJSON: options });
  return await callSession('POST', '/factor', { ticket, passkey });
}

/** Makes a passkey on this device or a key. @returns what registers it */
export async function makePasskey(): Promise<object> {
  const asked = callSession<{ options: JsonOptions<typeof startRegistration> }>('POST', '/factors/passkey/options', {});
  const [library, { options }] = await Promise.all([import('@simplewebauthn/browser'), asked]);
  return await library.startRegistration({ optionsJSON: options });
}
