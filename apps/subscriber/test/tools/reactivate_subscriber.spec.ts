import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { bounce, inState, rowOf, reportedSince } from '../message-event-fixture.js';
import { historyOf, organization } from '../subscriber-fixture.js';

describe('reactivate_subscriber', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  let asking: Tenant;
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
    asking = await organization(tidings, { doubleOptIn: true });
  });
  afterAll(() => tidings.stop());

  it('subscribes a complained person again, tells of it, and starts no workflow', async () => {
    const { id } = await inState(tidings, ours, { email: 'c@example.com', status: 'COMPLAINED' });
    await reportedSince(tidings);
    expect(await tidings.data('reactivate_subscriber', { subscriberId: id }, ours)).toMatchObject({
      subscriber: { id, status: 'SUBSCRIBED' },
    });
    expect(await reportedSince(tidings)).toEqual([['subscriber.subscribed', false]]);
    expect((await historyOf(tidings, ours, 'c@example.com'))[0]).toBe('SUBSCRIBED');
    expect((await rowOf(tidings, id)).complained_at).toBeNull();
    expect(await tidings.data('add_subscriber', { email: 'c@example.com' }, ours)).not.toHaveProperty('warnings');
  });

  it('refuses a hard bounce with SUBSCRIBER_HARD_BOUNCED unless it is forced, also after an unsubscription', async () => {
    const one = await inState(tidings, ours, { email: 'hard@example.com', status: 'BOUNCED' });
    const input = { subscriberId: one.id };
    expect(await tidings.refusal('reactivate_subscriber', input, ours)).toBe('SUBSCRIBER_HARD_BOUNCED');
    await tidings.data('unsubscribe', input, ours);
    const outcome = await tidings.call('reactivate_subscriber', { ...input, force: false }, ours);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'SUBSCRIBER_HARD_BOUNCED', code: 'REFUSED' } });
    expect(await tidings.data('reactivate_subscriber', { ...input, force: true }, ours)).toMatchObject({
      subscriber: { status: 'SUBSCRIBED' },
    });
  });

  it('needs no force where five soft bounces did it', async () => {
    const one = await inState(tidings, ours, { email: 'soft@example.com', status: 'SUBSCRIBED' });
    for (let i = 0; i < 5; i++)
      await bounce(tidings, ours, one, { bounceType: 'SOFT', bounceCategory: 'MAILBOX_FULL', reason: '452 full' });
    expect(await tidings.data('reactivate_subscriber', { subscriberId: one.id }, ours)).toMatchObject({
      subscriber: { status: 'SUBSCRIBED' },
    });
  });

  it('changes nothing of a SUBSCRIBED person', async () => {
    const { id } = await inState(tidings, ours, { email: 's@example.com', status: 'SUBSCRIBED' });
    await reportedSince(tidings);
    expect(await tidings.data('reactivate_subscriber', { subscriberId: id }, ours)).toMatchObject({
      subscriber: { status: 'SUBSCRIBED' },
    });
    expect(await reportedSince(tidings)).toEqual([]);
  });

  it('refuses the banned with SUBSCRIBER_BANNED, and those nothing stands against with SUBSCRIBER_NOT_SUPPRESSED', async () => {
    const refused = async (status: 'BANNED' | 'TRANSACTIONAL' | 'PENDING_CONFIRMATION', force: boolean) => {
      const { id } = await inState(tidings, asking, { email: `${status}-${force}@example.com`, status });
      return await tidings.refusal('reactivate_subscriber', { subscriberId: id, force }, asking);
    };
    for (const force of [false, true]) {
      expect(await refused('BANNED', force)).toBe('SUBSCRIBER_BANNED');
      expect(await refused('TRANSACTIONAL', force)).toBe('SUBSCRIBER_NOT_SUPPRESSED');
      expect(await refused('PENDING_CONFIRMATION', force)).toBe('SUBSCRIBER_NOT_SUPPRESSED');
    }
  });

  it('refuses unknown and foreign people with SUBSCRIBER_NOT_FOUND', async () => {
    const foreign = await inState(tidings, theirs, { email: 'f@example.com', status: 'COMPLAINED' });
    for (const subscriberId of [newId('sub'), foreign.id, 'nonsense']) {
      expect(await tidings.refusal('reactivate_subscriber', { subscriberId }, ours)).toBe('SUBSCRIBER_NOT_FOUND');
    }
    expect((await rowOf(tidings, foreign.id)).status).toBe('COMPLAINED');
  });
});
