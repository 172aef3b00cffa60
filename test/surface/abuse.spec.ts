import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { serviceCaller } from '#bus';
import { sessionRequests } from '#contracts';
import { until } from '#testing';
import { TestGateway } from '../../apps/gateway/test/fake-services.js';
import { testMasterKey } from '../harness/service-plans.js';
import { useFixture } from '../harness/use-fixture.js';
import { Browser } from './browser.js';
import { ApiFixture } from './surface.js';

const password = 'correct horse battery staple';
const guess = 'x'.repeat(43);
/** More failures than an address may have in ten minutes. */
const tries = 34;

describe('abuse of sessions and links', () => {
  const surface = useFixture(() => ApiFixture.start());
  /** A gateway behind a proxy, which reports from where a request comes. */
  const proxied = useFixture(() =>
    TestGateway.start(surface.namespace, { MASTER_KEY: testMasterKey(), TRUST_PROXY: 'true' }),
  );
  let owner: Browser;
  let setupToken: string;

  const from = (ip: string) => new Browser(proxied.url, { 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' });

  beforeAll(async () => {
    await surface.customer('Bakery');
    setupToken = (await surface.harness.client(sessionRequests).issue_setup_link({}, serviceCaller('', 'spec'))).token!;
    owner = new Browser(surface.url);
    const setUp = { token: setupToken, email: 'olga@example.com', name: 'Olga', password };
    expect(await owner.send('POST', '/api/session/setup', setUp)).toMatchObject({ status: 200 });
  });

  /** Invites an address while no mail can be sent. */
  const invite = async (email: string) => {
    const { invitation, link } = await surface.harness.bus.without('delivery', () =>
      owner.data<{ invitation: { id: string }; link: string }>('invite_member', { email, role: 'viewer' }),
    );
    return { id: invitation.id, token: link.split('#')[1]! };
  };
  const accept = (token: string, page = new Browser(surface.url)) =>
    page.send('POST', '/api/session/invitation', { token, name: 'Vera', password });
  /** Asks for a new password. @returns the secret of the link in the mail */
  const resetToken = async (email: string): Promise<string> => {
    const asked = jest.spyOn(surface.harness.bus, 'request');
    const page = new Browser(surface.url);
    expect((await page.send('POST', '/api/session/forgot', { email })).status).toBe(202);
    let text = '';
    await until('the mail is queued', () => {
      const mails = asked.mock.calls.filter(([, { name }]) => name === 'queue_system_message');
      text = (
        mails.map(([, , input]) => input as { email: string; text: string }).find((one) => one.email === email) ?? {
          text,
        }
      ).text;
      return text !== '';
    });
    asked.mockRestore();
    return /#(\S+)/.exec(text)![1]!;
  };
  const reset = (token: string, chosen: string, page = new Browser(surface.url)) =>
    page.send('POST', '/api/session/reset', { token, password: chosen });

  let address = 0;
  it.each([
    ['sign-in', (page: Browser, n: number) => page.signIn(`nobody${n}@example.com`, password), 'SIGN_IN_REFUSED'],
    ['reset', (page: Browser) => reset(guess, password, page), 'LINK_OVER'],
    [
      'setup',
      (page: Browser) =>
        page.send('POST', '/api/session/setup', { token: guess, email: 'eve@example.com', name: 'Eve', password }),
      'LINK_OVER',
    ],
    ['invitation', (page: Browser) => page.send('POST', '/api/session/invitation', { token: guess }), 'LINK_OVER'],
    ['acceptance of an invitation', (page: Browser) => accept(guess, page), 'LINK_OVER'],
  ])('by guesses at the %s is slowed for its address, and for no other', async (_what, attempt, refusal) => {
    const attacker = `203.0.113.${(address += 1)}`;
    const answers: { status: number; reason: unknown }[] = [];
    for (let n = 0; n < tries; n++) {
      const { status, body } = await attempt(from(attacker), n);
      answers.push({ status, reason: body.reason });
    }
    expect(answers[0]).toMatchObject({ reason: refusal });
    expect(answers.at(-1)).toEqual({ status: 429, reason: 'SIGN_IN_SLOWED' });
    const { token } = await invite(`guest${address}@example.com`);
    // The right secret does not help from there; elsewhere it works.
    expect((await accept(token, from(attacker))).body.reason).toBe('SIGN_IN_SLOWED');
    expect((await accept(token, from(`198.51.100.${address}`))).status).toBe(200);
  });

  it('by a session that was fixed before sign-in gains nothing: the value is new at every sign-in', async () => {
    const page = new Browser(surface.url);
    page.cookies.set('tidings', guess);
    expect((await page.signIn('olga@example.com', password)).status).toBe(200);
    const first = page.cookies.get('tidings')!;
    expect(first).not.toBe(guess);
    const planted = new Browser(surface.url);
    planted.cookies.set('tidings', guess);
    expect(await planted.send('GET', '/api/session')).toMatchObject({ status: 401 });
    // The session of an attacker, planted in the browser of a victim, stays the attacker’s.
    const { token } = await invite('mallory@example.com');
    const attacker = new Browser(surface.url);
    await accept(token, attacker);
    const victim = new Browser(surface.url);
    victim.cookies.set('tidings', attacker.cookies.get('tidings')!);
    await victim.signIn('olga@example.com', password);
    expect(victim.cookies.get('tidings')).not.toBe(attacker.cookies.get('tidings'));
    expect((await attacker.send('GET', '/api/session')).body.data).toMatchObject({
      user: { email: 'mallory@example.com' },
    });
    await page.signIn('olga@example.com', password);
    expect(page.cookies.get('tidings')).not.toBe(first);
  });

  it('by a revoked invitation gains nothing', async () => {
    const { id, token } = await invite('revoked@example.com');
    const page = new Browser(surface.url);
    expect((await page.send('POST', '/api/session/invitation', { token })).status).toBe(200);
    await owner.data('revoke_invitation', { invitationId: id });
    expect((await page.send('POST', '/api/session/invitation', { token })).body.reason).toBe('LINK_OVER');
    expect((await accept(token, page)).body.reason).toBe('LINK_OVER');
    expect((await page.signIn('revoked@example.com', password)).body.reason).toBe('SIGN_IN_REFUSED');
  });

  it('by a one-use link that is replayed gains nothing: setup, invitation, new password', async () => {
    const again = { token: setupToken, email: 'eve@example.com', name: 'Eve', password };
    expect((await new Browser(surface.url).send('POST', '/api/session/setup', again)).body.reason).toBe('LINK_OVER');
    const { token } = await invite('vera@example.com');
    expect((await accept(token)).status).toBe(200);
    expect((await accept(token)).body.reason).toBe('LINK_OVER');
    const link = await resetToken('vera@example.com');
    expect((await reset(link, 'a different horse altogether')).status).toBe(200);
    expect((await reset(link, 'the horse of an attacker')).body.reason).toBe('LINK_OVER');
    const page = new Browser(surface.url);
    expect((await page.signIn('vera@example.com', 'the horse of an attacker')).body.reason).toBe('SIGN_IN_REFUSED');
    expect((await page.signIn('vera@example.com', 'a different horse altogether')).status).toBe(200);
  });

  it('by one invitation, accepted many times at the same moment, gains one account', async () => {
    const { token } = await invite('race@example.com');
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const { members } = await owner.data<{ members: { email: string }[] }>('list_members');
    expect(members.filter(({ email }) => email === 'race@example.com')).toHaveLength(1);
  });
});
