import type { z } from 'zod';
import type { accessToken, Scope } from '#contracts';
import { hashApiToken, makeApiToken } from '#tool-call';

/** Never the token itself. */
export type ApiToken = z.infer<typeof accessToken>;

export interface NewToken {
  hash: string;
  lastFour: string;
  name: string;
  scopes: readonly Scope[];
  selfConfirm: boolean;
  expiresAt: string | null;
  /** Default: ORGANIZATION. */
  kind?: ApiToken['kind'];
  /** The user who makes it; null or absent for the operator's command. */
  createdBy?: string | null;
  toolsets?: readonly string[] | undefined;
}

/** Makes a token, or uses the literal one. @returns the secret, to be shown once, and the part that is stored */
export function issueToken(
  facts: Omit<NewToken, 'hash' | 'lastFour'>,
  literal?: string,
): { secret: string; stored: NewToken } {
  const { secret, ...kept } = makeSecret(literal);
  return { secret, stored: { ...facts, ...kept } };
}

/** Makes the secret of a token, or uses the literal one. @returns the secret, and what is stored of it */
export function makeSecret(literal?: string): { secret: string; hash: string; lastFour: string } {
  const secret = literal || makeApiToken();
  // Four letters of a short literal would reveal too much of it.
  return { secret, hash: hashApiToken(secret), lastFour: secret.length < 16 ? '' : secret.slice(-4) };
}
