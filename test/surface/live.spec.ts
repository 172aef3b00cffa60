import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceCaller } from '#bus';
import { sessionRequests } from '#contracts';
import { until } from '#testing';
import { EventReader } from '../../apps/gateway/test/event-reader.js';
import { useFixture } from '../harness/use-fixture.js';
import { Browser } from './browser.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

const password = 'correct horse battery staple';

describe('live updates of a user', () => {
  const surface = useFixture(() => ApiFixture.start());
  let tenant: ApiTenant;
  let owner: Browser;
  let ownerId: string;

  beforeAll(async () => {
    tenant = await surface.customer('Bakery');
    const { token } = await surface.harness.client(sessionRequests).issue_setup_link({}, serviceCaller('', 'spec'));
    owner = new Browser(surface.url);
    const made = await owner.send('POST', '/api/session/setup', {
      token,
      email: 'olga@example.com',
      name: 'Olga Owner',
      password,
    });
    ownerId = made.body.data.user.id as string;
  });

  /** Opens the stream of a signed-in browser. */
  async function open(browser: Browser, path?: string): Promise<EventReader> {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reader = await EventReader.open(surface.url, { cookie }, path);
    expect(reader.status).toBe(200);
    await until('the stream has a position', () => reader.lastEventId !== '', 10_000, 5);
    return reader;
  }

  /** Makes the owner a member of another organization too. */
  async function joinOther(name: string): Promise<ApiTenant> {
    const other = await surface.customer(name);
    await surface.harness.dataSource('domain').query(
      `insert into membership select organization_id, (select user_id from user_account where email_key = 'olga@example.com'), 'viewer', now()
         from organization where name = $1`,
      [name],
    );
    surface.harness.bus.broadcast('member.changed', { userId: ownerId });
    await until(
      'the gateway knows of the membership',
      async () => {
        const { data } = (await owner.send('GET', '/api/session')).body;
        return (data.organizations as { name: string }[]).some((one) => one.name === name);
      },
      10_000,
      5,
    );
    return other;
  }

  it('follow what tools change, with the user who did it', async () => {
    const reader = await open(owner);
    const { campaignId } = await owner.data<{ campaignId: string }>('create_campaign', { subject: 'Spring' });
    const changed = await reader.next('campaign.changed');
    expect(changed.data).toEqual({
      noun: 'campaign',
      id: campaignId,
      at: expect.any(String),
      by: ownerId,
      organization: tenant.organizationId,
      numbers: {},
    });
    const { workflow } = await owner.data<{ workflow: { id: string } }>('create_workflow', { name: 'Welcome' });
    await reader.next('workflow.changed', ({ id }) => id === workflow.id);
    const { domain } = await owner.data<{ domain: { id: string } }>('create_domain', { domain: 'bakery.example' });
    await reader.next('domain.changed', ({ id }) => id === domain.id);
    const { import: job } = await owner.data<{ import: { id: string } }>('create_subscriber_import');
    await reader.next('import.progress', ({ id }) => id === job.id);
    const { exportId } = await owner.data<{ exportId: string }>('create_subscriber_export');
    await reader.next('export.progress', ({ id }) => id === exportId);
    await owner.data('update_organization_settings', { name: 'Bakery' });
    await reader.next('organization.changed', ({ id }) => id === tenant.organizationId);
    expect(reader.isEnded).toBe(false);
    // Reading changes nothing.
    const before = reader.events.length;
    await owner.data('get_campaign', { campaignId });
    await owner.data('create_campaign', { subject: 'Summer' });
    await reader.next('campaign.changed', ({ id }) => id !== campaignId);
    expect(reader.events.slice(before).filter(({ data }) => data.id === campaignId)).toEqual([]);
    reader.close();
  });

  it('follow approvals from the question to the outcome', async () => {
    const reader = await open(owner);
    const asking = await surface.token(tenant.organizationId, { selfConfirm: false });
    const { campaignId } = await owner.data<{ campaignId: string }>('create_campaign', { subject: 'Old' });
    await fetch(`${surface.url}/api/v2/tools/delete_campaign`, {
      method: 'POST',
      headers: { authorization: `Bearer ${asking}`, 'content-type': 'application/json' },
      body: JSON.stringify({ campaignId }),
    });
    const { id } = (await reader.next('approval.asked')).data;
    const { approval } = await owner.data<{ approval: { contentHash: string } }>('get_approval', { approvalId: id });
    await owner.data('decide_approval', { approvalId: id, approved: true, seen: approval.contentHash });
    await reader.next('approval.decided', (data) => data.id === id);
    await reader.next('campaign.changed', (data) => data.id === campaignId && data.by !== ownerId);
    reader.close();
  });

  it('cover all organizations of the user, or the one that is named by number or id', async () => {
    const other = await joinOther('Brewery');
    const outsider = await surface.customer('Stranger');
    const { organizations } = (await owner.send('GET', '/api/session')).body.data as {
      organizations: { id: string; number: number; name: string }[];
    };
    const { number } = organizations.find(({ name }) => name === 'Brewery')!;
    const all = await open(owner);
    const byNumber = await open(owner, `/api/events?organization=${number}`);
    const byId = await open(owner, `/api/events?organization=${other.organizationId}`);
    const made: unknown[] = [];
    for (const one of [outsider, tenant, other])
      made.push((await one.client.data<{ campaignId: string }>('create_campaign', { subject: 'Mine' })).campaignId);
    const from = async (reader: EventReader) => {
      await reader.next('campaign.changed', ({ organization }) => organization === other.organizationId);
      const changes = reader.events.filter(({ data }) => made.includes(data.id));
      return changes.map(({ data }) => data.organization as string);
    };
    expect(await from(all)).toEqual([tenant.organizationId, other.organizationId]);
    expect(await from(byNumber)).toEqual([other.organizationId]);
    expect(await from(byId)).toEqual([other.organizationId]);
    const refused = await owner.send('GET', `/api/events?organization=${outsider.organizationId}`);
    expect(refused).toMatchObject({ status: 404, body: { reason: 'ORGANIZATION_NOT_FOUND' } });
    for (const reader of [all, byNumber, byId]) reader.close();
  });

  it('end within a second when the user loses an organization, and go on with those that are left', async () => {
    const other = await joinOther('Cidery');
    const reader = await open(owner);
    await surface.harness
      .dataSource('domain')
      .query(
        `delete from membership where organization_id = (select organization_id from organization where name = 'Cidery')`,
      );
    surface.harness.bus.broadcast('member.changed', { userId: ownerId, organizationId: other.organizationId });
    await until('the stream ends', () => reader.isEnded, 1_000, 5);
    const again = await open(owner);
    const input = { subject: 'Mine' };
    for (const one of [other, tenant]) await one.client.call('create_campaign', input);
    await again.next('campaign.changed');
    expect(new Set(again.events.map(({ data }) => data.organization))).toEqual(new Set([tenant.organizationId]));
    again.close();
  });

  it('end with session.ended within a second of signing out, and the session opens none any more', async () => {
    const page = new Browser(surface.url);
    await page.signIn('olga@example.com', password);
    const reader = await open(page);
    const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    await page.send('DELETE', '/api/session');
    await reader.next('session.ended', ({ noun }) => noun === 'session', 1_000);
    await until('the stream ends', () => reader.isEnded, 1_000, 5);
    const refused = await EventReader.open(surface.url, { cookie });
    expect(refused.status).toBe(401);
    const beside = await EventReader.open(surface.url, { cookie, authorization: 'Bearer unknown' });
    expect(beside.status).toBe(401);
  });
});
