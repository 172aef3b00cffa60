import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { bounce, inState, rowOf, reportedSince } from '../message-event-fixture.js';
import { historyOf, organization } from '../subscriber-fixture.js';

describe('reactivate_subscriber', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const asking = useFixture(() => organization(harness, { doubleOptIn: true }));

  it('resubscribes a complained subscriber, reports it, and starts no workflow', async () => {
    const { id } = await inState(harness, tenant, { email: 'c@example.com', status: 'COMPLAINED' });
    await reportedSince(harness);
    expect(await harness.data('reactivate_subscriber', { subscriberId: id }, tenant)).toMatchObject({
      subscriber: { id, status: 'SUBSCRIBED' },
    });
    expect(await reportedSince(harness)).toEqual([['subscriber.subscribed', false]]);
    expect((await historyOf(harness, tenant, 'c@example.com'))[0]).toBe('SUBSCRIBED');
    expect((await rowOf(harness, id)).complained_at).toBeNull();
    expect(await harness.data('add_subscriber', { email: 'c@example.com' }, tenant)).not.toHaveProperty('warnings');
  });

  it('refuses a hard bounce with SUBSCRIBER_HARD_BOUNCED unless it is forced, also after an unsubscription', async () => {
    const one = await inState(harness, tenant, { email: 'hard@example.com', status: 'BOUNCED' });
    const input = { subscriberId: one.id };
    expect(await harness.refusal('reactivate_subscriber', input, tenant)).toBe('SUBSCRIBER_HARD_BOUNCED');
    await harness.data('unsubscribe', input, tenant);
    const outcome = await harness.call('reactivate_subscriber', { ...input, force: false }, tenant);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'SUBSCRIBER_HARD_BOUNCED', code: 'REFUSED' } });
    expect(await harness.data('reactivate_subscriber', { ...input, force: true }, tenant)).toMatchObject({
      subscriber: { status: 'SUBSCRIBED' },
    });
  });

  it('needs no force where five soft bounces did it', async () => {
    const one = await inState(harness, tenant, { email: 'soft@example.com', status: 'SUBSCRIBED' });
    for (let i = 0; i < 5; i++)
      await bounce(harness, tenant, one, { bounceType: 'SOFT', bounceCategory: 'MAILBOX_FULL', reason: '452 full' });
    expect(await harness.data('reactivate_subscriber', { subscriberId: one.id }, tenant)).toMatchObject({
      subscriber: { status: 'SUBSCRIBED' },
    });
  });

  it('changes nothing of a SUBSCRIBED person', async () => {
    const { id } = await inState(harness, tenant, { email: 's@example.com', status: 'SUBSCRIBED' });
    await reportedSince(harness);
    expect(await harness.data('reactivate_subscriber', { subscriberId: id }, tenant)).toMatchObject({
      subscriber: { status: 'SUBSCRIBED' },
    });
    expect(await reportedSince(harness)).toEqual([]);
  });

  it('refuses banned subscribers with SUBSCRIBER_BANNED, and unsuppressed ones with SUBSCRIBER_NOT_SUPPRESSED', async () => {
    const refused = async (status: 'BANNED' | 'TRANSACTIONAL' | 'PENDING_CONFIRMATION', force: boolean) => {
      const { id } = await inState(harness, asking, { email: `${status}-${force}@example.com`, status });
      return await harness.refusal('reactivate_subscriber', { subscriberId: id, force }, asking);
    };
    for (const force of [false, true]) {
      expect(await refused('BANNED', force)).toBe('SUBSCRIBER_BANNED');
      expect(await refused('TRANSACTIONAL', force)).toBe('SUBSCRIBER_NOT_SUPPRESSED');
      expect(await refused('PENDING_CONFIRMATION', force)).toBe('SUBSCRIBER_NOT_SUPPRESSED');
    }
  });

  it('refuses unknown and foreign people with SUBSCRIBER_NOT_FOUND', async () => {
    const foreign = await inState(harness, otherTenant, { email: 'f@example.com', status: 'COMPLAINED' });
    for (const subscriberId of [newId('sub'), foreign.id, 'nonsense']) {
      expect(await harness.refusal('reactivate_subscriber', { subscriberId }, tenant)).toBe('SUBSCRIBER_NOT_FOUND');
    }
    expect((await rowOf(harness, foreign.id)).status).toBe('COMPLAINED');
  });
});
