import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { newId, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { historyOf, mark, organization } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

interface Added {
  subscriber: Subscriber;
  created: boolean;
  warnings?: string[];
}

describe('add_subscriber', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  let asking: Tenant;
  const add = (input: object, by = tenant) => harness.data<Added>('add_subscriber', input, by);
  const history = (email: string, by = tenant) => historyOf(harness, by, email);
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    asking = await organization(harness, { doubleOptIn: true });
  });

  it('creates a SUBSCRIBED subscriber with tags and fields, and reports a new field', async () => {
    const added = await add({
      email: ' Ada@Example.com ',
      name: '  Ada \u0007Lovelace ',
      phone: '+44 20',
      tags: ['vip', 'VIP', 'math'],
      fields: { City: 'London', Age: 36, Active: true },
    });
    expect(added).toMatchObject({
      created: true,
      subscriber: {
        email: 'Ada@Example.com',
        name: 'Ada Lovelace',
        status: 'SUBSCRIBED',
        tags: [{ name: 'math' }, { name: expect.stringMatching(/^vip$/i) }],
        customFields: { City: 'London', Age: '36', Active: 'true' },
      },
    });
    expect(added.warnings).toHaveLength(3);
    expect(await harness.data('get_subscriber', { email: 'ada@example.COM' }, tenant)).toEqual({
      subscriber: added.subscriber,
    });
    expect(await history('ada@example.com')).toEqual([
      ...['TAG_ADDED', 'TAG_ADDED', 'FIELD_UPDATED', 'FIELD_UPDATED', 'FIELD_UPDATED', 'SUBSCRIBED'],
    ]);
  });

  it('updates only the given fields, null clears, and the same call again changes nothing', async () => {
    const first = await add({
      email: 'keep@example.com',
      name: 'Keep',
      phone: '1',
      fields: { City: 'Oslo', Team: 'a' },
    });
    const same = await add({ email: 'KEEP@example.com', name: 'Keep', fields: { city: 'Oslo' } });
    expect(same).toEqual({ subscriber: first.subscriber, created: false });
    const changed = await add({ email: 'keep@example.com', phone: null, fields: { City: null, Team: 'b' } });
    expect(changed.subscriber).toMatchObject({ name: 'Keep', phone: null, customFields: { Team: 'b' } });
    expect(changed.subscriber.updatedAt > first.subscriber.updatedAt).toBe(true);
  });

  it('takes one person for the forms of one address', async () => {
    const { subscriber } = await add({ email: 'jörg@Bücher.example' });
    for (const email of ['JÖRG@bücher.example', 'jörg@xn--bcher-kva.example']) {
      expect(await add({ email })).toMatchObject({ created: false, subscriber: { id: subscriber.id } });
    }
    expect((await add({ email: 'j.org@bücher.example' })).created).toBe(true);
  });

  it('replaces tags only when asked', async () => {
    await add({ email: 'tags@example.com', tags: ['a', 'b'] });
    expect((await add({ email: 'tags@example.com', tags: ['c'] })).subscriber.tags.map(({ name }) => name)).toEqual([
      ...['a', 'b', 'c'],
    ]);
    const replaced = await add({ email: 'tags@example.com', tags: ['c', 'd'], replaceTags: true });
    expect(replaced.subscriber.tags.map(({ name }) => name)).toEqual(['c', 'd']);
    expect((await history('tags@example.com')).slice(0, 3)).toEqual(['TAG_ADDED', 'TAG_REMOVED', 'TAG_REMOVED']);
    const { tags } = await harness.data<{ tags: { name: string; subscribersCount: number }[] }>(
      'list_tags',
      {},
      tenant,
    );
    expect(tags.find(({ name }) => name === 'a')!.subscribersCount).toBe(0);
    expect(tags.find(({ name }) => name === 'd')!.subscribersCount).toBe(1);
  });

  it('resubscribes an UNSUBSCRIBED person by default, and with skipDoubleOptIn alone never', async () => {
    await add({ email: 'back@example.com' });
    await harness.data('unsubscribe', { email: 'back@example.com' }, tenant);
    const kept = await add({ email: 'back@example.com', name: 'Back', resubscribe: false, skipDoubleOptIn: true });
    expect(kept.subscriber).toMatchObject({ status: 'UNSUBSCRIBED', name: 'Back' });
    expect((await add({ email: 'back@example.com' })).subscriber.status).toBe('SUBSCRIBED');
  });

  it('asks newcomers to confirm where double opt-in is on, unless it is skipped', async () => {
    expect((await add({ email: 'new@example.com' }, asking)).subscriber.status).toBe('PENDING_CONFIRMATION');
    expect((await add({ email: 'sure@example.com', skipDoubleOptIn: true }, asking)).subscriber.status).toBe(
      'SUBSCRIBED',
    );
    const owed = await harness
      .dataSource('subscriber')
      .query(`select email from subscriber where organization_id = $1 and confirmation_due_at is not null`, [
        uuidOf('org', asking.organizationId),
      ]);
    expect(owed).toEqual([{ email: 'new@example.com' }]);
    expect(await history('new@example.com', asking)).toEqual([]);
  });

  it('withholds the triggers of tags given to a pending person until the promotion, which comes first', async () => {
    const given = { email: 'later@example.com', tags: ['early'] };
    await add(given, asking);
    const before = (await harness.deliverEvents()).filter(
      ({ organizationId }) => organizationId === asking.organizationId,
    );
    expect(
      before.map(({ name, data }) => [name, (data as { triggerWorkflows?: boolean }).triggerWorkflows]),
    ).toContainEqual(['tag.added', false]);
    await add({ ...given, tags: ['late'], skipDoubleOptIn: true }, asking);
    const after = (await harness.deliverEvents()).map((event: DomainEvent) => [
      event.name,
      (event.data as { tagName?: string }).tagName,
      (event.data as { triggerWorkflows?: boolean }).triggerWorkflows,
    ]);
    expect(after).toEqual([
      ['subscriber.subscribed', undefined, true],
      ['tag.added', 'early', true],
      ['tag.added', 'late', true],
    ]);
  });

  it('keeps the status of a suppressed person, saves the fields and warns', async () => {
    await mark(harness, (await add({ email: 'mark@example.com' })).subscriber, 'hard_bounced');
    await harness.data('unsubscribe', { email: 'mark@example.com' }, tenant);
    const again = await add({ email: 'mark@example.com', name: 'Marked' });
    expect(again.subscriber).toMatchObject({ status: 'UNSUBSCRIBED', name: 'Marked' });
    expect(again.warnings).toEqual([expect.stringContaining('reactivate_subscriber')]);
  });

  it('notifies other services that no workflow may start if triggerWorkflows is false', async () => {
    const published = async () =>
      (await harness.deliverEvents()).map(({ name, data }) => [
        name,
        (data as { triggerWorkflows: boolean }).triggerWorkflows,
      ]);
    await published();
    const quiet = { email: 'quiet@example.com', triggerWorkflows: false };
    // No run waits for events of a new subscriber: they start workflows or are not published.
    await add({ ...quiet, tags: ['first'] });
    expect(await published()).toEqual([]);
    await add({ ...quiet, tags: ['second'], fields: { City: 'Rome' } });
    expect(await published()).toEqual([
      ['field.updated', false],
      ['tag.added', false],
    ]);
  });

  it('makes one subscriber of twenty simultaneous adds of one address', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        add({ email: i % 2 ? 'Twin@example.com' : 'twin@example.com', tags: ['twin'], fields: { No: i } }),
      ),
    );
    expect(new Set(all.map(({ subscriber }) => subscriber.id)).size).toBe(1);
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(
      (await history('twin@example.com')).filter((type) => type === 'SUBSCRIBED' || type === 'TAG_ADDED'),
    ).toHaveLength(2);
  });

  it('refuses an invalid address with PARAMETERS_INVALID at its path', async () => {
    for (const email of ['ada', 'a@b@c', 'a b@example.com', 'ada@-x.example', 'ada\u00a0l@example.com']) {
      const outcome = await harness.call('add_subscriber', { email }, tenant);
      expect(outcome).toMatchObject({
        ok: false,
        error: { reason: 'PARAMETERS_INVALID', issues: [{ path: ['email'] }] },
      });
    }
    expect(await harness.refusal('add_subscriber', { email: 'a@example.com', fields: { x: {} } }, tenant)).toBe(
      'PARAMETERS_INVALID',
    );
  });

  it('refuses reserved field names with FIELD_RESERVED, in any case', async () => {
    for (const name of ['EMAIL', 'unsubscribeurl', 'org-x', 'snp_1']) {
      expect(await harness.refusal('add_subscriber', { email: 'a@example.com', fields: { [name]: '1' } }, tenant)).toBe(
        'FIELD_RESERVED',
      );
    }
  });

  it('refuses an unknown country with COUNTRY_UNKNOWN, and takes codes and names', async () => {
    const refused = (country: string) =>
      harness.refusal('add_subscriber', { email: 'country@example.com', country }, tenant);
    for (const country of ['Atlantis', 'ZZ', 'EU', '-']) expect(await refused(country)).toBe('COUNTRY_UNKNOWN');
    for (const country of ['', 'x'.repeat(101)]) expect(await refused(country)).toBe('PARAMETERS_INVALID');
    for (const country of ['fr', 'FRA', 'Francia']) await add({ email: 'country@example.com', country });
  });

  it('keeps organizations apart: the same address is another person', async () => {
    const mine = await add({ email: 'shared@example.com', name: 'Mine', tags: ['ours'] });
    const other = await add({ email: 'shared@example.com' }, otherTenant);
    expect(other).toMatchObject({ created: true, subscriber: { name: null, tags: [] } });
    expect(other.subscriber.id).not.toBe(mine.subscriber.id);
  });

  it('has its effect once for one call id', async () => {
    const callId = `key:${newId('evt')}`;
    const input = { email: 'once@example.com' };
    const both = [
      await harness.call('add_subscriber', input, tenant, { callId }),
      await harness.call('add_subscriber', input, tenant, { callId }),
    ];
    expect(both[1]).toEqual({ ...both[0], replayed: true });
  });

  it('refuses newcomers over a quota with QUOTA_REACHED, however many come at once, and still updates who is there', async () => {
    const tenant = await organization(harness);
    const quotas = { contacts: 3, mailsPerMonth: null, domains: null };
    const bound: Tenant = { ...tenant, bounds: { plan: 'FREE', quotas } };
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => harness.call('add_subscriber', { email: `n${n}@example.com` }, bound)),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(3);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
      error: {
        code: 'PLAN_LIMIT_REACHED',
        reason: 'QUOTA_REACHED',
        message:
          'The FREE plan allows 3 contacts. 3 exist, and this call would add 1. Add fewer, delete some, or ask the operator of this installation to raise the limit.',
      },
    });
    const { subscribers } = await harness.data<{ subscribers: Subscriber[] }>('list_subscribers', {}, tenant);
    expect(subscribers).toHaveLength(3);
    const { email } = subscribers[0]!;
    expect(await add({ email, name: 'Again' }, bound)).toMatchObject({ created: false, subscriber: { name: 'Again' } });
    await add({ email: 'beyond@example.com' }, tenant);
  });

  it('refuses more custom fields or values than allowed with LIMIT_REACHED, whole', async () => {
    const tenant = await organization(harness);
    const fields = Object.fromEntries(Array.from({ length: 301 }, (_, n) => [`field ${n}`, 'x']));
    const email = 'fields@example.com';
    const refused = await harness.call('add_subscriber', { email, tags: ['new'], fields }, tenant);
    expect(refused).toMatchObject({ ok: false, error: { reason: 'LIMIT_REACHED', limit: { limit: 300, used: 0 } } });
    expect(await harness.refusal('get_subscriber', { email }, tenant)).toBe('SUBSCRIBER_NOT_FOUND');
    expect(await harness.data('list_tags', {}, tenant)).toMatchObject({ tags: [] });
    const values = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`long ${n}`, 'é'.repeat(5_000)]));
    const large = await harness.call('add_subscriber', { email, fields: values(7) }, tenant);
    expect(large).toMatchObject({ ok: false, error: { limit: { limit: 65_536, used: 70_000 } } });
    await harness.data('add_subscriber', { email, fields: values(6) }, tenant);
    expect(await harness.refusal('add_subscriber', { email, fields: { more: 'x'.repeat(6_000) } }, tenant)).toBe(
      'LIMIT_REACHED',
    );
    expect(await harness.data('get_custom_fields', {}, tenant)).toMatchObject({ total: 6 });
  });
});
