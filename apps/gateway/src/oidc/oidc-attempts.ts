import { SecretBox } from '#link-token';

/** What a browser must bring back to end the sign-in that it began. */
export interface OidcCheck {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** A sign-in at the identity provider, from its begin to the provider's answer. */
export interface OidcAttempt extends OidcCheck {
  /** The page of the dashboard that follows: a path of this server. */
  next: string;
  /** Hash of the session that becomes recent; null for a new session. */
  secretHash: string | null;
  beganAt: number;
}

const attemptMs = 600_000;
const owner = 'oidc-attempt';

/** Seals attempts for the cookie of the browser that began them: gateways keep none. */
export class OidcAttempts {
  readonly #box: SecretBox;

  constructor(masterKeyHex: string) {
    this.#box = new SecretBox(masterKeyHex, 'oidc-attempts');
  }

  seal(attempt: OidcAttempt): string {
    return this.#box.seal(JSON.stringify(attempt), owner).toString('base64url');
  }

  /** @returns null for an attempt that is over, of another installation, or changed */
  open(sealed: string | null, now: number): OidcAttempt | null {
    try {
      const attempt = JSON.parse(this.#box.open(Buffer.from(sealed ?? '', 'base64url'), owner)) as OidcAttempt;
      return now - attempt.beganAt < attemptMs ? attempt : null;
    } catch {
      return null;
    }
  }
}
