import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { Provider } from 'oidc-provider';
import type { AccountClaims, Configuration, Grant, KoaContextWithOIDC } from 'oidc-provider';

const scopes = 'openid email profile';

/** A user of the identity provider. */
export type Identity = Omit<AccountClaims, 'sub'> & { amr?: string[] };

/** A real OpenID Connect provider on loopback that signs in whom the spec names, without a form. */
export class IdentityProvider {
  readonly client = { id: 'tidings', secret: 'a secret of the client, long enough for HMAC' };
  /** The subject that signs in next; null: the user refuses. */
  subject: string | null = null;
  readonly identities = new Map<string, Identity>();
  /** Seconds ago that the user proved who they are, as the provider reports. */
  provenSecondsAgo = 0;

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  /** @param redirectUri where the provider sends browsers back to */
  static async start(redirectUri: string): Promise<IdentityProvider> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const made = new IdentityProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    const provider = new Provider(made.issuer, made.#configuration(redirectUri));
    provider.use(async (context, next) => {
      if (!context.path.startsWith('/interaction/')) return await next();
      const { subject } = made;
      const result =
        subject === null
          ? { error: 'access_denied', error_description: 'The user refused' }
          : {
              login: {
                accountId: subject,
                amr: made.identities.get(subject)?.amr ?? ['pwd'],
                ts: Math.floor(Date.now() / 1000) - made.provenSecondsAgo,
              },
            };
      await provider.interactionFinished(context.req, context.res, result);
      context.respond = false;
    });
    server.on('request', provider.callback());
    return made;
  }

  async stop(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }

  #configuration(redirectUri: string): Configuration {
    const { id, secret } = this.client;
    return {
      clients: [{ client_id: id, client_secret: secret, redirect_uris: [redirectUri], response_types: ['code'] }],
      claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['a key of a spec'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, sub) => ({
        accountId: sub,
        claims: () => ({ ...this.identities.get(sub), sub }),
      }),
      loadExistingGrant: grantAll,
      pkce: { required: () => true },
    };
  }
}

/** No user is asked for consent. */
async function grantAll({ oidc }: KoaContextWithOIDC): Promise<Grant> {
  const grant = new oidc.provider.Grant({ accountId: oidc.session!.accountId!, clientId: oidc.client!.clientId });
  grant.addOIDCScope(scopes);
  await grant.save();
  return grant;
}
