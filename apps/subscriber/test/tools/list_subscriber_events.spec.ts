import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface History {
  events: { id: string; type: string; data: Record<string, unknown>; createdAt: string }[];
  total: number;
  totalIsMinimum?: true;
}

describe('list_subscriber_events', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  const list = (input: object) => harness.data<History>('list_subscriber_events', input, tenant);
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    const email = 'ada@example.com';
    await person(harness, tenant, { email, tags: ['a'], fields: { City: 'Rome' } });
    await person(harness, tenant, { email, tags: ['b'], fields: { City: 'Oslo' }, replaceTags: true });
  });

  it('lists newest first with what changed', async () => {
    const { events, total } = await list({ email: 'ADA@example.com' });
    expect(total).toBe(6);
    expect(events.map(({ type }) => type)).toEqual([
      ...['TAG_ADDED', 'TAG_REMOVED', 'FIELD_UPDATED', 'TAG_ADDED', 'FIELD_UPDATED', 'SUBSCRIBED'],
    ]);
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'TAG_ADDED',
      data: { tagId: expect.stringMatching(/^tag_/), tagName: 'b' },
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    expect(events[2]!.data).toEqual({ field: 'City', from: 'Rome', to: 'Oslo' });
    expect(events[5]!.data).toEqual({ source: 'tools' });
  });

  it('narrows by type and limit, and counts the events', async () => {
    expect(await list({ email: 'ada@example.com', eventType: 'tag_added', limit: 1 })).toMatchObject({
      events: [{ data: { tagName: 'b' } }],
      total: 2,
    });
    expect(await list({ email: 'ada@example.com', eventType: 'EMAIL_SENT' })).toEqual({ events: [], total: 0 });
  });

  it('refuses unknown and foreign people, no identifier, and two that disagree', async () => {
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com' });
    for (const who of [{ subscriberId: newId('sub') }, { subscriberId: foreign.id }, { email: foreign.email }]) {
      expect(await harness.refusal('list_subscriber_events', who, tenant)).toBe('SUBSCRIBER_NOT_FOUND');
    }
    expect(await harness.refusal('list_subscriber_events', {}, tenant)).toBe('IDENTIFIER_MISSING');
    expect(
      await harness.refusal('list_subscriber_events', { subscriberId: foreign.id, email: 'ada@example.com' }, tenant),
    ).toBe('IDENTIFIERS_DISAGREE');
  });
});
