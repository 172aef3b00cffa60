import type { ProvingFactor, RelyingParty } from '#contracts';
import { ToolError } from '#tool-call';
import type { Repositories } from '../repositories.js';
import { assertPasskeySite, verifyAssertion } from './passkey.service.js';
import { hashRecoveryCode } from './recovery-code.js';
import { stepOfCode } from './totp.js';

/** What a user gives as second factor: exactly one of the three. */
export interface GivenFactor {
  code?: string | undefined;
  recoveryCode?: string | undefined;
  passkey?: Record<string, unknown> | undefined;
  relyingParty: RelyingParty | null;
}

/** A factor that fits, of a user. It counts once `use` has returned true within the transaction that lets the user in. */
export interface FittingFactor {
  kind: ProvingFactor;
  userId: string;
  use(repositories: Repositories): Promise<boolean>;
}

type FactorRepositories = Pick<Repositories, 'factors' | 'recoveryCodes'>;

/** The ways in which a user can prove a second factor; empty when there is none, and no second step. */
export async function provingFactorsOf(
  { factors, recoveryCodes }: FactorRepositories,
  userId: string,
): Promise<ProvingFactor[]> {
  const kinds = new Set<ProvingFactor>((await factors.list(userId)).map(({ kind }) => kind));
  if (kinds.size > 0 && (await recoveryCodes.count(userId)).left > 0) kinds.add('RECOVERY_CODE');
  return [...kinds];
}

/**
 * Checks what a user gave, and changes nothing.
 * @param of the user of the sign-in, null for any user with the passkey; and the challenge that a passkey answers
 * @throws ToolError FACTOR_REFUSED, PASSKEY_UNAVAILABLE
 */
export async function fittingFactor(
  repositories: FactorRepositories,
  given: GivenFactor,
  of: { userId: string | null; challenge: string | null },
): Promise<FittingFactor> {
  const { code, recoveryCode, passkey, relyingParty } = given;
  const { userId, challenge } = of;
  if ([code, recoveryCode, passkey].filter((one) => one !== undefined).length !== 1)
    throw new ToolError('FACTOR_REFUSED', { problem: 'send one of code, recoveryCode and passkey' });
  if (passkey !== undefined) return await fittingPasskey(repositories, { passkey, relyingParty, userId, challenge });
  if (userId === null) throw new ToolError('FACTOR_REFUSED', { problem: 'only a passkey counts without a password' });
  if (code !== undefined) return await fittingCode(repositories, userId, code);
  const hash = hashRecoveryCode(recoveryCode!);
  return { kind: 'RECOVERY_CODE', userId, use: ({ recoveryCodes }) => recoveryCodes.use(userId, hash) };
}

async function fittingCode({ factors }: FactorRepositories, userId: string, code: string): Promise<FittingFactor> {
  const totp = await factors.findTotp(userId);
  const step = totp && stepOfCode(totp.secret, code, totp.lastStep, Date.now());
  if (!totp || step === null) throw refusedCode();
  return { kind: 'TOTP', userId, use: (within) => within.factors.useStep(totp.id, step) };
}

async function fittingPasskey(
  { factors }: FactorRepositories,
  given: {
    passkey: Record<string, unknown>;
    relyingParty: RelyingParty | null;
    userId: string | null;
    challenge: string | null;
  },
): Promise<FittingFactor> {
  const { passkey, userId, challenge } = given;
  const site = assertPasskeySite(given.relyingParty);
  const id = typeof passkey.id === 'string' ? passkey.id : '';
  const known = await factors.findPasskey(id, site.id);
  if (challenge === null || !known || (userId !== null && known.userId !== userId))
    throw new ToolError('FACTOR_REFUSED', { problem: 'the passkey is unknown here' });
  const counter = await verifyAssertion(site, challenge, passkey, known);
  return { kind: 'PASSKEY', userId: known.userId, use: (within) => within.factors.usePasskey(known.id, counter) };
}

export const refusedCode = (): ToolError<'FACTOR_REFUSED'> =>
  new ToolError('FACTOR_REFUSED', { problem: 'the code is wrong, or was used before' });
