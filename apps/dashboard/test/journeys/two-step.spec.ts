import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import type { CDPSession } from 'playwright-core';
import { SmtpSink, until } from '#testing';
import { describeInBrowser, ownerPerson } from '../harness.js';
import type { Account, Visit } from '../harness.js';
import { joinAs } from '../owner-calls.js';

const pictures = '.artefacts/two-step';
const periodMs = 30_000;
/** A passkey belongs to a name, which an address is not. */
const host = 'localhost';

let sink: SmtpSink;
const environment = async () => {
  sink = await SmtpSink.start({ behave: () => ({ do: 'accept' }) });
  return { SMTP_URL: sink.url };
};

const codeOf = (secret: string, steps = 0): string =>
  TOTP.generate({
    secret: Secret.fromBase32(secret.replaceAll(' ', '')),
    algorithm: 'SHA1',
    digits: 6,
    period: 30,
    timestamp: Date.now() + steps * periodMs,
  });

/** Gives the browser an authenticator that verifies its user by itself (Chrome DevTools Protocol, WebAuthn). */
async function plugIn({ page }: Visit): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return session;
}

describeInBrowser({ name: 'two-step sign-in', environment }, (fixture) => {
  const members: Record<string, Account> = {};

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    await fixture().setUp();
    // Before the owner has a second factor, which the harness does not know.
    for (const role of ['editor', 'viewer', 'approver']) members[role] = await joinAs(fixture(), sink, role);
  });

  afterAll(() => sink.stop());

  const look = async ({ page }: Visit, name: string) => page.screenshot({ path: `${pictures}/${name}.png` });

  async function signIn(visit: Visit, { email, password }: Account = ownerPerson) {
    await visit.open('/sign-in');
    await visit.type(visit.field('Email'), email);
    await visit.type(visit.field('Password'), password);
    await visit.click(visit.button('Sign in'));
  }

  let codes: string[] = [];

  it('registers a passkey, signs out, and signs in by it alone', async () => {
    const visit = await fixture().signedIn({ host });
    const { page } = visit;
    await plugIn(visit);
    await visit.open('/account/security');
    await visit.settled();
    await look(visit, 'none');
    await visit.click(visit.button('Add a passkey'));
    await visit.type(page.getByRole('dialog').getByLabel('Name'), 'My laptop');
    await look(visit, 'name');
    await visit.press('Enter');
    await visit.heading('Your recovery codes').waitFor();
    codes = await page.getByRole('dialog').getByRole('listitem').allTextContents();
    expect(codes).toHaveLength(10);
    await look(visit, 'codes');
    expect(await visit.axe()).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent('download'), visit.click(visit.button('Download'))]);
    expect(download.suggestedFilename()).toBe('tidings-recovery-codes-ada@example.org.txt');
    await visit.press('Escape');
    await page.getByText('They cannot be shown again.').waitFor();
    await visit.click(visit.button('Close anyway'));
    await page.getByText('My laptop', { exact: true }).waitFor();
    await look(visit, 'one');
    await page.request.delete('/api/session', {
      headers: {
        'sec-fetch-site': 'same-origin',
        'tidings-csrf': ((await (await page.request.get('/api/session')).json()) as { data: { csrf: string } }).data
          .csrf,
      },
    });
    await visit.open('/sign-in');
    await visit.button('Use a passkey').waitFor();
    await look(visit, 'sign-in');
    expect(await visit.axe()).toEqual([]);
    await visit.click(visit.button('Use a passkey'));
    await page.waitForURL('**/1');
    await signIn(visit);
    await visit.heading('Second step').waitFor();
    await visit.click(visit.button('Use a recovery code'));
    await visit.type(visit.field('Recovery code'), codes[0]!);
    await visit.click(visit.button('Go on'));
    await page.waitForURL('**/1');
    await visit.open('/account/security');
    await page.getByText('9 of 10 recovery codes are left.').waitFor();
    await visit.close();
  });

  it('sets up an authenticator app, and asks for its code, for a replayed one never', async () => {
    const member = members.editor!;
    const visit = await fixture().signedIn({ person: member, view: 'phone', scheme: 'dark' });
    const { page } = visit;
    await visit.open('/account/security');
    await visit.click(visit.button('Set up an authenticator app'));
    const dialog = page.getByRole('dialog');
    await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    const secret = (await dialog.locator('pre').textContent())!;
    await look(visit, 'totp-dark-phone');
    expect(await visit.axe()).toEqual([]);
    expect(await visit.scrollsSideways()).toBe(false);
    await visit.type(dialog.getByLabel('Code that the app shows'), codeOf(secret) === '000000' ? '000001' : '000000');
    await visit.press('Enter');
    await dialog.getByRole('alert').waitFor();
    const code = codeOf(secret);
    await visit.type(dialog.getByLabel('Code that the app shows'), code);
    await visit.press('Enter');
    await visit.heading('Your recovery codes').waitFor();
    await look(visit, 'codes-dark-phone');
    expect(await visit.scrollsSideways()).toBe(false);
    await visit.click(visit.button('I have kept them'));
    const other = await fixture().visit({ view: 'phone' });
    await signIn(other, member);
    const field = other.field('Code');
    await field.waitFor();
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code');
    await look(other, 'step-phone');
    expect(await other.axe()).toEqual([]);
    await other.type(field, code);
    await other.press('Enter');
    await other.page.getByRole('alert').waitFor();
    await other.type(field, codeOf(secret, 1));
    await other.press('Enter');
    await other.page.waitForURL('**/1');
    await other.close();
    await visit.close();
  });

  it('asks for the second step where a sign-in must be recent, and goes on', async () => {
    const visit = await fixture().signedIn({ host, person: members.viewer! });
    const { page } = visit;
    await plugIn(visit);
    await visit.open('/account/security');
    await visit.click(visit.button('Add a passkey'));
    await visit.click(visit.button('Save'));
    await visit.click(visit.button('I have kept them'));
    // Later: the server says so once.
    let refusals = 1;
    await page.route('**/api/session/factors/recovery-codes', async (route) => {
      if (refusals-- > 0)
        await route.fulfill({
          status: 403,
          json: { error: 'Enter the password again.', code: 'FORBIDDEN', reason: 'REAUTHENTICATION_REQUIRED' },
        });
      else await route.continue();
    });
    await visit.click(visit.button('New codes'));
    await visit.heading('Enter your password again').waitFor();
    await look(visit, 'again');
    await visit.type(page.getByRole('dialog').getByLabel('Password'), 'correct horse battery');
    await visit.press('Enter');
    await visit.heading('Second step').waitFor();
    await look(visit, 'again-second');
    expect(await visit.axe()).toEqual([]);
    await visit.click(page.getByRole('dialog').getByRole('button', { name: 'Use a passkey' }));
    await visit.heading('Your recovery codes').waitFor();
    await visit.close();
  });

  it('leads members without a second factor to its set-up where the organization requires one', async () => {
    const member = members.approver!;
    const visit = await fixture().signedIn({ host, person: member });
    await plugIn(visit);
    await visit.open('/1/tags');
    await visit.settled();
    const owner = await fixture().visit({ host });
    await signIn(owner);
    await owner.click(owner.button('Use a recovery code'));
    await owner.type(owner.field('Recovery code'), codes[1]!);
    await owner.press('Enter');
    await owner.page.waitForURL('**/1');
    await owner.open('/1/settings/organization');
    const duty = owner.page.getByLabel(/^Require two-step sign-in/);
    await owner.click(duty);
    await owner.click(owner.button('Save'));
    await owner.page.getByRole('region', { name: 'Notices' }).getByText('Saved.').waitFor();
    await duty.scrollIntoViewIfNeeded();
    await look(owner, 'duty');
    await visit.open('/1/tags');
    await visit.page.waitForURL('**/account/security');
    await visit.page.getByText('requires two-step sign-in. Set it up here to go on.').waitFor();
    await look(visit, 'duty-member');
    expect(await visit.axe()).toEqual([]);
    await visit.click(visit.button('Add a passkey'));
    await visit.click(visit.button('Save'));
    await visit.click(visit.button('I have kept them'));
    await visit.page.getByText('requires two-step sign-in').waitFor({ state: 'detached' });
    await visit.open('/1/tags');
    await visit.page.getByRole('heading', { name: 'Tags', exact: true }).waitFor();
    await owner.open('/1/settings/members');
    await owner.settled();
    await look(owner, 'members');
    await owner.click(owner.button('Actions for The approver'));
    await owner.click(owner.button('Reset second factors'));
    await owner.page.getByRole('region', { name: 'Notices' }).getByText('The second factors of The approver').waitFor();
    await until('the session is over', async () => (await visit.page.request.get('/api/session')).status() === 401);
    await owner.close();
    await visit.close();
  });
});
