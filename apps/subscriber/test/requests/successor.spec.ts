import { describe, expect, it } from '@jest/globals';
import { subscriberLifeRequests, subscriberRequests, subscriberWorkflowRequests } from '#contracts';
import { newId } from '#database';
import { Outbox } from '#events';
import { addressHasher } from '#link-token';
import { Harness } from '../../../../test/harness/harness.js';
import { environmentFor } from '../../../../test/harness/service-plans.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { StatusService } from '../../src/subscriber/status.service.js';
import { aboutMessageTo, bounce, complain } from '../message-event-fixture.js';
import { historyOf, organization, person, tell } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

const byLink = { source: 'one-click' as const, campaignId: null, messageId: null };

describe('a subscriber who was deleted and is added again', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));

  const life = () => harness.client(subscriberLifeRequests);
  const remove = (subscriberId: string) => life().delete_subscriber({ subscriberId }, harness.caller(tenant));
  const get = async (subscriberId: string) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId }, tenant)).subscriber;
  const statusOf = async (subscriberId: string) => (await get(subscriberId)).status;
  const idOf = async (email: string) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { email }, tenant)).subscriber.id;
  const leave = (subscriberId: string) =>
    harness.client(subscriberRequests).unsubscribe_by_link({ subscriberId, ...byLink }, harness.caller(tenant));
  const back = (subscriberId: string) =>
    harness.client(subscriberRequests).resubscribe_by_link({ subscriberId }, harness.caller(tenant));
  /** Applies a choice later than it was made. */
  const left = (subscriberId: string, at: Date) =>
    harness.dataSource('subscriber').transaction(async (manager) => {
      const { organizationId } = tenant;
      const options = { organizationId, now: at, triggerWorkflows: true };
      const cause = { kind: 'link' as const, id: null };
      await new StatusService(manager, new Outbox('subscriber')).unsubscribeAsOf(
        subscriberId,
        { ...byLink, reason: null },
        { ...options, cause },
      );
    });
  const move = (subscriber: string, email: string) => harness.data('update_subscriber', { subscriber, email }, tenant);
  const deleted = async (email: string) => {
    const one = await person(harness, tenant, { email });
    await remove(one.id);
    return one;
  };
  const again = async (email: string) => (await person(harness, tenant, { email })).id;

  const creations: [string, (email: string) => Promise<unknown>][] = [
    ['an add', (email) => person(harness, tenant, { email })],
    ['an import', (email) => harness.data('import_subscribers', { subscribers: [{ email }] }, tenant)],
    ['a transactional message', (email) => life().admit_transactional({ email }, harness.caller(tenant))],
    ['a rename', async (email) => move((await person(harness, tenant, { email: `old-${email}` })).id, email)],
  ];

  it.each(creations)('through %s is unsubscribed by the mail of before', async (name, come) => {
    const email = `leaves-${name.replaceAll(' ', '-')}@example.com`;
    const former = await deleted(email);
    await come(email);
    const id = await idOf(email);
    await harness.deliverEvents();
    expect(await leave(former.id)).toEqual({ email: null, changed: true, resubscribable: true });
    expect(await statusOf(id)).toBe('UNSUBSCRIBED');
    expect(await harness.deliverEvents()).toMatchObject([
      { name: 'subscriber.unsubscribed', data: { subscriberId: id, source: 'former' } },
    ]);
    expect(await back(former.id)).toEqual({ email: null, changed: true });
    expect(await statusOf(id)).toBe('SUBSCRIBED');
  });

  it.each(creations)('through %s is suppressed by a complaint about the mail of before', async (name, come) => {
    const email = `complains-${name.replaceAll(' ', '-')}@example.com`;
    const former = await deleted(email);
    await come(email);
    await complain(harness, tenant, former);
    expect(await statusOf(await idOf(email))).toBe('COMPLAINED');
    expect(await historyOf(harness, tenant, email)).toContain('EMAIL_COMPLAINED');
  });

  it('is unsubscribed by a workflow that meant the one of before', async () => {
    const former = await deleted('workflow@example.com');
    const id = await again('workflow@example.com');
    const action = { kind: 'UNSUBSCRIBE' as const, reason: null };
    const subjects = [{ subscriberId: former.id, callId: newId('run') }];
    await harness
      .client(subscriberWorkflowRequests)
      .apply_workflow_action({ workflowId: newId('wf'), action, subjects }, harness.caller(tenant));
    expect(await statusOf(id)).toBe('UNSUBSCRIBED');
  });

  it('keeps the past of all who had the address, also when the address changes later', async () => {
    const email = 'many@example.com';
    const [first, second] = [await deleted(email), await deleted(email)];
    const id = await again(email);
    await move(id, 'moved-on@example.com');
    const other = await again(email);
    await leave(first.id);
    expect(await statusOf(id)).toBe('UNSUBSCRIBED');
    await complain(harness, tenant, second);
    expect(await statusOf(id)).toBe('UNSUBSCRIBED');
    expect(await harness.data('add_subscriber', { email: 'moved-on@example.com' }, tenant)).toMatchObject({
      warnings: [expect.stringContaining('COMPLAINED')],
    });
    expect(await statusOf(other)).toBe('SUBSCRIBED');
  });

  it('passes the past on when deleted in turn', async () => {
    const email = 'chain@example.com';
    const first = await deleted(email);
    const second = await again(email);
    await move(second, 'chain-moved@example.com');
    await remove(second);
    await leave(first.id);
    const subscribers = [email, 'chain-moved@example.com', 'chain-stranger@example.com'].map((one) => ({ email: one }));
    await harness.data('import_subscribers', { subscribers }, tenant);
    const statuses = await Promise.all(subscribers.map(async (one) => statusOf(await idOf(one.email))));
    expect(statuses).toEqual(['UNSUBSCRIBED', 'UNSUBSCRIBED', 'SUBSCRIBED']);
    const third = await deleted('handed-on@example.com');
    await remove(await again('handed-on@example.com'));
    const fourth = await again('handed-on@example.com');
    await leave(third.id);
    expect(await statusOf(fourth)).toBe('UNSUBSCRIBED');
  });

  it('is BOUNCED when earlier mail bounces permanently, with any present owner of the address', async () => {
    const email = 'dead@example.com';
    const former = await deleted(email);
    const first = await again(email);
    await move(first, 'alive@example.com');
    const holder = await again(email);
    await bounce(harness, tenant, former);
    expect([await statusOf(first), await statusOf(holder)]).toEqual(['SUBSCRIBED', 'BOUNCED']);
    // An erased message names its address by the hash alone.
    const erased = await deleted('erased@example.com');
    const heir = await again('erased@example.com');
    const addressHash = addressHasher(environmentFor('').MASTER_KEY!)(tenant.organizationId, 'erased@example.com');
    const data = {
      ...aboutMessageTo({ id: erased.id, email: '' }),
      addressHash,
      provider: null,
      status: '5.1.1',
      bounceType: 'HARD' as const,
      bounceCategory: 'NO_SUCH_USER' as const,
      reason: '550 no such user',
    };
    await tell(harness, tenant, [{ name: 'message.bounced', data }]);
    expect(await statusOf(heir)).toBe('BOUNCED');
    await remove(heir);
    await tell(harness, tenant, [{ name: 'message.bounced', data }]);
    expect(await statusOf(await again('erased@example.com'))).toBe('BOUNCED');
  });

  it('is not held by the one who moved away when the address that they left bounces; the next who has it is', async () => {
    const mover = await person(harness, tenant, { email: 'left-behind@example.com' });
    await move(mover.id, 'moved-away@example.com');
    await bounce(harness, tenant, mover);
    expect(await statusOf(mover.id)).toBe('SUBSCRIBED');
    expect(await statusOf(await again('left-behind@example.com'))).toBe('BOUNCED');
  });

  it.each([
    ['an add', (email: string) => harness.data('add_subscriber', { email }, tenant)],
    [
      'an import that resubscribes',
      (email: string) => harness.data('import_subscribers', { subscribers: [{ email }], resubscribe: true }, tenant),
    ],
    [
      'an update that resubscribes',
      (email: string) => harness.data('update_subscriber', { subscriber: email, resubscribe: true }, tenant),
    ],
    ['the link', async (email: string) => back(await idOf(email))],
    [
      'a reactivation',
      async (email: string) => {
        const subscriberId = await idOf(email);
        await leave(subscriberId);
        await harness.data('reactivate_subscriber', { subscriberId }, tenant);
      },
    ],
  ])('is left as they are by an unsubscription that is older than their own yes: %s', async (name, yes) => {
    const email = `yes-${name.replaceAll(' ', '-')}@example.com`;
    const former = await deleted(email);
    await harness.data('import_subscribers', { subscribers: [{ email }] }, tenant);
    const id = await idOf(email);
    const before = new Date(Date.now() - 1);
    await yes(email);
    await left(former.id, before);
    await left(id, before);
    expect(await statusOf(id)).toBe('SUBSCRIBED');
    await left(former.id, new Date(Date.now()));
    expect(await statusOf(id)).toBe('UNSUBSCRIBED');
  });

  it('is left unchanged by events older than a consent from before the deletion', async () => {
    const email = 'long-ago@example.com';
    const former = await deleted(email);
    await left(former.id, new Date(Date.now() - 60_000));
    await harness.data('import_subscribers', { subscribers: [{ email }] }, tenant);
    expect(await statusOf(await idOf(email))).toBe('SUBSCRIBED');
  });

  it('is reached by a choice that comes at the moment they are added', async () => {
    const email = 'moment-of-return@example.com';
    const former = await deleted(email);
    for (let round = 0; round < 10; round++) {
      const [added] = await Promise.all([
        harness.data('import_subscribers', { subscribers: [{ email }] }, tenant),
        leave(former.id),
      ]);
      expect(added).toMatchObject({ imported: 1 });
      const id = await idOf(email);
      expect(await statusOf(id)).toBe('UNSUBSCRIBED');
      await harness.data('reactivate_subscriber', { subscriberId: id }, tenant);
      await remove(id);
    }
  });
});
