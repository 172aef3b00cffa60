import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { until } from '#testing';
import { intoHistory, intoLayout, layouts } from '../../../../test/harness/message-layouts.js';
import { twoTenants } from '../send-fixture.js';
import type { TwoTenants } from '../send-fixture.js';

interface Email {
  id: string;
  campaignId: string | null;
  campaignName: string | null;
  subject: string;
  status: string;
  simulated: boolean;
  tags: { name: string; value: string }[];
  sentAt: string | null;
  deliveredAt: string | null;
  openedAt: string | null;
  clickedAt: string | null;
}

describe.each(layouts)('get_subscriber_emails, %s', (layout) => {
  let { world, sink, tenant: tenant, otherTenant: otherTenant } = {} as TwoTenants;
  beforeAll(async () => {
    ({ world, sink, tenant: tenant, otherTenant: otherTenant } = await twoTenants());
  });
  afterAll(() => world.stop().then(() => sink.stop()));

  const list = async (input: object) =>
    (await world.tidings.data<{ emails: Email[] }>('get_subscriber_emails', input, tenant)).emails;
  const refusal = (input: object, by = tenant) => world.tidings.refusal('get_subscriber_emails', input, by);

  it('lists what one person was sent, newest first, by status and up to the limit', async () => {
    const email = 'ada@example.com';
    const audience = await world.audience(tenant, [{ email }]);
    const { id: subscriberId } = (
      await world.tidings.data<{ subscriber: { id: string } }>('get_subscriber', { email }, tenant)
    ).subscriber;
    expect(await list({ email })).toEqual([]);
    const send = await world.send(tenant, audience);
    world.engine(sink.url);
    await world.finished(send);
    await intoLayout(world.database, layout, send.sendId);
    const mail = {
      from: `orders@${tenant.sender.domain}`,
      to: email,
      subject: 'Your receipt',
      html: '<p>Thanks</p>',
      tags: [{ name: 'kind', value: 'receipt' }],
    };
    await world.tidings.data('send_email', mail, tenant);
    await until('both are delivered', async () => (await list({ email, status: 'delivered' })).length === 2);
    const [receipt, news] = await list({ subscriberId, email });
    const instant = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as unknown as string;
    const common = { status: 'DELIVERED', simulated: true, openedAt: null, clickedAt: null };
    expect(receipt).toEqual({
      ...common,
      id: expect.stringMatching(/^msg_/),
      campaignId: null,
      campaignName: null,
      subject: 'Your receipt',
      tags: mail.tags,
      sentAt: instant,
      deliveredAt: instant,
    });
    expect(news).toMatchObject({
      ...common,
      campaignId: send.campaignId,
      campaignName: 'News of May',
      subject: 'News for you',
      tags: [],
    });
    expect(await list({ email, limit: 1 })).toEqual([receipt]);
    expect(await list({ email, status: 'BOUNCED' })).toEqual([]);
  });

  it('returns open messages as PENDING, refused ones as BOUNCED, and no skipped ones', async () => {
    const email = 'bob@example.com';
    const mail = { from: `orders@${tenant.sender.domain}`, to: email, subject: 'A', html: '<p>A</p>' };
    const { id } = await world.tidings.data<{ id: string }>('send_email', mail, tenant);
    await until('it is delivered', async () => (await list({ email, status: 'DELIVERED' })).length === 1);
    const statuses: Record<string, string[]> = {};
    for (const state of [
      'QUEUED',
      'HANDING_OVER',
      'DEFERRED',
      'IN_DOUBT',
      'SENT',
      'FAILED',
      'BOUNCED',
      'COMPLAINED',
      'SKIPPED',
    ]) {
      await world.database.query(`update message set state = $1 where message_id = $2`, [state, uuidOf('msg', id)]);
      statuses[state] = (await list({ email })).map(({ status }) => status);
    }
    expect(statuses).toEqual({
      QUEUED: ['PENDING'],
      HANDING_OVER: ['PENDING'],
      DEFERRED: ['PENDING'],
      IN_DOUBT: ['PENDING'],
      SENT: ['SENT'],
      FAILED: ['BOUNCED'],
      BOUNCED: ['BOUNCED'],
      COMPLAINED: ['COMPLAINED'],
      SKIPPED: [],
    });
  });

  if (layout === 'rows by position')
    it('finds what went to an earlier address by the history', async () => {
      const { organizationId } = tenant;
      const send = await world.send(tenant, await world.audience(tenant, [{ email: 'early@example.com' }]));
      await world.finished(send);
      await intoLayout(world.database, layout, send.sendId);
      const subscriber = world.tidings.dataSource('subscriber');
      await intoHistory({ delivery: world.database, subscriber }, send.sendId);
      await subscriber.query(
        `update subscriber set email = 'late@example.com', email_key = 'late@example.com' where organization_id = $1 and email_key = $2`,
        [uuidOf('org', organizationId), 'early@example.com'],
      );
      expect(await list({ email: 'late@example.com' })).toMatchObject([
        { campaignId: send.campaignId, status: 'DELIVERED' },
      ]);
    });

  it('refuses no subscriber, an unknown one, and two at once', async () => {
    await world.tidings.data('add_subscriber', { email: 'cy@example.com' }, tenant);
    const { subscriber } = await world.tidings.data<{ subscriber: { id: string } }>(
      'add_subscriber',
      { email: 'dee@example.com' },
      tenant,
    );
    expect(await refusal({})).toBe('IDENTIFIER_MISSING');
    expect(await refusal({ email: 'cy@example.com', subscriberId: subscriber.id })).toBe('IDENTIFIERS_DISAGREE');
    expect(await refusal({ email: 'unknown@example.com' })).toBe('SUBSCRIBER_NOT_FOUND');
    expect(await refusal({ subscriberId: subscriber.id }, otherTenant)).toBe('SUBSCRIBER_NOT_FOUND');
  });
});
