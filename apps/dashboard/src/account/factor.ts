/** A second factor of the user, as the private routes list it. */
export interface Factor {
  id: string;
  kind: 'TOTP' | 'PASSKEY';
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

export interface ListedFactors {
  factors: Factor[];
  recoveryCodes: { left: number; total: number };
}

/** A factor that was added; with the first one, recovery codes, which are shown this once. */
export interface AddedFactor {
  factor: Factor;
  recoveryCodes?: string[];
}

export const factorsKey = [null, 'factors'];
