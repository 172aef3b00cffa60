import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { RelyingParty } from '#contracts';
import { uuidOf } from '#database';
import { ToolError } from '#tool-call';
import type { StoredPasskey } from './second-factor.repository.js';

const minutesMs = 60_000;
/** Milliseconds that a browser lets its user take; the ticket lives as long. */
const timeout = 5 * minutesMs;

/** The site of a request, where passkeys work. @throws ToolError PASSKEY_UNAVAILABLE */
export function assertPasskeySite(site: RelyingParty | null): RelyingParty {
  if (!site)
    throw new ToolError('PASSKEY_UNAVAILABLE', {
      problem: 'open this page by the address of PUBLIC_URL, or as localhost',
    });
  return site;
}

/** What identifies the user to an authenticator: the 16 bytes of the id, which say nothing about the person. */
const userHandle = (userId: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(uuidOf('usr', userId)!.replaceAll('-', ''), 'hex'));

const descriptors = (passkeys: readonly StoredPasskey[]) =>
  passkeys.map(({ credentialId: id, transports }) => ({ id, transports }));

/** Options for navigator.credentials.create(), as JSON. */
export const registrationOptions = (
  { id: rpID }: RelyingParty,
  user: { id: string; email: string; name: string },
  existing: readonly StoredPasskey[],
) =>
  generateRegistrationOptions({
    rpName: 'Tidings',
    rpID,
    userName: user.email,
    userDisplayName: user.name,
    userID: userHandle(user.id),
    timeout,
    attestationType: 'none',
    excludeCredentials: descriptors(existing),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });

/** Options for navigator.credentials.get(), as JSON. @param allowed empty: any passkey of this site */
export const authenticationOptions = ({ id: rpID }: RelyingParty, allowed: readonly StoredPasskey[]) =>
  generateAuthenticationOptions({
    rpID,
    timeout,
    userVerification: 'required',
    ...(allowed.length > 0 && { allowCredentials: descriptors(allowed) }),
  });

/** Reads a new credential. @throws ToolError FACTOR_REFUSED */
export async function verifyRegistration(site: RelyingParty, expectedChallenge: string, response: object) {
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
  }).catch(refuse);
  if (!verified) return refuse();
  const { id: credentialId, publicKey, counter, transports = [] } = registrationInfo.credential;
  return { credentialId, publicKey: new Uint8Array(publicKey), counter, transports };
}

/** Verifies the use of a passkey. @returns the authenticator's counter. @throws ToolError FACTOR_REFUSED */
export async function verifyAssertion(
  site: RelyingParty,
  expectedChallenge: string,
  response: object,
  { userId, credentialId: id, publicKey, counter }: StoredPasskey,
): Promise<number> {
  const given = response as AuthenticationResponseJSON;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: given,
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    credential: { id, publicKey, counter },
    requireUserVerification: true,
  }).catch(refuse);
  const handle = given.response.userHandle;
  const isOwner = !handle || Buffer.from(handle, 'base64url').equals(userHandle(userId));
  if (!verified || !isOwner) return refuse();
  return authenticationInfo.newCounter;
}

function refuse(): never {
  throw new ToolError('FACTOR_REFUSED', { problem: 'the passkey does not fit this request' });
}
