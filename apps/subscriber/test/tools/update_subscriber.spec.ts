import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { inState, rowOf, setBan, reportedSince } from '../message-event-fixture.js';
import { historyOf, organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('update_subscriber', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  let asking: Tenant;
  const update = (subscriber: string, change: object = {}, by = tenant) =>
    harness.data<{ subscriber: Subscriber; warnings?: string[] }>(
      ...(['update_subscriber', { subscriber, ...change }, by] as const),
    );
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    asking = await organization(harness, { doubleOptIn: true });
  });

  it('changes the given fields, by id or by address; null clears, and the rest stays', async () => {
    const one = await person(harness, tenant, {
      email: 'ada@example.com',
      name: 'Ada',
      phone: '1',
      fields: { City: 'Oslo', Team: 'a' },
      tags: ['kept'],
    });
    expect((await update(one.id, { phone: '+2' })).subscriber).toMatchObject({ name: 'Ada', phone: '+2' });
    const { subscriber } = await update('ADA@example.com', { name: null, fields: { City: null, Team: 'b' } });
    expect(subscriber).toMatchObject({
      name: null,
      phone: '+2',
      customFields: { Team: 'b' },
      tags: [{ name: 'kept' }],
    });
    expect(subscriber.updatedAt > one.updatedAt).toBe(true);
    expect((await historyOf(harness, tenant, 'ada@example.com')).slice(0, 2)).toEqual([
      'FIELD_UPDATED',
      'FIELD_UPDATED',
    ]);
  });

  it('resubscribes only on request, and warns of a suppression', async () => {
    const gone = await inState(harness, tenant, { email: 'gone@example.com', status: 'UNSUBSCRIBED' });
    expect((await update(gone.id, { name: 'Gone' })).subscriber).toMatchObject({
      status: 'UNSUBSCRIBED',
      name: 'Gone',
    });
    expect((await update(gone.id, { resubscribe: true })).subscriber.status).toBe('SUBSCRIBED');
    await setBan(harness, tenant, gone.email);
    const banned = await update(gone.id, { name: 'Banned', resubscribe: true });
    expect(banned).toMatchObject({ subscriber: { status: 'BANNED', name: 'Banned' }, warnings: [expect.any(String)] });
  });

  it('adds tags, and replaces them only when tags are given with replaceTags', async () => {
    const { id } = await person(harness, tenant, { email: 'tags@example.com', tags: ['a', 'b'] });
    const names = async (change: object) => (await update(id, change)).subscriber.tags.map(({ name }) => name);
    expect(await names({ tags: ['c'] })).toEqual(['a', 'b', 'c']);
    expect(await names({ replaceTags: true })).toEqual(['a', 'b', 'c']);
    expect(await names({ tags: ['b'], replaceTags: true })).toEqual(['b']);
    expect(await names({ tags: [], replaceTags: true })).toEqual([]);
    const tagged = (await update(id, { tags: ['a'] })).subscriber;
    expect((await update(id, { tags: ['A'] })).subscriber).toEqual(tagged);
    expect((await update(id, { tags: [], replaceTags: true })).subscriber.updatedAt > tagged.updatedAt).toBe(true);
  });

  it('notifies other services whether workflows may start: yes, unless triggerWorkflows is false', async () => {
    const { id } = await person(harness, tenant, { email: 'told@example.com' });
    await reportedSince(harness);
    await update(id, { tags: ['first'] });
    await update(id, { tags: ['second'], triggerWorkflows: false });
    expect(await reportedSince(harness)).toEqual([
      ['tag.added', 'first', true],
      ['tag.added', 'second', false],
    ]);
  });

  it('gives another address, in any spelling, and the old one is free again', async () => {
    const one = await person(harness, tenant, { email: 'before@example.com' });
    const { subscriber } = await update('before@example.com', { email: 'Après.Tout@Bücher.example' });
    expect(subscriber).toMatchObject({ id: one.id, email: 'Après.Tout@Bücher.example', status: 'SUBSCRIBED' });
    expect((await update('après.tout@xn--bcher-kva.example')).subscriber.id).toBe(one.id);
    expect((await update(one.id, { email: 'APRÈS.TOUT@bücher.example' })).subscriber.email).toMatch(/^APRÈS/);
    expect((await person(harness, tenant, { email: 'before@example.com' })).id).not.toBe(one.id);
  });

  it('requests a confirmation at the new address of a pending subscriber, and only there', async () => {
    const { id } = await person(harness, asking, { email: 'first@example.com' });
    const forget = `update subscriber set confirmation_due_at = null, confirmation_sent_at = now() where organization_id is not null`;
    await harness.dataSource('subscriber').query(forget);
    await update(id, { name: 'Still pending' }, asking);
    expect((await rowOf(harness, id)).confirmation_due_at).toBeNull();
    await update(id, { email: 'second@example.com' }, asking);
    expect((await rowOf(harness, id)).confirmation_due_at).toBeInstanceOf(Date);
  });

  it('keeps marks with the address that is left, and takes those of the new one', async () => {
    const bad = await inState(harness, tenant, { email: 'bad@example.com', status: 'BOUNCED' });
    expect((await update(bad.id, { email: 'good@example.com' })).subscriber.status).toBe('BOUNCED');
    expect(await person(harness, tenant, { email: 'bad@example.com' })).toMatchObject({ status: 'BOUNCED' });
    await setBan(harness, tenant, 'stranger@example.com');
    const innocent = await person(harness, tenant, { email: 'innocent@example.com' });
    const moved = await update(innocent.id, { email: 'stranger@example.com' });
    expect(moved).toMatchObject({ subscriber: { status: 'BANNED' }, warnings: [expect.stringContaining('BANNED')] });
    const { counts } = await harness.data<{ counts: Record<string, number> }>(
      'count_subscribers_by_status',
      {},
      tenant,
    );
    const rows: { status: string; n: number }[] = await harness
      .dataSource('subscriber')
      .query(
        `select status, count(*)::int as n from subscriber s group by status, organization_id having bool_or(email = 'stranger@example.com')`,
      );
    expect(rows.every(({ status, n }) => counts[status] === n)).toBe(true);
  });

  it('refuses another subscriber’s address with EMAIL_TAKEN and their id, also for two calls at once', async () => {
    const owner = await person(harness, tenant, { email: 'owner@example.com' });
    const other = await person(harness, tenant, { email: 'other@example.com' });
    const outcome = await harness.call(
      'update_subscriber',
      { subscriber: other.id, email: 'OWNER@example.com' },
      tenant,
    );
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'EMAIL_TAKEN', code: 'CONFLICT' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain(owner.id);
    const racing = [owner, other].map(({ id }) =>
      harness.call('update_subscriber', { subscriber: id, email: 'wanted@example.com' }, tenant),
    );
    const reasons = (await Promise.all(racing)).map((one) => (one.ok ? 'done' : one.error.reason));
    expect(reasons.sort()).toEqual(['EMAIL_TAKEN', 'done']);
  });

  it('refuses unknown and foreign people with SUBSCRIBER_NOT_FOUND', async () => {
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com', name: 'Foreign' });
    for (const subscriber of [newId('sub'), foreign.id, foreign.email, 'nonsense']) {
      expect(await harness.refusal('update_subscriber', { subscriber, name: 'x' }, tenant)).toBe(
        'SUBSCRIBER_NOT_FOUND',
      );
    }
    expect(await harness.data('get_subscriber', { subscriberId: foreign.id }, otherTenant)).toMatchObject({
      subscriber: { name: 'Foreign' },
    });
  });

  it('refuses wrong addresses, reserved names and unknown countries', async () => {
    const { id } = await person(harness, tenant, { email: 'strict@example.com' });
    const refused = (change: object) => harness.refusal('update_subscriber', { subscriber: id, ...change }, tenant);
    expect(await refused({ email: 'a@b@c' })).toBe('PARAMETERS_INVALID');
    expect(await refused({ nmae: 'x' })).toBe('PARAMETERS_INVALID');
    expect(await refused({ fields: { Status: 'x' } })).toBe('FIELD_RESERVED');
    expect(await refused({ country: 'Atlantis' })).toBe('COUNTRY_UNKNOWN');
  });

  it('refuses more custom fields or values than allowed with LIMIT_REACHED, and allows old values to shrink', async () => {
    const tenant = await organization(harness);
    const { id } = await person(harness, tenant, { email: 'grown@example.com', fields: { a: 'a', b: 'b' } });
    const fields = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`field ${n}`, 'x']));
    expect(await harness.refusal('update_subscriber', { subscriber: id, fields }, tenant)).toBe('LIMIT_REACHED');
    // Written before there was a limit.
    await harness.dataSource('subscriber').query(
      `update subscriber set custom = (select jsonb_object_agg(key, repeat('x', 40000)) from jsonb_each(custom))
         where subscriber_id = $1`,
      [uuidOf('sub', id)],
    );
    const change = (value: string | null) =>
      harness.call('update_subscriber', { subscriber: id, fields: { a: value } }, tenant);
    expect(await change('y'.repeat(10_000))).toMatchObject({ ok: true });
    expect(await change(null)).toMatchObject({ ok: true });
    await harness.data('update_subscriber', { subscriber: id, fields: { c: 'z'.repeat(10_000) } }, tenant);
    expect(
      await harness.refusal(
        'update_subscriber',
        { subscriber: id, fields: { d: 'z'.repeat(10_000), e: 'z'.repeat(10_000) } },
        tenant,
      ),
    ).toBe('LIMIT_REACHED');
  });
});
