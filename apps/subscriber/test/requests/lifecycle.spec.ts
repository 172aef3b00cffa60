import { describe, expect, it } from '@jest/globals';
import { subscriberLifeRequests, subscriberRequests } from '#contracts';
import { newId, uuidOf } from '#database';
import { addressHasher } from '#link-token';
import { Harness } from '../../../../test/harness/harness.js';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { DeletionRepository } from '../../src/subscriber/deletion.repository.js';
import { FormerSubscriberRepository } from '../../src/subscriber/former-subscriber.repository.js';
import { bounce, complain, inState, rowOf, setBan, reportedSince } from '../message-event-fixture.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('a life from outside the tools', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const life = () => harness.client(subscriberLifeRequests);
  const remove = (who: { subscriberId?: string; email?: string }, by = tenant) =>
    life().delete_subscriber(who, harness.caller(by));
  const statusOf = async (email: string, by = tenant) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { email }, by)).subscriber.status;

  describe('delete_subscriber', () => {
    it('deletes the subscriber with all personal data, counts it, and notifies other services', async () => {
      const one = await person(harness, tenant, {
        email: 'gone@example.com',
        tags: ['held'],
        fields: { City: 'Oslo' },
      });
      await harness.data('create_event', { email: one.email, eventType: 'SUBSCRIBER_PAYMENT', amount: 5 }, tenant);
      await reportedSince(harness);
      expect(await remove({ email: 'GONE@example.com' })).toEqual({ id: one.id, email: 'gone@example.com' });
      for (const table of ['subscriber', 'subscriber_event', 'subscriber_tag', 'subscriber_activity']) {
        const rows = await harness
          .dataSource('subscriber')
          .query(`select 1 from ${table} where subscriber_id = $1`, [uuidOf('sub', one.id)]);
        expect({ table, rows }).toEqual({ table, rows: [] });
      }
      expect(await reportedSince(harness)).toEqual([['subscriber.deleted', false]]);
      const { tags } = await harness.data<{ tags: { subscribersCount: number }[] }>('list_tags', {}, tenant);
      expect(tags).toMatchObject([{ name: 'held', subscribersCount: 0 }]);
      expect(await harness.data('count_subscribers', {}, tenant)).toEqual({ total: 0 });
      expect(await person(harness, tenant, { email: 'gone@example.com' })).toMatchObject({
        customFields: {},
        tags: [],
      });
    });

    it.each([
      ['BOUNCED', 'hard_bounced_at'],
      ['COMPLAINED', 'complained_at'],
      ['BANNED', 'banned_at'],
    ] as const)(
      'keeps the mark of a %s address as a keyed hash: no import or add can mail it again',
      async (status, column) => {
        const email = `kept-${status}@example.com`;
        const one = await inState(harness, tenant, { email, status });
        await remove({ subscriberId: one.id });
        const marks: Record<string, unknown>[] = await harness
          .dataSource('subscriber')
          .query(`select * from address_mark where ${column} is not null`);
        expect(marks).toHaveLength(1);
        expect(JSON.stringify(marks)).not.toContain('kept-');
        expect(
          await harness.data('import_subscribers', { subscribers: [{ email, name: 'Back' }] }, tenant),
        ).toMatchObject({
          imported: 1,
          warnings: [expect.stringContaining(status)],
        });
        expect(await statusOf(email)).toBe(status);
        const value = email.toUpperCase();
        const filters = [{ type: 'STRING', field: 'email', operator: 'EQUALS', value }];
        const { total } = await harness
          .client(subscriberRequests)
          .count_recipients({ filters }, harness.caller(tenant));
        expect(total).toBe(0);
        await inState(harness, otherTenant, { email, status: 'SUBSCRIBED' });
        expect(await statusOf(email, otherTenant)).toBe('SUBSCRIBED');
      },
    );

    it('keeps that a person had unsubscribed: an import leaves them so, a wish to resubscribe does not', async () => {
      const email = 'left@example.com';
      const remade = async (input: object) => {
        await remove({ email });
        return await harness.data<{ warnings?: string[] }>('import_subscribers', input, tenant);
      };
      await inState(harness, tenant, { email, status: 'UNSUBSCRIBED' });
      const back = { subscribers: [{ email }] };
      expect(await remade(back)).toMatchObject({ imported: 1, warnings: [expect.stringContaining('UNSUBSCRIBED')] });
      expect(await statusOf(email)).toBe('UNSUBSCRIBED');
      expect(await remade(back)).toMatchObject({ imported: 1, warnings: [expect.stringContaining('UNSUBSCRIBED')] });
      expect(await statusOf(email)).toBe('UNSUBSCRIBED');
      expect(await remade({ ...back, resubscribe: true })).not.toHaveProperty('warnings');
      expect(await statusOf(email)).toBe('SUBSCRIBED');
      expect(await remade(back)).not.toHaveProperty('warnings');
      expect(await statusOf(email)).toBe('SUBSCRIBED');
      await inState(harness, otherTenant, { email, status: 'SUBSCRIBED' });
      expect(await statusOf(email, otherTenant)).toBe('SUBSCRIBED');
    });

    it('keeps an unsubscription beneath a ban, and when a person takes the address over', async () => {
      const one = await inState(harness, tenant, { email: 'beneath@example.com', status: 'UNSUBSCRIBED' });
      await setBan(harness, tenant, 'beneath@example.com');
      await remove({ subscriberId: one.id });
      await harness.data('import_subscribers', { subscribers: [{ email: 'beneath@example.com' }] }, tenant);
      expect(await setBan(harness, tenant, 'beneath@example.com', false)).toMatchObject({ status: 'UNSUBSCRIBED' });
      await remove({ email: 'beneath@example.com' });
      const mover = await person(harness, tenant, { email: 'mover@example.com' });
      const move = { subscriber: mover.id, email: 'beneath@example.com' };
      expect(await harness.data('update_subscriber', move, tenant)).toMatchObject({
        subscriber: { status: 'UNSUBSCRIBED' },
        warnings: [expect.stringContaining('resubscribe')],
      });
      expect(await harness.data('update_subscriber', move, tenant)).not.toHaveProperty('warnings');
    });

    it('keeps the suppression entry of an address that is added while it is deleted', async () => {
      const [email, { organizationId }] = ['moment@example.com', tenant];
      const { id } = await inState(harness, tenant, { email, status: 'COMPLAINED' });
      const hash = addressHasher(environmentFor('').MASTER_KEY!)(organizationId, email);
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      const adding = await harness.dataSource('subscriber').transaction(async (manager) => {
        await new DeletionRepository(manager).delete(organizationId, id, hash);
        const added = harness.data('import_subscribers', { subscribers: [{ email }], resubscribe: true }, tenant);
        while ((await harness.dataSource('subscriber').query<unknown[]>(waits)).length === 0);
        return { added };
      });
      expect(await adding.added).toMatchObject({ imported: 1, warnings: [expect.stringContaining('COMPLAINED')] });
      expect(await statusOf(email)).toBe('COMPLAINED');
    });

    it('forgets the mark when the person comes back and is reactivated', async () => {
      const one = await inState(harness, tenant, { email: 'back@example.com', status: 'BOUNCED' });
      await remove({ subscriberId: one.id });
      const again = await person(harness, tenant, { email: 'back@example.com' });
      const input = { subscriberId: again.id };
      expect(await harness.refusal('reactivate_subscriber', input, tenant)).toBe('SUBSCRIBER_HARD_BOUNCED');
      await harness.data('reactivate_subscriber', { ...input, force: true }, tenant);
      await remove(input);
      expect(await person(harness, tenant, { email: 'back@example.com' })).toMatchObject({ status: 'SUBSCRIBED' });
    });

    it('records unsubscriptions and complaints from earlier mail, so that a new subscriber with the address receives none', async () => {
      const [leaver, complainer] = [
        await person(harness, tenant, { email: 'late-leaver@example.com' }),
        await person(harness, tenant, { email: 'late-complainer@example.com' }),
      ];
      for (const { id } of [leaver, complainer]) await remove({ subscriberId: id });
      const byLink = { source: 'one-click' as const, campaignId: null, messageId: null };
      const left = await harness
        .client(subscriberRequests)
        .unsubscribe_by_link({ subscriberId: leaver.id, ...byLink }, harness.caller(tenant));
      expect(left).toMatchObject({ email: null, changed: false });
      await complain(harness, tenant, complainer);
      const subscribers = [leaver, complainer].map(({ email }) => ({ email }));
      await harness.data('import_subscribers', { subscribers }, tenant);
      expect(await statusOf(leaver.email)).toBe('UNSUBSCRIBED');
      expect(await statusOf(complainer.email)).toBe('COMPLAINED');
    });

    it('hears of a hard bounce of mail they had before, if it is of the address that they had last', async () => {
      const [gone, moved] = [
        await person(harness, tenant, { email: 'late-bounce@example.com' }),
        await person(harness, tenant, { email: 'moved-to@example.com' }),
      ];
      for (const { id } of [gone, moved]) await remove({ subscriberId: id });
      await bounce(harness, tenant, gone);
      await bounce(harness, tenant, { id: moved.id, email: 'moved-from@example.com' });
      await bounce(harness, otherTenant, { id: moved.id, email: moved.email });
      const subscribers = [gone, moved].map(({ email }) => ({ email }));
      await harness.data('import_subscribers', { subscribers }, tenant);
      expect(await statusOf(gone.email)).toBe('BOUNCED');
      expect(await statusOf(moved.email)).toBe('SUBSCRIBED');
    });

    it('erases the addresses of former subscribers after 400 days', async () => {
      const { id } = await person(harness, tenant, { email: 'long-gone@example.com' });
      await remove({ subscriberId: id });
      const database = harness.dataSource('subscriber');
      const former = new FormerSubscriberRepository(database);
      const age = (days: number) =>
        database.query(
          `update former_subscriber set deleted_at = now() - make_interval(days => $2) where subscriber_id = $1`,
          [uuidOf('sub', id), days],
        );
      await age(399);
      expect(await former.deleteOld()).toBe(0);
      await age(401);
      expect(await former.deleteOld()).toBe(1);
    });

    it('ignores events that arrive after the deletion', async () => {
      const one = await inState(harness, tenant, { email: 'later@example.com', status: 'SUBSCRIBED' });
      await remove({ subscriberId: one.id });
      await bounce(harness, tenant, one);
      const rows = await harness
        .dataSource('subscriber')
        .query(`select 1 from subscriber_event where subscriber_id = $1`, [uuidOf('sub', one.id)]);
      expect(rows).toEqual([]);
    });

    it('refuses unknown and foreign people, no identifier, and two that disagree', async () => {
      const foreign = await inState(harness, otherTenant, { email: 'foreign@example.com', status: 'SUBSCRIBED' });
      const one = await inState(harness, tenant, { email: 'one@example.com', status: 'SUBSCRIBED' });
      await inState(harness, tenant, { email: 'two@example.com', status: 'SUBSCRIBED' });
      const reasonOf = (who: object) =>
        remove(who).then(
          () => 'done',
          (error: { failure: { reason: string } }) => error.failure.reason,
        );
      for (const who of [{ subscriberId: newId('sub') }, { subscriberId: foreign.id }, { email: foreign.email }])
        expect(await reasonOf(who)).toBe('SUBSCRIBER_NOT_FOUND');
      expect(await reasonOf({})).toBe('IDENTIFIER_MISSING');
      expect(await reasonOf({ subscriberId: one.id, email: 'two@example.com' })).toBe('IDENTIFIERS_DISAGREE');
      expect(await statusOf('foreign@example.com', otherTenant)).toBe('SUBSCRIBED');
    });
  });

  describe('set_ban', () => {
    it('bans an address without a subscriber in advance, and lifts that too', async () => {
      expect(await setBan(harness, tenant, 'Stranger@example.com')).toEqual({
        email: 'Stranger@example.com',
        status: null,
      });
      expect(await person(harness, tenant, { email: 'stranger@example.com' })).toMatchObject({ status: 'BANNED' });
      expect(await setBan(harness, tenant, 'stranger@example.com', false)).toMatchObject({ status: 'SUBSCRIBED' });
      await setBan(harness, tenant, 'other@example.com');
      await setBan(harness, tenant, 'other@example.com', false);
      expect(await person(harness, tenant, { email: 'other@example.com' })).toMatchObject({ status: 'SUBSCRIBED' });
      const left = await harness.dataSource('subscriber').query(
        `select 1 from address_mark where banned_at is not null
        and organization_id = $1 and address_hash not in (select address_hash from address_mark where hard_bounced_at is not null)`,
        [uuidOf('org', tenant.organizationId)],
      );
      expect(left).toHaveLength(1); // the one whose banned subscriber was deleted above
    });

    it('refuses an invalid address', async () => {
      await expect(setBan(harness, tenant, 'nonsense')).rejects.toMatchObject({
        failure: { reason: 'PARAMETERS_INVALID' },
      });
    });
  });

  describe('admit_transactional', () => {
    const admit = (email: string, by = tenant) => life().admit_transactional({ email }, harness.caller(by));

    it('creates a TRANSACTIONAL subscriber for a new address once, and finds existing ones', async () => {
      const all = await Promise.all(Array.from({ length: 5 }, () => admit('Buyer@example.com')));
      expect(new Set(all.map(({ subscriberId }) => subscriberId)).size).toBe(1);
      expect(all[0]).toMatchObject({ status: 'TRANSACTIONAL', suppressed: null });
      expect(await harness.data('get_subscriber', { email: 'buyer@example.com' }, tenant)).toMatchObject({
        subscriber: { status: 'TRANSACTIONAL', email: 'Buyer@example.com' },
      });
      const known = await inState(harness, tenant, { email: 'known@example.com', status: 'UNSUBSCRIBED' });
      expect(await admit('KNOWN@example.com')).toEqual({
        subscriberId: known.id,
        status: 'UNSUBSCRIBED',
        suppressed: null,
      });
      const { counts } = await harness.data<{ counts: Record<string, number> }>(
        'count_subscribers_by_status',
        {},
        tenant,
      );
      expect(counts.TRANSACTIONAL).toBe(1);
    });

    it.each(['BOUNCED', 'COMPLAINED', 'BANNED'] as const)('says when a mark forbids even that: %s', async (status) => {
      await inState(harness, tenant, { email: `no-${status}@example.com`, status });
      expect(await admit(`no-${status}@example.com`)).toMatchObject({ status, suppressed: status });
    });

    it('refuses an invalid address', async () => {
      await expect(admit('nonsense')).rejects.toMatchObject({ failure: { reason: 'PARAMETERS_INVALID' } });
    });
  });

  describe('rename_by_link', () => {
    const rename = (subscriberId: string, name: string) =>
      life().rename_by_link({ subscriberId, name }, harness.caller(tenant));

    it('changes the name, cleaned and cut, and nothing else', async () => {
      const one = await person(harness, tenant, { email: 'named@example.com', name: 'Old', phone: '1' });
      expect(await rename(one.id, '  Ada\u0000 Lovelace ')).toEqual({ changed: true });
      expect(await rowOf(harness, one.id)).toMatchObject({ name: 'Ada Lovelace', phone: '1', status: 'SUBSCRIBED' });
      await rename(one.id, 'x'.repeat(1000));
      expect(await rowOf(harness, one.id)).toMatchObject({ name: 'x'.repeat(255) });
      await rename(one.id, `${'x'.repeat(254)}😀`);
      expect(await rowOf(harness, one.id)).toMatchObject({ name: 'x'.repeat(254) });
      await rename(one.id, ' ');
      expect(await rowOf(harness, one.id)).toMatchObject({ name: null });
    });

    it('does nothing for a subscriber who is deleted or of another organization', async () => {
      const foreign = await person(harness, otherTenant, { email: 'named@example.com', name: 'Theirs' });
      for (const id of [foreign.id, newId('sub'), 'nonsense'])
        expect(await rename(id, 'x')).toEqual({ changed: false });
      expect(await rowOf(harness, foreign.id)).toMatchObject({ name: 'Theirs' });
    });
  });
});
