import { beforeAll, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { serviceCaller } from '#bus';
import { secondFactorRequests, sessionRequests } from '#contracts';
import type { Role } from '#contracts';
import { until } from '#testing';
import type { Json } from '../../apps/gateway/test/fake-services.js';
import { useFixture } from '../harness/use-fixture.js';
import { Browser } from './browser.js';
import type { PageReply } from './browser.js';
import { SoftAuthenticator } from './soft-authenticator.js';
import { ApiFixture } from './surface.js';

const password = 'correct horse battery staple';
const periodMs = 30_000;

interface User {
  browser: Browser;
  email: string;
  id: string;
}

interface Ticket {
  factors: string[];
  ticket: string;
}

describe('second factors', () => {
  const surface = useFixture(() => ApiFixture.start());
  let owner: User;
  const people = () => surface.harness.client(sessionRequests);
  /** Passkeys need a name as host; the fixture listens on an address. */
  const url = () => surface.url.replace('127.0.0.1', 'localhost');
  const browser = () => new Browser(url());
  const query = (sql: string, parameters: unknown[] = []) =>
    surface.harness.dataSource('domain').query<Record<string, unknown>[]>(sql, parameters);
  const reasonOf = ({ body }: PageReply) => body.reason;

  /** Sends what must succeed. @returns its data */
  async function done<D = Json>(page: Browser, method: string, path: string, body?: unknown): Promise<D> {
    const reply = await page.send(method, `/api/session${path}`, body);
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body.data as D;
  }

  beforeAll(async () => {
    await surface.customer('Bakery');
    const { token } = await people().issue_setup_link({}, serviceCaller('', 'spec'));
    const page = browser();
    const email = 'olga@example.com';
    const { user } = await done<{ user: { id: string } }>(page, 'POST', '/setup', {
      token,
      email,
      name: 'Olga Owner',
      password,
    });
    owner = { browser: page, email, id: user.id };
  });

  let count = 0;
  async function join(role: Role): Promise<User> {
    const email = `${role}${(count += 1)}@example.com`;
    const invited = await surface.harness.bus.without('delivery', () =>
      owner.browser.data<{ link: string }>('invite_member', { email, role }),
    );
    const page = browser();
    const accept = { token: invited.link.split('#')[1]!, name: `The ${role}`, password };
    const { user } = await done<{ user: { id: string } }>(page, 'POST', '/invitation', accept);
    return { browser: page, email, id: user.id };
  }

  const codeOf = (secret: string, steps = 0) =>
    TOTP.generate({
      secret: Secret.fromBase32(secret),
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
      timestamp: Date.now() + steps * periodMs,
    });

  /** Makes a step that was used count as long past, instead of waiting for the next. */
  const passTime = (user: User) =>
    query(
      `update second_factor set last_step = 0 where user_id = (select user_id from user_account where email = $1)`,
      [user.email],
    );

  /** Adds an authenticator app. */
  async function addTotp(user: User): Promise<{ secret: string; recoveryCodes: string[] }> {
    const { secret } = await done<{ secret: string }>(user.browser, 'POST', '/factors/totp', {});
    const { recoveryCodes = [] } = await done<{ recoveryCodes?: string[] }>(
      user.browser,
      'POST',
      '/factors/totp/confirm',
      { code: codeOf(secret) },
    );
    await passTime(user);
    return { secret, recoveryCodes };
  }

  async function addPasskey(user: User, name = 'Laptop'): Promise<SoftAuthenticator> {
    const key = new SoftAuthenticator(url());
    const { options } = await done<{ options: never }>(user.browser, 'POST', '/factors/passkey/options', {});
    await done(user.browser, 'POST', '/factors/passkey', { name, passkey: key.register(options) });
    return key;
  }

  async function firstStep(user: User, page = browser()): Promise<Ticket & { page: Browser }> {
    const data = (await page.signIn(user.email, password)).body.data as Ticket;
    return { ...data, page };
  }

  const prove = (page: Browser, given: object) => page.send('POST', '/api/session/factor', given);
  const age = (user: User) =>
    query(
      `update session set signed_in_at = signed_in_at - interval '11 minutes'
       where user_id = (select user_id from user_account where email = $1)`,
      [user.email],
    );
  /** Waits until gateways, which keep the facts of a session, have read its age again. */
  const forget = async (user: User) => {
    surface.harness.bus.broadcast('member.changed', { userId: user.id, organizationId: 'org_none' });
    await until('the sign-in is old', async () => {
      const { session } = await done<{ session: { signedInAt: string } }>(user.browser, 'GET', '');
      return Date.now() - Date.parse(session.signedInAt) > 600_000;
    });
  };

  it('are asked for after the password, and let in by a code that counts once', async () => {
    const user = await join('viewer');
    const { secret } = await addTotp(user);
    const { factors, ticket, page } = await firstStep(user);
    expect(factors).toEqual(['TOTP', 'RECOVERY_CODE']);
    expect(page.cookies.has('tidings')).toBe(false);
    expect(reasonOf(await page.call('list_tags'))).toBe('TOKEN_MISSING');
    const code = codeOf(secret);
    expect(reasonOf(await prove(page, { ticket, code: code === '000000' ? '000001' : '000000' }))).toBe(
      'FACTOR_REFUSED',
    );
    expect(await prove(page, { ticket, code })).toMatchObject({
      status: 200,
      body: { data: { user: { email: user.email } } },
    });
    expect((await page.call('list_tags')).status).toBe(200);
    expect(reasonOf(await prove(page, { ticket, code }))).toBe('TICKET_OVER');
    const second = await firstStep(user);
    expect(reasonOf(await prove(second.page, { ticket: second.ticket, code }))).toBe('FACTOR_REFUSED');
    expect((await prove(second.page, { ticket: second.ticket, code: codeOf(secret, 1) })).status).toBe(200);
  });

  it('let one of two simultaneous uses of a code in', async () => {
    const user = await join('viewer');
    const { secret } = await addTotp(user);
    const [one, two] = [await firstStep(user), await firstStep(user)];
    const code = codeOf(secret);
    const replies = await Promise.all([one, two].map(({ page, ticket }) => prove(page, { ticket, code })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('end a ticket after five minutes, and when the password changes', async () => {
    const user = await join('viewer');
    const { secret } = await addTotp(user);
    const { page, ticket } = await firstStep(user);
    await query(`update sign_in_ticket set expires_at = clock_timestamp() - interval '1 second'`);
    expect(reasonOf(await prove(page, { ticket, code: codeOf(secret) }))).toBe('TICKET_OVER');
    expect(reasonOf(await prove(page, { ticket: 'x'.repeat(43), code: codeOf(secret) }))).toBe('TICKET_OVER');
    const other = await firstStep(user);
    const change = { current: password, password: 'a different horse altogether' };
    expect((await user.browser.send('POST', '/api/session/password', change)).status).toBe(200);
    expect(reasonOf(await prove(other.page, { ticket: other.ticket, code: codeOf(secret) }))).toBe('TICKET_OVER');
  });

  it("do not fit another user's ticket", async () => {
    const [one, two] = [await join('viewer'), await join('viewer')];
    const first = await addTotp(one);
    const second = await addTotp(two);
    const key = await addPasskey(two);
    const { page, ticket } = await firstStep(one);
    expect(reasonOf(await prove(page, { ticket, code: codeOf(second.secret) }))).toBe('FACTOR_REFUSED');
    expect(reasonOf(await prove(page, { ticket, recoveryCode: second.recoveryCodes[0] }))).toBe('FACTOR_REFUSED');
    await addPasskey(one);
    const { options } = await done<{ options: never }>(page, 'POST', '/factor/passkey-options', { ticket });
    expect(reasonOf(await prove(page, { ticket, passkey: key.assert(options) }))).toBe('FACTOR_REFUSED');
    expect(reasonOf(await prove(page, { ticket }))).toBe('FACTOR_REFUSED');
    expect((await prove(page, { ticket, code: codeOf(first.secret) })).status).toBe(200);
  });

  it('come with ten recovery codes, each of which counts once and is reported by mail', async () => {
    const user = await join('viewer');
    const { recoveryCodes } = await addTotp(user);
    expect(recoveryCodes).toHaveLength(10);
    const one = await firstStep(user);
    const recoveryCode = recoveryCodes[3]!.toLowerCase().replaceAll('-', ' ');
    expect((await prove(one.page, { ticket: one.ticket, recoveryCode })).status).toBe(200);
    const two = await firstStep(user);
    expect(reasonOf(await prove(two.page, { ticket: two.ticket, recoveryCode }))).toBe('FACTOR_REFUSED');
    expect(await done(one.page, 'GET', '/factors')).toMatchObject({ recoveryCodes: { left: 9, total: 10 } });
    const renewed = await done<{ recoveryCodes: string[] }>(one.page, 'POST', '/factors/recovery-codes', {});
    const old = { ticket: two.ticket, recoveryCode: recoveryCodes[5]! };
    expect(reasonOf(await prove(two.page, old))).toBe('FACTOR_REFUSED');
    expect((await prove(two.page, { ticket: two.ticket, recoveryCode: renewed.recoveryCodes[0] })).status).toBe(200);
    const subjects = () =>
      surface.harness
        .dataSource('delivery')
        .query<{ subject: string }[]>(`select subject from message where email = $1`, [user.email]);
    await until('all notices are there', async () => (await subjects()).length >= 4);
    expect((await subjects()).map(({ subject }) => subject).sort()).toEqual([
      'A recovery code of your Tidings account was used',
      'A recovery code of your Tidings account was used',
      'A second factor was added to your Tidings account',
      'Your Tidings recovery codes were replaced',
    ]);
  });

  it('let a passkey in alone, and as second step, but only of this site and of a verified user', async () => {
    const user = await join('viewer');
    const key = await addPasskey(user);
    const page = browser();
    const begin = () => done<{ ticket: string; options: never }>(page, 'POST', '/factor/passkey-options', {});
    const { ticket, options } = await begin();
    for (const circumstances of [{ origin: 'https://evil.example' }, { isVerified: false }])
      expect(reasonOf(await prove(page, { ticket, passkey: key.assert(options, circumstances) }))).toBe(
        'FACTOR_REFUSED',
      );
    expect(reasonOf(await prove(page, { ticket, code: '123456' }))).toBe('FACTOR_REFUSED');
    const passkey = key.assert(options);
    expect(await prove(page, { ticket, passkey })).toMatchObject({
      status: 200,
      body: { data: { user: { email: user.email } } },
    });
    expect(reasonOf(await prove(page, { ticket, passkey }))).toBe('TICKET_OVER');
    const next = await begin();
    expect(reasonOf(await prove(page, { ticket: next.ticket, passkey }))).toBe('FACTOR_REFUSED');
    const unregistered = new SoftAuthenticator(url());
    unregistered.register({ ...(next.options as object), challenge: 'x', rp: { id: 'localhost' }, user: { id: '' } });
    expect(reasonOf(await prove(page, { ticket: next.ticket, passkey: unregistered.assert(next.options) }))).toBe(
      'FACTOR_REFUSED',
    );
    const step = await firstStep(user);
    expect(step.factors).toEqual(['PASSKEY', 'RECOVERY_CODE']);
    const asked = await done<{ options: never }>(step.page, 'POST', '/factor/passkey-options', { ticket: step.ticket });
    expect((await prove(step.page, { ticket: step.ticket, passkey: key.assert(asked.options) })).status).toBe(200);
    expect(reasonOf(await new Browser(surface.url).send('POST', '/api/session/factor/passkey-options', {}))).toBe(
      'PASSKEY_UNAVAILABLE',
    );
  });

  it('make a sign-in recent again, by password and code or by a passkey alone', async () => {
    const user = await join('viewer');
    const { secret } = await addTotp(user);
    const key = await addPasskey(user);
    await age(user);
    await forget(user);
    const change = () => user.browser.send('POST', '/api/session/factors/recovery-codes', {});
    expect(reasonOf(await change())).toBe('REAUTHENTICATION_REQUIRED');
    const own = { current: password, password: 'a different horse altogether' };
    expect(reasonOf(await user.browser.send('POST', '/api/session/password', own))).toBe('REAUTHENTICATION_REQUIRED');
    const again = await done<Ticket>(user.browser, 'POST', '/again', { password });
    expect(again.factors).toEqual(['TOTP', 'PASSKEY', 'RECOVERY_CODE']);
    expect(reasonOf(await change())).toBe('REAUTHENTICATION_REQUIRED');
    const { id } = (await done<{ session: { id: string } }>(user.browser, 'GET', '')).session;
    const proven = await prove(user.browser, { ticket: again.ticket, code: codeOf(secret) });
    expect(proven.body.data).toMatchObject({ session: { id } });
    expect((await change()).status).toBe(200);
    await age(user);
    await forget(user);
    expect(reasonOf(await change())).toBe('REAUTHENTICATION_REQUIRED');
    const { ticket, options } = await done<{ ticket: string; options: never }>(
      user.browser,
      'POST',
      '/factor/passkey-options',
      { again: true },
    );
    const recent = await prove(user.browser, { ticket, passkey: key.assert(options) });
    expect(recent.body.data).toMatchObject({ session: { id } });
    expect((await change()).status).toBe(200);
  });

  it('are listed, renamed and removed by their user alone, and end with the last one', async () => {
    const [user, other] = [await join('viewer'), await join('viewer')];
    await addTotp(user);
    await addPasskey(user, 'Phone');
    const list = () =>
      done<{ factors: { id: string; kind: string; name: string }[]; recoveryCodes: object }>(
        user.browser,
        'GET',
        '/factors',
      );
    const { factors } = await list();
    expect(factors.map(({ kind, name }) => [kind, name])).toEqual([
      ['TOTP', 'Authenticator app'],
      ['PASSKEY', 'Phone'],
    ]);
    const [totp, passkey] = factors as unknown as [{ id: string }, { id: string }];
    expect(reasonOf(await user.browser.send('POST', '/api/session/factors/totp', {}))).toBe('FACTORS_TOO_MANY');
    expect(reasonOf(await other.browser.send('PATCH', `/api/session/factors/${passkey.id}`, { name: 'Mine' }))).toBe(
      'FACTOR_NOT_FOUND',
    );
    expect(reasonOf(await other.browser.send('DELETE', `/api/session/factors/${passkey.id}`))).toBe('FACTOR_NOT_FOUND');
    expect(
      reasonOf(await user.browser.send('DELETE', `/api/session/factors/${totp.id}`, undefined, { 'tidings-csrf': '' })),
    ).toBe('CSRF_REFUSED');
    await done(user.browser, 'PATCH', `/factors/${passkey.id}`, { name: 'Old phone' });
    await done(user.browser, 'DELETE', `/factors/${totp.id}`);
    expect((await list()).factors).toMatchObject([{ name: 'Old phone' }]);
    expect((await list()).recoveryCodes).toEqual({ left: 10, total: 10 });
    await done(user.browser, 'DELETE', `/factors/${passkey.id}`);
    expect(await list()).toEqual({ factors: [], recoveryCodes: { left: 0, total: 0 } });
    expect((await browser().signIn(user.email, password)).body.data).toHaveProperty('user');
  });

  it('slow down after ten wrong codes, though the password is right each time', async () => {
    const user = await join('viewer');
    const { secret } = await addTotp(user);
    const wrong = codeOf(secret) === '000000' ? '000001' : '000000';
    const reasons: unknown[] = [];
    for (let n = 0; n < 12; n++) {
      const { page, ticket } = await firstStep(user);
      reasons.push(reasonOf(await prove(page, { ticket, code: wrong })));
    }
    expect(reasons).toEqual([...Array<string>(10).fill('FACTOR_REFUSED'), ...reasons.slice(10)]);
    const { page, ticket } = await firstStep(user);
    for (let n = 0; n < 3; n++) reasons.push(reasonOf(await prove(page, { ticket, code: wrong })));
    expect(reasons.slice(10)).toContain('SIGN_IN_SLOWED');
    await query('delete from sign_in_count');
    expect((await prove(page, { ticket, code: codeOf(secret) })).status).toBe(200);
  });

  it('are asked for after a reset of the password, and when an invitation is accepted by password', async () => {
    const user = await join('viewer');
    await addTotp(user);
    await query('delete from one_time_link');
    const { page } = await firstStep(user);
    const rows = await query(`select user_id from user_account where email = $1`, [user.email]);
    const secret = 'r'.repeat(43);
    await query(
      `insert into one_time_link (token_hash, kind, user_id, created_at, expires_at)
       values (encode(sha256($1::bytea), 'hex'), 'RESET', $2, now(), now() + interval '1 hour')`,
      [secret, rows[0]!.user_id],
    );
    const fresh = 'another horse of the battery';
    await done(page, 'POST', '/reset', { token: secret, password: fresh });
    expect((await page.signIn(user.email, fresh)).body.data).toMatchObject({ factors: ['TOTP', 'RECOVERY_CODE'] });
    await query(`delete from membership where user_id = $1`, [rows[0]!.user_id]);
    const invited = await surface.harness.bus.without('delivery', () =>
      owner.browser.data<{ link: string }>('invite_member', { email: user.email, role: 'viewer' }),
    );
    const accept = { token: invited.link.split('#')[1]!, name: 'Again', password: fresh };
    const accepted = await page.send('POST', '/api/session/invitation', accept);
    expect(accepted.body.data).toMatchObject({ factors: ['TOTP', 'RECOVERY_CODE'] });
    expect(page.cookies.has('tidings')).toBe(false);
  });

  it('are required of all members by an owner who has one; without, a member may only set one up', async () => {
    const member = await join('editor');
    const require = (required: boolean) => owner.browser.call('update_organization', { requireSecondFactor: required });
    expect(reasonOf(await require(true))).toBe('FACTOR_MISSING');
    await addTotp(owner);
    expect((await require(true)).body.data).toMatchObject({ organization: { requireSecondFactor: true } });
    await until(
      'the member is held',
      async () => reasonOf(await member.browser.call('list_tags')) === 'SECOND_FACTOR_REQUIRED',
    );
    expect((await member.browser.call('list_tags')).status).toBe(403);
    expect((await member.browser.send('GET', '/api/v2/tools')).status).toBe(403);
    expect((await member.browser.call('get_me')).status).toBe(200);
    expect(await done(member.browser, 'GET', '')).toMatchObject({
      user: { secondFactor: false },
      organizations: [{ requireSecondFactor: true }],
    });
    expect((await owner.browser.call('list_tags')).status).toBe(200);
    await addPasskey(member);
    await until('the member goes on', async () => (await member.browser.call('list_tags')).status === 200);
    const { members } = await owner.browser.data<{ members: { email: string; secondFactor: boolean }[] }>(
      'list_members',
    );
    expect(members.find(({ email }) => email === member.email)).toMatchObject({ secondFactor: true });
    expect((await require(false)).status).toBe(200);
  });

  it('are reset by the operator, which ends the sessions and stands in the audit log', async () => {
    const user = await join('viewer');
    await addTotp(user);
    const factors = surface.harness.client(secondFactorRequests);
    expect(await factors.reset_factors({ email: user.email }, serviceCaller('', 'spec'))).toEqual({
      user: { id: user.id, email: user.email },
      removed: 1,
      ended: 1,
    });
    await until('the session is over', async () => reasonOf(await user.browser.call('list_tags')) === 'SESSION_ENDED');
    expect((await browser().signIn(user.email, password)).body.data).toHaveProperty('user');
    const { entries } = await owner.browser.data<{ entries: { tool: string; target: string | null; actor: object }[] }>(
      'list_audit_entries',
      { limit: 100 },
    );
    expect(entries.find(({ tool }) => tool === 'reset_factors')).toMatchObject({
      actor: { kind: 'OPERATOR' },
      target: user.id,
    });
    for (const tool of ['add_factor', 'remove_factor', 'rename_factor', 'renew_recovery_codes', 'use_recovery_code'])
      expect(entries.map((one) => one.tool)).toContain(tool);
  });

  it('leave no secret in a table', async () => {
    const user = await join('viewer');
    const { secret, recoveryCodes } = await addTotp(user);
    const { ticket } = await firstStep(user);
    const rows = JSON.stringify(
      await query(`select to_jsonb(f) as t from second_factor f union all select to_jsonb(r) from recovery_code r
        union all select to_jsonb(s) from sign_in_ticket s`),
    );
    for (const text of [secret, ticket, Buffer.from(secret).toString('hex'), ...recoveryCodes])
      expect(rows).not.toContain(text);
  });
});
