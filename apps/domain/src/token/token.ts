import type { z } from 'zod';
import type { apiToken, Scope } from '#contracts';
import { hashApiToken, makeApiToken } from '#tool-call';

/** The public properties of a token; never the token itself. */
export type ApiToken = z.infer<typeof apiToken>;

/** A token before it is stored. */
export interface NewToken {
  hash: string;
  lastFour: string;
  name: string;
  scopes: readonly Scope[];
  selfConfirm: boolean;
  expiresAt: string | null;
}

/** Makes a token, or uses the literal one. @returns the secret, to be shown once, and the part that is stored */
export function issueToken(
  facts: Pick<NewToken, 'name' | 'scopes' | 'selfConfirm' | 'expiresAt'>,
  literal?: string,
): { secret: string; stored: NewToken } {
  const secret = literal || makeApiToken();
  // Four letters of a short literal would reveal too much of it.
  const lastFour = secret.length < 16 ? '' : secret.slice(-4);
  return { secret, stored: { ...facts, hash: hashApiToken(secret), lastFour } };
}
