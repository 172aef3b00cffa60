import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { client, opened, secret, secretHash } from './session.js';

export const factorKinds = ['TOTP', 'PASSKEY'] as const;
export type FactorKind = (typeof factorKinds)[number];

export const listedFactor = z.object({
  id: z.string(),
  kind: z.enum(factorKinds),
  name: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable(),
});

/** The site that passkeys belong to: its host is the relying party's id (WebAuthn Level 2, section 5.1.2). */
export const relyingParty = z.strictObject({ id: z.string().max(255), origin: z.string().max(300) });
export type RelyingParty = z.infer<typeof relyingParty>;

const factorName = z.string().trim().min(1).max(60);
const code = z.string().max(20);
/** Checked by the library that reads it (WebAuthn Level 3, sections 5.1.8 and 5.1.9); its size is bounded here. */
const credential = z.record(z.string(), z.unknown());
const options = z.record(z.string(), z.unknown());
/** Shown once; present when the factor is the user's first. */
const recoveryCodes = z.array(z.string());
const added = z.object({ factor: listedFactor, recoveryCodes: recoveryCodes.optional() });
const byId = { secretHash, factorId: z.string().max(40) };

/** Second factors of users (CONTRACT-PEOPLE, section 1); private to the gateway and the operator's command. */
export const secondFactorRequests = defineRequests('domain', {
  /** Ends the second step of a sign-in, or a sign-in by a passkey alone. */
  prove_factor: {
    input: z.strictObject({
      ticket: secret,
      code: code.optional(),
      recoveryCode: z.string().max(60).optional(),
      passkey: credential.optional(),
      relyingParty: relyingParty.nullable(),
      client,
    }),
    output: opened,
    errors: ['TICKET_OVER', 'FACTOR_REFUSED', 'SIGN_IN_SLOWED', 'PASSKEY_UNAVAILABLE', 'SESSION_ENDED'],
    transaction: 'own',
    hasSecrets: true,
  },
  /**
   * Begins a proof by passkey: of a ticket's user, of a session's, or with neither of any user with a passkey here.
   * The ticket that comes back goes to prove_factor.
   */
  ask_passkey: {
    input: z.strictObject({
      ticket: secret.optional(),
      secretHash: secretHash.optional(),
      relyingParty: relyingParty.nullable(),
      client,
    }),
    output: z.object({ ticket: z.string(), options }),
    errors: ['TICKET_OVER', 'SESSION_ENDED', 'PASSKEY_UNAVAILABLE', 'SIGN_IN_SLOWED'],
    transaction: 'own',
    hasSecrets: true,
  },
  list_factors: {
    input: z.strictObject({ secretHash }),
    output: z.object({
      factors: z.array(listedFactor),
      recoveryCodes: z.object({ left: z.int(), total: z.int() }),
    }),
    errors: ['SESSION_ENDED'],
    transaction: 'read',
  },
  /** The secret counts once a code of it was confirmed; a second call replaces it. */
  begin_totp: {
    input: z.strictObject({ secretHash }),
    output: z.object({ uri: z.string(), secret: z.string() }),
    errors: ['SESSION_ENDED', 'FACTORS_TOO_MANY'],
    transaction: 'own',
    hasSecrets: true,
  },
  confirm_totp: {
    input: z.strictObject({ secretHash, code, client }),
    output: added,
    errors: ['SESSION_ENDED', 'TICKET_OVER', 'FACTOR_REFUSED', 'FACTORS_TOO_MANY', 'SIGN_IN_SLOWED'],
    transaction: 'own',
    hasSecrets: true,
  },
  begin_passkey: {
    input: z.strictObject({ secretHash, relyingParty: relyingParty.nullable() }),
    output: z.object({ options }),
    errors: ['SESSION_ENDED', 'PASSKEY_UNAVAILABLE', 'FACTORS_TOO_MANY'],
    transaction: 'own',
    hasSecrets: true,
  },
  register_passkey: {
    input: z.strictObject({
      secretHash,
      relyingParty: relyingParty.nullable(),
      name: factorName,
      passkey: credential,
      client,
    }),
    output: added,
    errors: ['SESSION_ENDED', 'TICKET_OVER', 'FACTOR_REFUSED', 'PASSKEY_UNAVAILABLE', 'FACTORS_TOO_MANY'],
    transaction: 'own',
    hasSecrets: true,
  },
  rename_factor: {
    input: z.strictObject({ ...byId, name: factorName, client }),
    output: z.object({ factor: listedFactor }),
    errors: ['SESSION_ENDED', 'FACTOR_NOT_FOUND'],
    transaction: 'own',
  },
  /** With the last factor, the recovery codes go too. */
  remove_factor: {
    input: z.strictObject({ ...byId, client }),
    output: z.object({}),
    errors: ['SESSION_ENDED', 'FACTOR_NOT_FOUND'],
    transaction: 'own',
  },
  /** Ten new codes; the former ones end. */
  renew_recovery_codes: {
    input: z.strictObject({ secretHash, client }),
    output: z.object({ recoveryCodes }),
    errors: ['SESSION_ENDED', 'FACTOR_MISSING'],
    transaction: 'own',
    hasSecrets: true,
  },
  /** For the operator, when a user lost all factors: removes them and ends the sessions. */
  reset_factors: {
    input: z.strictObject({ email: z.string().max(320) }),
    output: z.object({ user: z.object({ id: z.string(), email: z.string() }), removed: z.int(), ended: z.int() }),
    errors: ['MEMBER_NOT_FOUND'],
    transaction: 'own',
  },
});
