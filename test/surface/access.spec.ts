import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceCaller } from '#bus';
import { sessionRequests } from '#contracts';
import type { Role } from '#contracts';
import { until } from '#testing';
import { ToolsClient } from '../e2e/client.js';
import { useFixture } from '../harness/use-fixture.js';
import { Browser } from './browser.js';
import { McpClients } from './mcp-client.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

const password = 'correct horse battery staple';

interface Entry {
  tool: string;
  outcome: string;
  target: string | null;
  ip: string | null;
  sessionId: string | null;
  actor: { kind: string; id: string; name: string };
}

describe('access', () => {
  const surface = useFixture(() => ApiFixture.start());
  let tenant: ApiTenant;
  let owner: Browser;

  beforeAll(async () => {
    tenant = await surface.customer('Bakery');
    const { token } = await surface.harness.client(sessionRequests).issue_setup_link({}, serviceCaller('', 'spec'));
    owner = new Browser(surface.url);
    await owner.send('POST', '/api/session/setup', { token, email: 'olga@example.com', name: 'Olga', password });
  });

  let count = 0;
  async function join(role: Role): Promise<{ page: Browser; email: string; id: string }> {
    const email = `${role}${(count += 1)}@example.com`;
    const { link } = await surface.harness.bus.without('delivery', () =>
      owner.data<{ link: string }>('invite_member', { email, role }),
    );
    const page = new Browser(surface.url);
    const accept = { token: link.split('#')[1], name: `The ${role}`, password };
    const joined = await page.send('POST', '/api/session/invitation', accept);
    return { page, email, id: (joined.body.data as { user: { id: string } }).user.id };
  }

  const makeToken = async (maker: Browser, input: object) => {
    const made = await maker.data<{ token: { id: string }; secret: string }>('create_api_token', {
      name: 'spec',
      ...input,
    });
    return { ...made, client: new ToolsClient(surface.url, made.secret) };
  };
  const entriesOf = async (filter: object = {}) =>
    (await owner.data<{ entries: Entry[] }>('list_audit_entries', filter)).entries;

  it('bounds a token by its toolsets at every door', async () => {
    const { client, secret } = await makeToken(owner, { scopes: ['read', 'write'], toolsets: ['tags'] });
    expect((await client.call('list_tags', {})).status).toBe(200);
    expect((await client.call('list_campaigns', {})).body.reason).toBe('TOKEN_TOOLSET_MISSING');
    expect((await client.v1('GET', '/tags')).status).toBe(200);
    expect((await client.v1('GET', '/campaigns')).body).toMatchObject({ reason: 'TOKEN_TOOLSET_MISSING' });
    const upload = await fetch(`${surface.url}/api/v2/imports/imp_x/file`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'text/csv' },
      body: 'email\n',
    });
    expect(await upload.json()).toMatchObject({ reason: 'TOKEN_TOOLSET_MISSING' });
    const clients = new McpClients(() => surface.url);
    const mcp = await clients.connect({ token: secret, path: '/api/mcp?toolsets=all' });
    expect(mcp.names).toContain('list_tags');
    expect(mcp.names).not.toContain('list_campaigns');
    expect(await mcp.call('list_campaigns')).toMatchObject({ isError: true });
    await clients.close();
  });

  it('asks for sends of an editor’s PERSONAL token, and ends the token with the membership within a second', async () => {
    const editor = await join('editor');
    const { client } = await makeToken(editor.page, { kind: 'PERSONAL', scopes: ['read', 'write', 'send'] });
    const content = '# Hello [unsubscribe]({{unsubscribeUrl}})';
    const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', {
      subject: 'News',
      content,
      contentType: 'MARKDOWN',
    });
    const asked = await client.call('schedule_campaign', { campaignId, date: '2037-05-01' });
    expect(asked.body).toMatchObject({ error: 'CONFIRMATION_REQUIRED', approvalId: expect.stringMatching(/^apr_/) });
    expect((await client.v1('POST', `/campaigns/${campaignId}/send`)).body).toMatchObject({
      reason: 'APPROVAL_IMPOSSIBLE',
    });
    const approvalId = asked.body.approvalId as string;
    const question = await owner.call('remove_member', { userId: editor.id });
    const { confirmationCode } = question.body as { confirmationCode: number };
    expect(await owner.data('remove_member', { userId: editor.id, confirmationCode })).toMatchObject({ tokens: 1 });
    await until(
      'the token is refused',
      async () => (await client.call('list_tags', {})).body.reason === 'TOKEN_REFUSED',
      1_000,
    );
    expect(await owner.data('get_approval', { approvalId })).toMatchObject({ approval: { state: 'WITHDRAWN' } });
  });

  it('keeps both secrets of a rotated token during the overlap, and none after it is revoked', async () => {
    const { client, token } = await makeToken(owner, { scopes: ['read'] });
    const { secret } = await client.data<{ secret: string }>('rotate_api_token', { tokenId: token.id });
    const second = new ToolsClient(surface.url, secret);
    for (const one of [client, second]) expect((await one.call('list_tags', {})).status).toBe(200);
    await owner.data('revoke_api_token', { tokenId: token.id });
    for (const one of [client, second])
      await until(
        'the secret is refused',
        async () => (await one.call('list_tags', {})).body.reason === 'TOKEN_REFUSED',
        1_000,
      );
  });

  it('audits sign-ins, one failure a minute, sign-outs, links and passwords, with session and address', async () => {
    const { page, email, id } = await join('viewer');
    const guess = new Browser(surface.url);
    for (let n = 0; n < 3; n++) await guess.signIn(email, 'wrong horse battery staple');
    await guess.signIn(email, password);
    await guess.send('DELETE', '/api/session', {});
    await guess.send('POST', '/api/session/forgot', { email });
    const change = { current: password, password: 'a different horse altogether' };
    await page.send('POST', '/api/session/password', change);
    await page.send('POST', '/api/session/profile', { email: 'later@example.com' });
    await owner.data('update_member_role', { userId: id, role: 'editor' });
    const all = async () => (await entriesOf({ actorId: id })).map(({ tool, outcome }) => `${tool} ${outcome}`);
    const expected = [
      'accept_invitation OK',
      'sign_in SIGN_IN_REFUSED',
      'sign_in OK',
      'sign_out OK',
      'request_password_reset OK',
      'change_password OK',
      'request_address_change OK',
    ];
    await until('the log has all', async () => (await all()).length >= expected.length);
    const [former, later] = [new Set(await all()), await all()];
    expect(former).toEqual(new Set(expected));
    // Three guesses may fall into two minutes.
    expect(later.filter((line) => line === 'sign_in SIGN_IN_REFUSED').length).toBeLessThanOrEqual(2);
    const [signedIn] = await entriesOf({ actorId: id, tool: 'sign_in', outcome: 'OK' });
    expect(signedIn).toMatchObject({
      actor: { kind: 'USER', id, name: 'The viewer' },
      ip: expect.stringMatching(/127\.0\.0\.1|::1/),
      sessionId: expect.stringMatching(/^ses_/),
    });
    await until('the role is logged', async () => (await entriesOf({ tool: 'update_member_role' })).length === 1);
    expect((await entriesOf({ tool: 'update_member_role' }))[0]).toMatchObject({
      actor: { name: 'Olga' },
      target: id,
      ip: expect.any(String),
      sessionId: expect.stringMatching(/^ses_/),
    });
  });

  it('serves an exported audit log by its link, without a token', async () => {
    const { downloadUrl } = await owner.data<{ downloadUrl: string }>('export_audit_log', {
      tool: 'accept_invitation',
    });
    const response = await fetch(surface.url + new URL(downloadUrl).pathname);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-log-.*\.csv"$/);
    expect(await response.text()).toMatch(/^id,at,actorKind.*\r\nadt_.*accept_invitation/s);
    expect((await fetch(`${surface.url}${new URL(downloadUrl).pathname}x`)).status).toBe(404);
  });

  it('asks for every send under the policy ALL, and refuses approvers what they asked for themselves', async () => {
    const { page: approver, id } = await join('approver');
    await owner.data('update_organization', { approvals: 'ALL' });
    const content = '# Hello [unsubscribe]({{unsubscribeUrl}})';
    const made = { subject: 'News', content, contentType: 'MARKDOWN' };
    const { campaignId } = await owner.data<{ campaignId: string }>('create_campaign', made);
    const call = { campaignId, date: '2037-05-01' };
    let approvalId = '';
    await until('the policy counts', async () => {
      const { body } = await owner.call('schedule_campaign', call);
      approvalId = (body.approvalId as string | undefined) ?? '';
      return approvalId !== '';
    });
    const { approval } = await owner.data<{ approval: { contentHash: string } }>('get_approval', { approvalId });
    const decide = (by: Browser, asked: string, seen: string) =>
      by.call('decide_approval', { approvalId: asked, approved: true, seen });
    expect((await decide(owner, approvalId, approval.contentHash)).body.reason).toBe('APPROVAL_OWN');
    const { client } = await makeToken(owner, { scopes: ['read', 'write', 'send'] });
    const byToken = await client.call('schedule_campaign', { campaignId, date: '2037-05-02' });
    const other = byToken.body.approvalId as string;
    const { approval: second } = await owner.data<{ approval: { contentHash: string } }>('get_approval', {
      approvalId: other,
    });
    expect((await decide(owner, other, second.contentHash)).body.reason).toBe('APPROVAL_OWN');
    expect((await decide(approver, approvalId, approval.contentHash)).body.data).toMatchObject({
      approval: { state: 'EXECUTED' },
    });
    expect((await owner.call('update_member_role', { userId: id, role: 'viewer' })).body.reason).toBe(
      'APPROVERS_TOO_FEW',
    );
    await owner.data('update_organization', { approvals: 'AGENTS' });
  });

  it('delays a send that a session starts or approves, so that it can be undone; a token sends at once', async () => {
    await tenant.client.data('add_subscriber', { email: 'ada@example.com' });
    const content = '# Hello [unsubscribe]({{unsubscribeUrl}})';
    const draft = async () =>
      (
        await owner.data<{ campaignId: string }>('create_campaign', {
          subject: 'Now',
          content,
          contentType: 'MARKDOWN',
        })
      ).campaignId;
    const campaignId = await draft();
    const { body } = await owner.call('schedule_campaign', { campaignId });
    const { confirmationCode } = body as { confirmationCode: number };
    const sent = await owner.data<{ scheduledAt: string; campaign: object }>('schedule_campaign', {
      campaignId,
      confirmationCode,
    });
    const aheadMs = Date.parse(sent.scheduledAt) - Date.now();
    expect(aheadMs).toBeGreaterThan(5_000);
    expect(aheadMs).toBeLessThanOrEqual(15_000);
    expect(sent.campaign).toMatchObject({ status: 'SCHEDULED' });
    expect(await owner.data('cancel_campaign_schedule', { campaignId })).toMatchObject({
      campaign: { status: 'DRAFT' },
    });
    const { page: editor } = await join('editor');
    const third = await draft();
    const asked = await editor.call('schedule_campaign', { campaignId: third });
    const { approvalId } = asked.body as { approvalId: string };
    const { approval } = await owner.data<{ approval: { contentHash: string } }>('get_approval', { approvalId });
    const decision = { approvalId, approved: true, seen: approval.contentHash };
    const decided = await owner.data<{ result: { scheduledAt: string } }>('decide_approval', decision);
    expect(Date.parse(decided.result.scheduledAt) - Date.now()).toBeGreaterThan(5_000);
    expect(await owner.data('cancel_campaign_schedule', { campaignId: third })).toMatchObject({
      campaign: { status: 'DRAFT' },
    });
    const second = await draft();
    const byToken = await tenant.client.data<{ scheduledAt: string }>('schedule_campaign', { campaignId: second });
    expect(Date.parse(byToken.scheduledAt) - Date.now()).toBeLessThan(1_000);
  });
});
