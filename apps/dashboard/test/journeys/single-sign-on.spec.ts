import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SmtpSink } from '#testing';
import { IdentityProvider } from '../../../../test/harness/identity-provider.js';
import { describeInBrowser, ownerPerson } from '../harness.js';
import type { Visit } from '../harness.js';
import { invite } from '../owner-calls.js';

const pictures = '.artefacts/single-sign-on';

let provider: IdentityProvider;
let sink: SmtpSink;

/** A port that is free now: the provider must know the address before the gateway has it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const environment = async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  provider = await IdentityProvider.start(`${url}/api/session/oidc/callback`);
  sink = await SmtpSink.start({ behave: () => ({ do: 'accept' }) });
  return {
    SMTP_URL: sink.url,
    PORT: String(port),
    PUBLIC_URL: url,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.client.id,
    OIDC_CLIENT_SECRET: provider.client.secret,
  };
};

/** Ends a visit; requests to the provider are what this is about. */
async function close(visit: Visit): Promise<void> {
  const others = visit.problems.filter((one) => !one.startsWith(`request elsewhere: ${provider.issuer}/`));
  visit.problems.splice(0, Infinity, ...others);
  await visit.close();
}

describeInBrowser({ name: 'single sign-on', environment }, (fixture) => {
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    await fixture().setUp();
    provider.identities.set('ada', { email: ownerPerson.email, email_verified: true, name: ownerPerson.name });
    provider.subject = 'ada';
  });

  afterAll(() => Promise.all([provider.stop(), sink.stop()]));

  const look = async ({ page }: Visit, name: string) => page.screenshot({ path: `${pictures}/${name}.png` });

  it.each(['desktop', 'phone'] as const)(
    'signs in at the provider and leads to the page that was asked for, %s',
    async (view) => {
      const visit = await fixture().visit({ view, scheme: view === 'phone' ? 'dark' : 'light' });
      await visit.open('/1/subscribers?status=SUBSCRIBED');
      await visit.link('Continue with single sign-on').waitFor();
      await look(visit, `sign-in-${view}`);
      expect(await visit.axe()).toEqual([]);
      await visit.click(visit.link('Continue with single sign-on'));
      await visit.heading('Subscribers').waitFor();
      expect(visit.page.url()).toContain('/1/subscribers?status=SUBSCRIBED');
      await close(visit);
    },
  );

  it('says in words why a sign-in failed', async () => {
    provider.identities.set('eve', { email: 'eve@example.org', email_verified: true });
    provider.subject = 'eve';
    const visit = await fixture().visit();
    await visit.open('/sign-in');
    await visit.click(visit.link('Continue with single sign-on'));
    await visit.page.getByText('No account here has your address').waitFor();
    await look(visit, 'unknown');
    expect(await visit.axe()).toEqual([]);
    await visit.open('/sign-in?problem=%3Cb%3E');
    await visit.page.getByText('The sign-in did not work. Try again.').waitFor();
    provider.subject = 'ada';
    await close(visit);
  });

  it('proves a recent sign-in in another tab, and goes on with what was typed', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/settings/tokens');
    // As if the sign-in were an hour old.
    await visit.page.route(
      '**/api/v2/tools/create_api_token',
      async (route) =>
        await route.fulfill({
          status: 403,
          json: { error: 'Sign in again.', code: 'FORBIDDEN', reason: 'REAUTHENTICATION_REQUIRED' },
        }),
      { times: 1 },
    );
    await visit.click(visit.button('New token').first());
    await visit.type(visit.field('Name'), 'Shop');
    await visit.click(visit.button('Create token'));
    const link = visit.link('Continue with single sign-on');
    await link.waitFor();
    await look(visit, 'again');
    expect(await visit.axe()).toEqual([]);
    const [tab] = await Promise.all([visit.page.context().waitForEvent('page'), visit.click(link)]);
    await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await tab.screenshot({ path: `${pictures}/signed-in.png` });
    await link.waitFor({ state: 'detached' });
    await visit.page.getByText('Shop').first().waitFor();
    await close(visit);
  });

  const withoutPasswords = async ({ page }: Visit) =>
    await page.route('**/api/session/options', (route) =>
      route.fulfill({ json: { data: { oidc: { host: 'id.example.com' }, passwords: false } } }),
    );

  it('makes a member of one who is invited, where users have no passwords', async () => {
    const email = 'new@people.internal';
    provider.identities.set('new', { email, email_verified: true, name: 'Nora' });
    provider.subject = 'new';
    const visit = await fixture().visit();
    await withoutPasswords(visit);
    await visit.open(`/invitation#${await invite(fixture(), sink, email, 'editor')}`);
    await visit.link('Continue with single sign-on').waitFor();
    expect(await visit.field('Password').count()).toBe(0);
    await look(visit, 'invitation');
    await visit.click(visit.link('Continue with single sign-on'));
    await visit.heading('Hello Nora').waitFor();
    provider.subject = 'ada';
    await close(visit);
  });

  it('leads one who is known back to the invitation, with its token', async () => {
    const visit = await fixture().visit();
    await withoutPasswords(visit);
    const invitation = {
      email: ownerPerson.email,
      role: 'editor',
      organization: 'Second shop',
      invitedBy: 'Olga',
      isKnown: true,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const asked: object[] = [];
    await visit.page.route('**/api/session/invitation', async (route) => {
      asked.push(route.request().postDataJSON() as object);
      await route.fulfill({ json: { data: { invitation } } });
    });
    await visit.open('/invitation#token-of-the-link');
    await visit.click(visit.link('Continue with single sign-on'));
    await visit.button('Join').waitFor();
    expect(asked).toEqual([{ token: 'token-of-the-link' }, { token: 'token-of-the-link' }]);
    await close(visit);
  });
});
