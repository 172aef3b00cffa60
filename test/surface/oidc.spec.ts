import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { URI } from 'otpauth';
import type { TOTP } from 'otpauth';
import { serviceCaller } from '#bus';
import { sessionRequests } from '#contracts';
import type { Role } from '#contracts';
import { TestGateway } from '../../apps/gateway/test/fake-services.js';
import { IdentityProvider } from '../harness/identity-provider.js';
import type { Identity } from '../harness/identity-provider.js';
import { testMasterKey } from '../harness/service-plans.js';
import { useFixture } from '../harness/use-fixture.js';
import { Browser } from './browser.js';
import { ApiFixture } from './surface.js';

const password = 'correct horse battery staple';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

describe('sign-in through an identity provider', () => {
  const surface = useFixture(() => ApiFixture.start());
  let provider: IdentityProvider;
  let gateway: TestGateway;
  let owner: Browser;

  const start = async (port: number, more: Record<string, string> = {}) =>
    await TestGateway.start(surface.namespace, {
      MASTER_KEY: testMasterKey(),
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.client.id,
      OIDC_CLIENT_SECRET: provider.client.secret,
      ...more,
    });

  beforeAll(async () => {
    // The provider warns that it keeps its data in memory.
    for (const level of ['warn', 'info'] as const) jest.spyOn(console, level).mockImplementation(() => undefined);
    await surface.customer('Bakery');
    const port = await freePort();
    provider = await IdentityProvider.start(`http://127.0.0.1:${port}/api/session/oidc/callback`);
    gateway = await start(port);
    const people = surface.harness.client(sessionRequests);
    const { token } = await people.issue_setup_link({}, serviceCaller('', 'spec'));
    owner = new Browser(gateway.url);
    const setUp = { token, email: 'olga@example.com', name: 'Olga Owner', password };
    expect((await owner.send('POST', '/api/session/setup', setUp)).status).toBe(200);
  });

  afterAll(async () => {
    await gateway.stop();
    await provider.stop();
    jest.restoreAllMocks();
  });

  const identify = (subject: string, identity: Identity) => {
    provider.identities.set(subject, identity);
    provider.subject = subject;
  };

  const invite = async (email: string, role: Role) =>
    await surface.harness.bus.without('delivery', () => owner.data('invite_member', { email, role }));

  /** Goes to the provider and back as a browser does. @returns where it ends */
  const walk = async (browser: Browser, query = '') => await browser.follow(`/api/session/oidc${query}`);

  const audit = async () =>
    (
      await owner.data<{ entries: { tool: string; target: string | null }[] }>('list_audit_entries', {
        source: 'session',
      })
    ).entries;

  it('shows pages that there is one', async () => {
    const reply = await gateway.send('/api/session/options');
    expect(reply.body.data).toEqual({ oidc: { host: new URL(provider.issuer).host }, passwords: true });
    expect((await surface.gateway.send('/api/session/options')).body.data).toEqual({ oidc: null, passwords: true });
    expect(await new Browser(surface.url).follow('/api/session/oidc')).toBe('/sign-in?problem=OIDC_OFF');
  });

  it('signs in a user by the verified address, and later by the subject alone', async () => {
    identify('olga', { email: 'Olga@Example.com', email_verified: true, name: 'O. O.' });
    const browser = new Browser(gateway.url);
    expect(await walk(browser, '?next=/o/1/campaigns?status=DRAFT')).toBe('/o/1/campaigns?status=DRAFT');
    expect((await browser.send('GET', '/api/session')).body.data).toMatchObject({
      user: { email: 'olga@example.com', name: 'Olga Owner' },
    });
    expect(browser.cookies.has('tidings-oidc')).toBe(false);
    identify('olga', { email: 'else@example.com', email_verified: false });
    const later = new Browser(gateway.url);
    expect(await walk(later)).toBe('/');
    expect((await later.send('GET', '/api/session')).body.data).toMatchObject({ user: { email: 'olga@example.com' } });
    expect((await audit()).filter(({ tool, target }) => tool === 'sign_in' && target === provider.issuer)).toHaveLength(
      2,
    );
  });

  it('makes a member of an invited address', async () => {
    await invite('mia@example.com', 'editor');
    identify('mia', { email: 'mia@example.com', email_verified: true, name: 'Mia' });
    const browser = new Browser(gateway.url);
    expect(await walk(browser)).toBe('/');
    expect((await browser.send('GET', '/api/session')).body.data).toMatchObject({
      user: { email: 'mia@example.com', name: 'Mia' },
      organizations: [{ name: 'Bakery', role: 'editor' }],
    });
    expect(await owner.data('list_invitations')).toMatchObject({ invitations: [] });
    expect((await new Browser(gateway.url).signIn('mia@example.com', password)).body.reason).toBe('SIGN_IN_REFUSED');
  });

  it('refuses strangers, addresses that are not verified, and users who refuse', async () => {
    const browser = new Browser(gateway.url);
    identify('eve', { email: 'eve@example.com', email_verified: true });
    expect(await walk(browser)).toBe('/sign-in?problem=OIDC_USER_UNKNOWN');
    identify('mallory', { email: 'olga@example.com', email_verified: false });
    expect(await walk(browser)).toBe('/sign-in?problem=OIDC_ADDRESS_UNVERIFIED');
    provider.subject = null;
    expect(await walk(browser)).toBe('/sign-in?problem=OIDC_REFUSED');
    expect(browser.cookies.has('tidings')).toBe(false);
  });

  it('refuses the answer of a sign-in that another browser began, and a second use', async () => {
    identify('olga', { email: 'olga@example.com', email_verified: true });
    const browser = new Browser(gateway.url);
    const callback = await browser.follow('/api/session/oidc', (path) => path.startsWith('/api/session/oidc/callback'));
    expect(await new Browser(gateway.url).follow(callback)).toBe('/sign-in?problem=OIDC_ATTEMPT_OVER');
    const other = new Browser(gateway.url);
    await other.follow('/api/session/oidc', (path) => path.startsWith('/api/session/oidc/callback'));
    expect(await other.follow(callback)).toBe('/sign-in?problem=OIDC_REFUSED');
    const sealed = browser.cookies.get('tidings-oidc')!;
    expect(await browser.follow(callback)).toBe('/');
    browser.cookies.set('tidings-oidc', sealed);
    expect(await browser.follow(callback)).toBe('/sign-in?problem=OIDC_REFUSED');
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'leads to the start instead of %s',
    async (next) => {
      identify('olga', { email: 'olga@example.com', email_verified: true });
      expect(await walk(new Browser(gateway.url), `?next=${encodeURIComponent(next)}`)).toBe('/');
    },
  );

  it('makes a session recent for the same user only', async () => {
    identify('mia', { email: 'mia@example.com', email_verified: true });
    const browser = new Browser(gateway.url);
    await walk(browser);
    const before = (await browser.send('GET', '/api/session')).body.data as { session: { id: string } };
    await surface.harness
      .dataSource('domain')
      .query(`update session set signed_in_at = clock_timestamp() - interval '1 hour'`);
    surface.harness.bus.broadcast('session.changed', { sessionIds: [before.session.id] });
    expect(await walk(browser, '?again&next=/signed-in')).toBe('/signed-in');
    const after = (await browser.send('GET', '/api/session')).body.data as {
      session: { id: string; signedInAt: string };
    };
    expect(after.session.id).toBe(before.session.id);
    expect(Date.now() - Date.parse(after.session.signedInAt)).toBeLessThan(600_000);
    identify('olga', { email: 'olga@example.com', email_verified: true });
    expect(await walk(browser, '?again')).toBe('/sign-in?problem=OIDC_OTHER_USER');
    expect(await walk(new Browser(gateway.url), '?again')).toBe('/sign-in?problem=SESSION_ENDED');
    identify('mia', { email: 'mia@example.com', email_verified: true });
    provider.provenSecondsAgo = 3_600;
    expect(await walk(browser, '?again')).toBe('/sign-in?problem=OIDC_REFUSED');
    provider.provenSecondsAgo = 0;
  });

  it('asks for the second factor of a user, unless the provider took several', async () => {
    await invite('tom@example.com', 'viewer');
    identify('tom', { email: 'tom@example.com', email_verified: true });
    const browser = new Browser(gateway.url);
    await walk(browser);
    await browser.send('GET', '/api/session');
    const begun = (await browser.send('POST', '/api/session/factors/totp', {})).body.data as { uri: string };
    const code = (URI.parse(begun.uri) as TOTP).generate();
    expect((await browser.send('POST', '/api/session/factors/totp/confirm', { code })).status).toBe(200);
    const later = new Browser(gateway.url);
    const page = new URL(await walk(later, '?next=/o/1'), gateway.url);
    expect([page.pathname, page.searchParams.get('next')]).toEqual(['/sign-in', '/o/1']);
    const asked = new URLSearchParams(page.hash.slice(1));
    expect(asked.get('factors')).toBe('TOTP RECOVERY_CODE');
    expect(later.cookies.has('tidings')).toBe(false);
    const wrong = { ticket: asked.get('ticket'), code };
    expect((await later.send('POST', '/api/session/factor', wrong)).body.reason).toBe('FACTOR_REFUSED');
    identify('tom', { email: 'tom@example.com', email_verified: true, amr: ['pwd', 'otp', 'mfa'] });
    expect(await walk(new Browser(gateway.url))).toBe('/');
  });

  it('is the only way where the operator says so', async () => {
    const only = await start(await freePort(), { OIDC_ONLY: 'true' });
    try {
      const browser = new Browser(only.url);
      for (const [path, body] of [
        ['', { email: 'olga@example.com', password }],
        ['/forgot', { email: 'olga@example.com' }],
        ['/reset', { token: 'x', password }],
        ['/invitation', { token: 'x', name: 'Eve', password }],
        ['/again', { password }],
        ['/password', { current: password, password }],
        ['/factor/passkey-options', {}],
      ] as const)
        expect((await browser.send('POST', `/api/session${path}`, body)).body.reason).toBe('PASSWORD_SIGN_IN_OFF');
      expect((await only.send('/api/session/options')).body.data).toMatchObject({ passwords: false });
    } finally {
      await only.stop();
    }
  });

  it('says that the provider does not answer, and goes on once it does', async () => {
    const port = await freePort();
    const elsewhere = await start(await freePort(), { OIDC_ISSUER: `http://127.0.0.1:${port}` });
    try {
      expect(await walk(new Browser(elsewhere.url))).toBe('/sign-in?problem=OIDC_UNAVAILABLE');
    } finally {
      await elsewhere.stop();
    }
  });
});
