import * as openid from 'openid-client';
import type { OidcIdentity } from '#contracts';
import { ToolError } from '#tool-call';
import type { OidcCheck } from './oidc-attempts.js';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

const timeoutSeconds = 8;
/** Seconds since the provider last saw a proof, up to which a sign-in counts as recent. */
const recentSeconds = 600;

/**
 * Talks with the identity provider: authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0,
 * section 3.1; RFC 9700, section 2.1).
 */
export class OidcClient {
  #discovered: Promise<openid.Configuration> | null = null;

  constructor(private readonly settings: OidcSettings) {}

  get host(): string {
    return new URL(this.settings.issuer).host;
  }

  /**
   * @param again whether the user must prove who they are, even if the provider knows them
   * @returns the page of the provider that the browser goes to
   * @throws ToolError OIDC_UNAVAILABLE
   */
  async begin(again: boolean): Promise<{ url: string; check: OidcCheck }> {
    const configuration = await this.#configuration();
    const codeVerifier = openid.randomPKCECodeVerifier();
    const check = { state: openid.randomState(), nonce: openid.randomNonce(), codeVerifier };
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.redirectUri,
      scope: 'openid email profile',
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state: check.state,
      nonce: check.nonce,
      ...(again && { prompt: 'login', max_age: '0' }),
    });
    return { url: url.href, check };
  }

  /**
   * Ends a sign-in with the query that the provider sent the browser back with.
   * @throws ToolError OIDC_UNAVAILABLE, OIDC_REFUSED
   */
  async finish(query: string, { state, nonce, codeVerifier }: OidcCheck, again: boolean): Promise<OidcIdentity> {
    const configuration = await this.#configuration();
    const url = new URL(`${this.settings.redirectUri}?${query}`);
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier };
    const tokens = await openid.authorizationCodeGrant(configuration, url, checks).catch(refuse);
    const claims = tokens.claims()!;
    const { auth_time: provenAt } = claims;
    if (again && provenAt !== undefined && Date.now() / 1_000 - provenAt > recentSeconds)
      throw new ToolError('OIDC_REFUSED', { problem: 'it did not ask the user to sign in again' });
    // Providers may put the address into the user info only (OpenID Connect Core 1.0, section 5.4).
    const user =
      claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(refuse)
        : claims;
    return {
      issuer: claims.iss,
      subject: claims.sub,
      ...personOf({ ...user }),
      multiFactor: hasSeveralFactors(claims.amr),
    };
  }

  /** Kept once it succeeded; a provider that did not answer is asked again. */
  #configuration(): Promise<openid.Configuration> {
    this.#discovered ??= this.#discover().catch((error: unknown) => {
      this.#discovered = null;
      return refuse(error);
    });
    return this.#discovered;
  }

  async #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const execute = [openid.enableNonRepudiationChecks];
    if (issuer.startsWith('http:')) execute.push(openid.allowInsecureRequests);
    return await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      execute,
      timeout: timeoutSeconds,
    });
  }
}

/** Some providers send the claim as text. */
const isVerified = (claim: unknown): boolean => claim === true || claim === 'true';

function personOf(claims: Record<string, unknown>) {
  const { email, email_verified: verified, name } = claims;
  return {
    email: typeof email === 'string' && isVerified(verified) ? email.slice(0, 320) : null,
    name: typeof name === 'string' ? name.slice(0, 255) : null,
  };
}

const hasSeveralFactors = (amr: unknown): boolean => Array.isArray(amr) && amr.includes('mfa');

/** Says what the provider refused; whatever else failed is its absence. */
function refuse(error: unknown): never {
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError)
    throw new ToolError('OIDC_REFUSED', { problem: error.error.slice(0, 100) }, { cause: error });
  if (error instanceof openid.ClientError && error.code !== undefined && isAnswer(error.code))
    throw new ToolError('OIDC_REFUSED', { problem: 'its answer does not belong to this sign-in' }, { cause: error });
  throw new ToolError('OIDC_UNAVAILABLE', {}, { cause: error });
}

/** Codes of openid-client for answers that came, but failed a check. */
const isAnswer = (code: string): boolean =>
  /^OAUTH_(?:INVALID_RESPONSE|JWT_|KEY_SELECTION|UNSUPPORTED_OPERATION)/.test(code);
