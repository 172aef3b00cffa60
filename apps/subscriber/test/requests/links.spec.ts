import { describe, expect, it } from '@jest/globals';
import { subscriberRequests, subscriberTagRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { bounce } from '../message-event-fixture.js';
import { historyOf, mark, organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('what people do by the links of a message', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const ask = () => harness.client(subscriberRequests);
  const leave = (subscriberId: string, by = tenant, ids = { campaignId: newId('cmp'), messageId: newId('msg') }) =>
    ask().unsubscribe_by_link({ subscriberId, source: 'one-click', ...ids }, harness.caller(by));
  const back = (subscriberId: string, by = tenant) => ask().resubscribe_by_link({ subscriberId }, harness.caller(by));
  const get = async ({ id }: Pick<Subscriber, 'id'>) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId: id }, tenant)).subscriber;

  it('unsubscribes at once and once, with the campaign in the history and the event', async () => {
    const ada = await person(harness, tenant, { email: 'ada@example.com' });
    await harness.deliverEvents();
    const ids = { campaignId: newId('cmp'), messageId: newId('msg') };
    expect(await leave(ada.id, tenant, ids)).toEqual({ email: 'ada@example.com', changed: true, resubscribable: true });
    expect((await get(ada)).status).toBe('UNSUBSCRIBED');
    expect(await leave(ada.id, tenant, ids)).toEqual({
      email: 'ada@example.com',
      changed: false,
      resubscribable: true,
    });
    expect(await harness.deliverEvents()).toMatchObject([
      { name: 'subscriber.unsubscribed', data: { subscriberId: ada.id, source: 'one-click', reason: null, ...ids } },
    ]);
    const { events } = await harness.data<{ events: object[] }>('list_subscriber_events', { email: ada.email }, tenant);
    expect(events[0]).toMatchObject({ data: { source: 'one-click', campaignId: ids.campaignId } });
  });

  it('reports a repeated unsubscription from the same campaign, so that subscribers are counted once', async () => {
    const eve = await person(harness, tenant, { email: 'eve@example.com' });
    await harness.deliverEvents();
    const [first, second] = [newId('cmp'), newId('cmp')];
    for (const campaignId of [first, first, second]) {
      await leave(eve.id, tenant, { campaignId, messageId: newId('msg') });
      await back(eve.id);
    }
    const published = (await harness.deliverEvents()).filter(({ name }) => name === 'subscriber.unsubscribed');
    expect(published.map(({ data }) => ('again' in data ? data.again : undefined))).toEqual([
      undefined,
      true,
      undefined,
    ]);
  });

  it('succeeds for a subscriber who is deleted or of another organization, and changes nothing', async () => {
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com' });
    for (const id of [newId('sub'), foreign.id, 'nonsense']) {
      expect(await leave(id)).toEqual({ email: null, changed: false, resubscribable: false });
      expect(await back(id)).toEqual({ email: null, changed: false });
    }
    const seen = await harness.data('get_subscriber', { email: foreign.email }, otherTenant);
    expect(seen).toMatchObject({ subscriber: { status: 'SUBSCRIBED' } });
  });

  it('resubscribes unsubscribed subscribers, but no suppressed one', async () => {
    const bob = await person(harness, tenant, { email: 'bob@example.com' });
    expect(await back(bob.id)).toMatchObject({ changed: false });
    await leave(bob.id);
    expect(await back(bob.id)).toEqual({ email: 'bob@example.com', changed: true });
    expect((await get(bob)).status).toBe('SUBSCRIBED');
    await mark(harness, bob, 'complained');
    expect(await leave(bob.id)).toMatchObject({ changed: true, resubscribable: false });
    expect(await back(bob.id)).toMatchObject({ changed: false });
    expect((await get(bob)).status).toBe('UNSUBSCRIBED');
  });

  it('does not resubscribe an address that soft bounces had suppressed before the unsubscription', async () => {
    const full = await person(harness, tenant, { email: 'full@example.com' });
    for (let n = 0; n < 5; n++) {
      await bounce(harness, tenant, full, {
        bounceType: 'SOFT',
        bounceCategory: 'MAILBOX_FULL',
        reason: '452 4.2.2 full',
      });
    }
    expect((await get(full)).status).toBe('BOUNCED');
    expect(await leave(full.id)).toMatchObject({ changed: true, resubscribable: false });
    await back(full.id);
    await harness.data('add_subscriber', { email: full.email }, tenant);
    expect((await get(full)).status).toBe('UNSUBSCRIBED');
  });

  it('changes tags: adds missing ones, removes present ones, and reports each change once', async () => {
    const { id } = await person(harness, tenant, { email: 'tags@example.com', tags: ['old', 'kept'] });
    await harness.deliverEvents();
    for (const _ of [1, 2]) {
      await ask().change_tags_by_link(
        { subscriberId: id, add: ['New'], remove: ['OLD', 'none'] },
        harness.caller(tenant),
      );
    }
    expect((await get({ id })).tags.map(({ name }) => name)).toEqual(['kept', 'New']);
    expect((await historyOf(harness, tenant, 'tags@example.com')).slice(0, 2)).toEqual(['TAG_ADDED', 'TAG_REMOVED']);
    expect(await harness.deliverEvents()).toMatchObject([
      { name: 'tag.removed', data: { tagName: 'old', triggerWorkflows: true, cause: { kind: 'link' } } },
      { name: 'tag.added', data: { tagName: 'New', triggerWorkflows: true, cause: { kind: 'link' } } },
    ]);
    const gone = { subscriberId: newId('sub'), add: ['New'], remove: [] };
    expect(await ask().change_tags_by_link(gone, harness.caller(tenant))).toEqual({});
  });

  it('means a renamed tag by its former names, until another tag has the name', async () => {
    const { id } = await person(harness, tenant, { email: 'renamed@example.com', tags: ['leaves'] });
    const tags = harness.client(subscriberTagRequests);
    const follow = async (add: string, remove = 'leaves') => {
      await ask().change_tags_by_link({ subscriberId: id, add: [add], remove: [remove] }, harness.caller(tenant));
      return (await get({ id })).tags.map(({ name }) => name);
    };
    const rename = (tag: string, name: string) => tags.rename_tag({ tag, name }, harness.caller(tenant));
    await harness.data('create_tag', { name: 'Wanted' }, tenant);
    await rename('wanted', 'Wanted 2027');
    await rename('leaves', 'Left');
    expect(await follow('WANTED')).toEqual(['Wanted 2027']);
    await rename('wanted 2027', 'Wanted');
    await rename('wanted', 'wanted');
    await rename('wanted', 'Wanted 2028');
    expect(await follow('Wanted 2027')).toEqual(['Wanted 2028']);
    await harness.data('create_tag', { name: 'wanted' }, tenant);
    expect(await follow('Wanted', 'wanted 2027')).toEqual(['wanted']);
  });
});
