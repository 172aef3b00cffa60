import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceCaller } from '#bus';
import { sessionRequests } from '#contracts';
import type { Role } from '#contracts';
import { until } from '#testing';
import { Browser } from './browser.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';
import { useFixture } from '../harness/use-fixture.js';

/** Less than the 30 seconds for which a gateway keeps the facts of a session. */
const soon = 15_000;
const password = 'correct horse battery staple';

describe('people', () => {
  const surface = useFixture(() => ApiFixture.start());
  let tenant: ApiTenant;
  let owner: Browser;
  const people = () => surface.harness.client(sessionRequests);
  const browser = () => new Browser(surface.url);
  const query = (sql: string, parameters: unknown[] = []) =>
    surface.harness.dataSource('domain').query<Record<string, unknown>[]>(sql, parameters);

  beforeAll(async () => {
    tenant = await surface.customer('Bakery');
    const { token } = await people().issue_setup_link({}, serviceCaller('', 'spec'));
    owner = browser();
    const setUp = { token, email: 'Olga@example.com', name: 'Olga Owner', password };
    expect(await owner.send('POST', '/api/session/setup', setUp)).toMatchObject({
      status: 200,
      body: {
        data: {
          user: { email: 'Olga@example.com', operator: true },
          organizations: [{ name: 'Bakery', role: 'owner' }],
        },
      },
    });
  });

  /** Invites an address while no mail can be sent. @returns the secret of the link */
  async function invite(email: string, role: Role): Promise<string> {
    const invited = await surface.harness.bus.without('delivery', () =>
      owner.data<{ link?: string }>('invite_member', { email, role }),
    );
    return invited.link!.split('#')[1]!;
  }

  let count = 0;
  /** Invites an address in a role, and accepts the invitation. */
  async function join(role: Role): Promise<{ browser: Browser; email: string; id: string }> {
    const email = `${role}${(count += 1)}@example.com`;
    const token = await invite(email, role);
    const page = browser();
    expect((await page.send('POST', '/api/session/invitation', { token })).body.data).toMatchObject({
      invitation: { email, role, organization: 'Bakery', invitedBy: 'Olga Owner', isKnown: false },
    });
    const joined = await page.send('POST', '/api/session/invitation', { token, name: `The ${role}`, password });
    expect(joined.status).toBe(200);
    expect((await page.send('POST', '/api/session/invitation', { token })).body.reason).toBe('LINK_OVER');
    return { browser: page, email, id: (joined.body.data as { user: { id: string } }).user.id };
  }

  it('come by a setup link that works once, and only while there is no user', async () => {
    expect(await people().issue_setup_link({}, serviceCaller('', 'spec'))).toEqual({ token: null });
    const again = { token: 'x'.repeat(43), email: 'eve@example.com', name: 'Eve', password };
    expect((await browser().send('POST', '/api/session/setup', again)).body.reason).toBe('LINK_OVER');
  });

  it('get invitations and password links by mail, which no statistics count', async () => {
    expect(await owner.data('invite_member', { email: 'mailed@example.com', role: 'viewer' })).not.toHaveProperty(
      'link',
    );
    expect((await browser().send('POST', '/api/session/forgot', { email: 'olga@example.com' })).status).toBe(202);
    expect((await browser().send('POST', '/api/session/forgot', { email: 'unknown@example.com' })).status).toBe(202);
    const mails = () =>
      surface.harness
        .dataSource('delivery')
        .query<{ email: string; subject: string; kind: string }[]>(`select email, subject, kind from message`);
    await until('both mails are there', async () => (await mails()).length === 2);
    expect((await mails()).sort((a, b) => a.email.localeCompare(b.email))).toEqual([
      { email: 'mailed@example.com', subject: 'Invitation to Bakery on Tidings', kind: 'TEST' },
      { email: 'Olga@example.com', subject: 'Reset your Tidings password', kind: 'TEST' },
    ]);
  });

  it('see who they are, and act under their own rate limit', async () => {
    expect(await owner.data('get_me')).toMatchObject({
      actor: { kind: 'USER', name: 'Olga Owner', operator: true },
      organization: { name: 'Bakery' },
      role: 'owner',
      asks: false,
      rateLimit: 300,
      organizations: [{ name: 'Bakery', role: 'owner' }],
    });
    expect((await tenant.client.call('get_me', {})).body.data).toMatchObject({
      actor: { kind: 'TOKEN', name: 'spec' },
      role: null,
    });
  });

  it('sign in by address without case, and get one answer for a wrong password and an unknown address', async () => {
    const page = browser();
    const wrong = await page.signIn('olga@EXAMPLE.com', 'wrong horse battery staple');
    expect(wrong).toMatchObject({ status: 401, body: { reason: 'SIGN_IN_REFUSED' } });
    const unknown = await page.signIn('unknown@example.com', password);
    expect(unknown.body.error).toBe(wrong.body.error);
    expect(page.cookies.has('tidings')).toBe(false);
    expect((await page.signIn('olga@EXAMPLE.com', password)).status).toBe(200);
    expect(await page.data('list_tags')).toBeDefined();
  });

  it.each([
    ['short', 'eleven long', /has 11 characters/],
    ['common', 'Password1234', /most common/],
    ['the local part', 'newcomer-7 and more', /contains "newcomer"/],
    ['the organization', 'my bakery password', /contains "bakery"/],
    ['the product', 'tidings for all of us', /contains "tidings"/],
  ])('choose no password that is easy to guess: %s', async (_what, weak, problem) => {
    const token = await invite('newcomer@example.com', 'viewer');
    const accept = { token, name: 'New', password: weak };
    expect(await browser().send('POST', '/api/session/invitation', accept)).toMatchObject({
      status: 400,
      body: { reason: 'PASSWORD_REFUSED', error: expect.stringMatching(problem) },
    });
  });

  it('need a page of this server for everything that changes something', async () => {
    const page = browser();
    await page.signIn('olga@example.com', password);
    const refused = async (headers: Record<string, string>) =>
      (await page.call('create_tag', { name: 'forged' }, headers)).body.reason;
    expect(await refused({ 'tidings-csrf': '' })).toBe('CSRF_REFUSED');
    expect(await refused({ 'tidings-csrf': page.csrf.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')) })).toBe(
      'CSRF_REFUSED',
    );
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await refused({ 'sec-fetch-site': site })).toBe('CSRF_REFUSED');
    const forged = await fetch(`${surface.url}/api/v2/tools/create_tag`, {
      method: 'POST',
      headers: {
        cookie: `tidings=${page.cookies.get('tidings')}`,
        origin: 'https://evil.example',
        'tidings-csrf': page.csrf,
        'content-type': 'application/json',
      },
      body: '{"name":"forged"}',
    });
    expect(forged.status).toBe(403);
    const equal = await fetch(`${surface.url}/api/v2/tools/list_tags`, {
      method: 'POST',
      headers: {
        cookie: `tidings=${page.cookies.get('tidings')}`,
        origin: new URL(surface.url).origin,
        'tidings-csrf': page.csrf,
        'content-type': 'application/json',
      },
      body: '{}',
    });
    expect(equal.status).toBe(200);
    const signInFromElsewhere = await page.send(
      'POST',
      '/api/session',
      { email: 'a@b.example', password },
      { 'sec-fetch-site': 'cross-site' },
    );
    expect(signInFromElsewhere.body.reason).toBe('CSRF_REFUSED');
  });

  it('have sessions that count for no other door, and not beside an Authorization header', async () => {
    expect((await owner.send('GET', '/api/v1/tags')).body).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await owner.send('POST', '/api/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(401);
    expect((await owner.call('list_tags', {}, { authorization: 'Bearer nonsense' })).body.reason).toBe('TOKEN_REFUSED');
  });

  it('sign in over plain HTTP on this machine only', async () => {
    const { request } = await import('node:http');
    const { port } = new URL(surface.url);
    const body = JSON.stringify({ email: 'olga@example.com', password });
    const reply = await new Promise<string>((resolve, reject) => {
      const sent = request(
        {
          port,
          method: 'POST',
          path: '/api/session',
          headers: { host: 'mail.example.com', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text));
        },
      );
      sent.on('error', reject).end(body);
    });
    expect(JSON.parse(reply)).toMatchObject({ code: 'FORBIDDEN', reason: 'CONNECTION_INSECURE' });
  });

  it('name the organization where they are in several, and reach no other', async () => {
    const other = await surface.customer('Other');
    expect((await owner.call('list_tags', {}, { 'tidings-organization': other.organizationId })).body.reason).toBe(
      'ORGANIZATION_NOT_FOUND',
    );
    const { id } = (await owner.data<{ actor: { id: string } }>('get_me')).actor;
    await query(
      `insert into membership select organization_id, (select user_id from user_account where email_key = 'olga@example.com'), 'viewer', now()
       from organization where name = 'Other'`,
    );
    surface.harness.bus.broadcast('member.changed', { userId: id });
    const page = browser();
    await page.signIn('olga@example.com', password);
    expect((await page.call('list_tags')).body).toMatchObject({
      reason: 'ORGANIZATION_REQUIRED',
      error: expect.stringContaining('2'),
    });
    expect(
      (await page.call('create_tag', { name: 'x' }, { 'tidings-organization': other.organizationId })).body.reason,
    ).toBe('ROLE_TOO_LOW');
    expect((await page.call('create_tag', { name: 'mine' }, { 'tidings-organization': '1' })).status).toBe(200);
    await query(
      `delete from membership where organization_id = (select organization_id from organization where name = 'Other')`,
    );
  });

  it('lose and gain rights within a second when their role changes', async () => {
    const editor = await join('editor');
    expect((await editor.browser.call('create_tag', { name: 'by the editor' })).status).toBe(200);
    await owner.data('update_member_role', { userId: editor.id, role: 'viewer' });
    await until(
      'the role counts',
      async () => (await editor.browser.call('create_tag', { name: 'late' })).body.reason === 'ROLE_TOO_LOW',
      1_000,
    );
    expect(await editor.browser.data('get_me')).toMatchObject({ role: 'viewer', scopes: ['read'] });
    await owner.call('remove_member', { userId: editor.id });
    const { body } = await owner.call('remove_member', { userId: editor.id });
    await owner.data('remove_member', { userId: editor.id, confirmationCode: body.confirmationCode as number });
    await until(
      'the membership is over',
      async () => (await editor.browser.call('list_tags')).body.reason === 'ORGANIZATION_REQUIRED',
      1_000,
    );
  });

  it('keep one owner, whom only owners change', async () => {
    const admin = await join('admin');
    const me = (await owner.data<{ actor: { id: string } }>('get_me')).actor.id;
    expect((await admin.browser.call('update_member_role', { userId: me, role: 'viewer' })).body.reason).toBe(
      'ROLE_TOO_HIGH',
    );
    expect((await admin.browser.call('invite_member', { email: 'boss@example.com', role: 'owner' })).body.reason).toBe(
      'ROLE_TOO_HIGH',
    );
    expect((await owner.call('update_member_role', { userId: me, role: 'admin' })).body.reason).toBe('LAST_OWNER');
    expect((await owner.call('remove_member', { userId: me })).body.reason).toBe('LAST_OWNER');
    expect((await owner.call('update_member_role', { userId: 'usr_none', role: 'admin' })).body.reason).toBe(
      'MEMBER_NOT_FOUND',
    );
  });

  it('approve what they saw: a campaign that was edited since is shown again, and not sent', async () => {
    const editor = (await join('editor')).browser;
    const content = '# Hello [unsubscribe]({{unsubscribeUrl}})';
    const made = { subject: 'Shown', content, contentType: 'MARKDOWN' };
    const { campaignId } = await editor.data<{ campaignId: string }>('create_campaign', made);
    const date = '2037-05-01';
    const { approvalId } = (await editor.call('schedule_campaign', { campaignId, date })).body as {
      approvalId: string;
    };
    const read = async () =>
      (await owner.data<{ approval: { contentHash: string; state: string } }>('get_approval', { approvalId })).approval;
    const { contentHash: seen } = await read();
    await editor.data('edit_campaign', { id: campaignId, subject: 'Not shown' });
    const decide = (hash: string) => owner.call('decide_approval', { approvalId, approved: true, seen: hash });
    expect((await decide(seen)).body.reason).toBe('APPROVAL_CHANGED');
    expect(await read()).toMatchObject({ state: 'PENDING' });
    expect((await decide((await read()).contentHash)).body.data).toMatchObject({ approval: { state: 'EXECUTED' } });
  });

  it('must sign in again for what gives power away, when their sign-in is older than ten minutes', async () => {
    const page = browser();
    await page.signIn('olga@example.com', password);
    const former = page.cookies.get('tidings');
    await query(`update session set signed_in_at = now() - interval '11 minutes'`);
    surface.harness.bus.broadcast('member.changed', {
      userId: (await page.data<{ actor: { id: string } }>('get_me')).actor.id,
    });
    const invite = () => page.call('invite_member', { email: 'late@example.com', role: 'admin' });
    expect((await invite()).body.reason).toBe('REAUTHENTICATION_REQUIRED');
    expect((await page.call('invite_member', { email: 'late@example.com', role: 'viewer' })).status).toBe(200);
    // A new session would be recent.
    const accepted = await page.send('POST', '/api/session/invitation', { token: 'x'.repeat(43), accept: true });
    expect(accepted.body.reason).toBe('REAUTHENTICATION_REQUIRED');
    expect(
      (await page.send('POST', '/api/session/again', { password: 'wrong horse battery staple' })).body.reason,
    ).toBe('SIGN_IN_REFUSED');
    expect((await page.send('POST', '/api/session/again', { password })).status).toBe(200);
    expect(page.cookies.get('tidings')).not.toBe(former);
    expect((await invite()).status).toBe(200);
  });

  it('end sessions one by one, all others, and their own, within a second', async () => {
    const { browser: one, email } = await join('viewer');
    const [two, three] = [browser(), browser()];
    for (const page of [two, three]) await page.signIn(email, password);
    const listed = (await one.send('GET', '/api/session/others')).body.data as {
      sessions: { id: string; current: boolean }[];
    };
    expect(listed.sessions).toHaveLength(3);
    const { session } = (await two.send('GET', '/api/session')).body.data as { session: { id: string } };
    expect((await one.send('DELETE', '/api/session/others', { id: session.id })).body.data).toEqual({ ended: 1 });
    const ended = (page: Browser) =>
      until('the session is over', async () => (await page.call('list_tags')).body.reason === 'SESSION_ENDED', soon);
    await ended(two);
    expect((await one.send('DELETE', '/api/session/others', {})).body.data).toEqual({ ended: 1 });
    await ended(three);
    const replayed = browser();
    replayed.cookies.set('tidings', one.cookies.get('tidings')!);
    replayed.csrf = one.csrf;
    expect((await one.send('DELETE', '/api/session', {})).status).toBe(200);
    expect(one.cookies.has('tidings')).toBe(false);
    await ended(replayed);
  });

  it('change their password, which ends their other sessions', async () => {
    const { browser: one, email } = await join('viewer');
    const two = browser();
    await two.signIn(email, password);
    const change = { current: password, password: 'a different horse altogether' };
    expect(
      (await one.send('POST', '/api/session/password', { ...change, current: 'not the right one' })).body.reason,
    ).toBe('SIGN_IN_REFUSED');
    expect((await one.send('POST', '/api/session/password', change)).status).toBe(200);
    await until(
      'the other session is over',
      async () => (await two.call('list_tags')).body.reason === 'SESSION_ENDED',
      1_000,
    );
    expect((await one.call('list_tags')).status).toBe(200);
    expect((await two.signIn(email, password)).body.reason).toBe('SIGN_IN_REFUSED');
    expect((await two.signIn(email, change.password)).status).toBe(200);
  });

  it('stay out by many wrong passwords from many addresses, while a known browser of the owner signs in', async () => {
    const known = browser();
    await known.signIn('olga@example.com', password);
    const device = { ip: '203.0.113.1', browser: null, device: null };
    const attempt = (ip: string) =>
      people()
        .sign_in(
          { email: 'olga@example.com', password: 'guess number one', client: { ...device, ip } },
          serviceCaller('', 'spec'),
        )
        .then(
          () => 'in',
          (error: { failure: { reason: string } }) => error.failure.reason,
        );
    const answers: string[] = [];
    for (let n = 0; n < 40; n++) answers.push(await attempt(`203.0.113.${n}`));
    expect(answers.slice(0, 10)).toEqual(Array(10).fill('SIGN_IN_REFUSED'));
    expect(answers.slice(12).filter((answer) => answer === 'SIGN_IN_SLOWED').length).toBeGreaterThan(20);
    expect((await browser().signIn('olga@example.com', password)).body.reason).toBe('SIGN_IN_SLOWED');
    expect((await known.signIn('olga@example.com', password)).status).toBe(200);
    await query('delete from sign_in_count');
  });

  it('leave no secret in a table', async () => {
    const texts =
      await query(`select secret_hash as t from session union all select token_hash from invitation union all select token_hash from one_time_link
      union all select password_hash from user_account`);
    for (const { t } of texts) expect(t).toMatch(/^[0-9a-f]{64}$|^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});
