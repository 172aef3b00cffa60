import { describe, expect, it } from '@jest/globals';
import { domainRequests, subscriberRequests, subscriberStatuses } from '#contracts';
import type { SubscriberStatus } from '#contracts';
import { Harness } from '../../../test/harness/harness.js';
import type { Tenant } from '../../../test/harness/harness.js';
import { useFixture } from '../../../test/harness/use-fixture.js';
import { bounce, inState, rowOf, setBan, reportedSince } from './message-event-fixture.js';
import { organization, person } from './subscriber-fixture.js';
import type { Subscriber } from './subscriber-fixture.js';

const [P, S, U, B, X, C, T] = subscriberStatuses;
const [hard, banned, no] = ['SUBSCRIBER_HARD_BOUNCED', 'SUBSCRIBER_BANNED', 'SUBSCRIBER_NOT_SUPPRESSED'];

/** A trigger: the tool, and its arguments beside the address. */
interface Trigger {
  tool: 'add_subscriber' | 'update_subscriber' | 'import_subscribers' | 'unsubscribe' | 'reactivate_subscriber';
  /** Whether the organization asks newcomers to confirm. */
  doubleOptIn: boolean;
  input?: object;
}

/**
 * Each trigger with the resulting status for each status, in the order of the API text; a refusal leaves the status.
 */
const table: [string, Trigger, (SubscriberStatus | string)[]][] = [
  ['add', { tool: 'add_subscriber', doubleOptIn: false }, [P, S, S, B, X, C, S]],
  ['add', { tool: 'add_subscriber', doubleOptIn: true }, [P, S, S, B, X, C, P]],
  [
    'add with skipDoubleOptIn',
    { tool: 'add_subscriber', doubleOptIn: true, input: { skipDoubleOptIn: true } },
    [S, S, S, B, X, C, S],
  ],
  [
    'add with skipDoubleOptIn and resubscribe false',
    { tool: 'add_subscriber', doubleOptIn: true, input: { skipDoubleOptIn: true, resubscribe: false } },
    [S, S, U, B, X, C, S],
  ],
  ['update of a name', { tool: 'update_subscriber', doubleOptIn: true, input: { name: 'Ada' } }, [P, S, U, B, X, C, T]],
  [
    'update with resubscribe',
    { tool: 'update_subscriber', doubleOptIn: true, input: { resubscribe: true } },
    [P, S, S, B, X, C, P],
  ],
  [
    'update with resubscribe',
    { tool: 'update_subscriber', doubleOptIn: false, input: { resubscribe: true } },
    [P, S, S, B, X, C, S],
  ],
  [
    'update with skipDoubleOptIn',
    { tool: 'update_subscriber', doubleOptIn: true, input: { skipDoubleOptIn: true } },
    [S, S, U, B, X, C, T],
  ],
  ['import', { tool: 'import_subscribers', doubleOptIn: true }, [P, S, U, B, X, C, S]],
  [
    'import with resubscribe',
    { tool: 'import_subscribers', doubleOptIn: true, input: { resubscribe: true } },
    [P, S, S, B, X, C, S],
  ],
  ['unsubscribe', { tool: 'unsubscribe', doubleOptIn: true }, [U, U, U, U, U, U, U]],
  ['reactivate', { tool: 'reactivate_subscriber', doubleOptIn: true }, [no, S, S, hard, banned, S, no]],
  [
    'reactivate with force',
    { tool: 'reactivate_subscriber', doubleOptIn: true, input: { force: true } },
    [no, S, S, S, banned, S, no],
  ],
];
const rows = table.flatMap(([name, trigger, outcomes], line) =>
  subscriberStatuses.map((from, at) => ({
    place: line * subscriberStatuses.length + at,
    from,
    trigger: `${name} (double opt-in ${trigger.doubleOptIn ? 'on' : 'off'})`,
    to: outcomes[at]!,
    facts: trigger,
  })),
);

describe('the life of a subscriber', () => {
  const harness = useFixture(() => Harness.start());
  const asking = useFixture(() => organization(harness, { doubleOptIn: true }));
  const open = useFixture(() => organization(harness));
  const setDoubleOptIn = (doubleOptIn: boolean) =>
    harness.client(domainRequests).set_organization({ ...open, doubleOptIn }, harness.caller({ organizationId: '' }));
  const statusOf = async (id: string, tenant: Tenant) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId: id }, tenant)).subscriber.status;
  const apply = ({ tool, input }: Trigger, { id, email }: { id: string; email: string }, tenant: Tenant) => {
    const whom = {
      add_subscriber: { email },
      update_subscriber: { subscriber: id },
      import_subscribers: { subscribers: [{ email }] },
      unsubscribe: { subscriberId: id },
      reactivate_subscriber: { subscriberId: id },
    }[tool];
    return harness.call(tool, { ...whom, ...input }, tenant);
  };

  it.each(rows)('$from, $trigger: $to', async ({ from, facts, to, place }) => {
    const tenant = facts.doubleOptIn ? asking : open;
    const email = `row-${place}@example.com`;
    if (!facts.doubleOptIn) await setDoubleOptIn(from === 'PENDING_CONFIRMATION');
    const one = await inState(harness, tenant, { email, status: from });
    if (!facts.doubleOptIn) await setDoubleOptIn(false);
    expect(await statusOf(one.id, tenant)).toBe(from);
    const outcome = await apply(facts, one, tenant);
    const isStatus = (subscriberStatuses as readonly string[]).includes(to);
    expect(outcome.ok ? 'done' : outcome.error.reason).toBe(isStatus ? 'done' : to);
    expect(await statusOf(one.id, tenant)).toBe(isStatus ? to : from);
  });

  it.each([
    ['double opt-in off', false, {}, S],
    ['double opt-in on', true, {}, P],
    ['double opt-in on and skipDoubleOptIn', true, { skipDoubleOptIn: true }, S],
  ])('a new subscriber with %s', async (name, doubleOptIn, input, status) => {
    const email = `new-${name.replace(/\W+/g, '-')}@example.com`;
    expect(await person(harness, doubleOptIn ? asking : open, { email, ...input })).toMatchObject({ status });
  });

  it('a new subscriber by an import is SUBSCRIBED without a confirmation, also with double opt-in on', async () => {
    await harness.data('import_subscribers', { subscribers: [{ email: 'imported@example.com' }] }, asking);
    const { subscriber } = await harness.data<{ subscriber: Subscriber }>(
      ...(['get_subscriber', { email: 'imported@example.com' }, asking] as const),
    );
    expect(subscriber.status).toBe('SUBSCRIBED');
    expect((await rowOf(harness, subscriber.id)).confirmation_due_at).toBeNull();
  });

  it('skipDoubleOptIn writes no evidence of a confirmation', async () => {
    for (const tool of ['add_subscriber', 'update_subscriber'] as const) {
      const email = `evidence-${tool}@example.com`;
      const { id } = await inState(harness, asking, { email, status: P });
      const input = { skipDoubleOptIn: true };
      expect(await apply({ tool, doubleOptIn: true, input }, { id, email }, asking)).toMatchObject({ ok: true });
      expect(await rowOf(harness, id)).toMatchObject({
        status: S,
        confirmed_at: null,
        confirmed_ip: null,
        confirmed_agent: null,
        confirmation_due_at: null,
      });
    }
  });

  it.each(['add_subscriber', 'update_subscriber'] as const)(
    '%s promotes first, then releases withheld tags, then reports new ones',
    async (tool) => {
      const email = `promoted-${tool}@example.com`;
      const { id } = await person(harness, asking, { email, tags: ['early'] });
      await reportedSince(harness);
      const input = { tags: ['late'], skipDoubleOptIn: true };
      expect(await apply({ tool, doubleOptIn: true, input }, { id, email }, asking)).toMatchObject({ ok: true });
      expect(await reportedSince(harness)).toEqual([
        ['subscriber.subscribed', true],
        ['tag.added', 'early', true],
        ['tag.added', 'late', true],
      ]);
    },
  );

  it('tags that were taken away while pending start nothing on promotion', async () => {
    const { id } = await person(harness, asking, { email: 'taken@example.com', tags: ['gone', 'kept'] });
    await harness.data('bulk_remove_tags', { subscriberIds: [id], tagNames: ['gone'] }, asking);
    await harness.data('bulk_add_tags', { subscriberIds: [id], tagNames: ['bulk'] }, asking);
    expect(await reportedSince(harness)).toContainEqual(['tag.added', 'bulk', false]);
    await harness.data('update_subscriber', { subscriber: id, skipDoubleOptIn: true }, asking);
    const published = await reportedSince(harness);
    expect(published[0]).toEqual(['subscriber.subscribed', true]);
    expect(published.slice(1).sort()).toEqual([
      ['tag.added', 'bulk', true],
      ['tag.added', 'kept', true],
    ]);
  });

  it.each(['hard bounce', 'complaint', 'ban'] as const)('a %s outlives an unsubscription and an add', async (what) => {
    const email = `marked-${what.replace(' ', '-')}@example.com`;
    const status = { 'hard bounce': B, complaint: C, ban: X }[what];
    const { id } = await inState(harness, open, { email, status });
    await harness.data('unsubscribe', { subscriberId: id }, open);
    const again = await harness.data<{ warnings: string[] }>('add_subscriber', { email, name: 'Again' }, open);
    expect(again).toMatchObject({
      subscriber: { status: U, name: 'Again' },
      warnings: [expect.stringContaining(status)],
    });
    const { total } = await harness
      .client(subscriberRequests)
      .count_recipients(
        { filters: [{ type: 'STRING', field: 'email', operator: 'EQUALS', value: email }] },
        harness.caller(open),
      );
    expect(total).toBe(0);
  });

  it('a lifted ban restores the status before, unless another suppression was recorded meanwhile', async () => {
    for (const before of [S, U, T, P]) {
      const email = `unban-${before}@example.com`;
      const { id } = await inState(harness, asking, { email, status: before });
      expect(await setBan(harness, asking, email)).toEqual({ email, status: X });
      expect(await setBan(harness, asking, email)).toEqual({ email, status: X });
      expect(await setBan(harness, asking, email, false)).toEqual({ email, status: before });
      expect((await rowOf(harness, id)).banned_at).toBeNull();
    }
    const bounced = await inState(harness, open, { email: 'unban-bounced@example.com', status: X });
    await bounce(harness, open, bounced);
    expect(await statusOf(bounced.id, open)).toBe(X);
    expect(await setBan(harness, open, bounced.email, false)).toMatchObject({ status: B });
  });

  it('a hard bounce of any final kind needs force, and a reactivation forgets it', async () => {
    const final = [
      { bounceCategory: 'NO_SUCH_USER' as const },
      { bounceCategory: 'INTERNAL' as const },
      { bounceCategory: 'OTHER' as const, reason: 'Address is on the suppression list of the provider' },
    ];
    for (const [place, change] of final.entries()) {
      const email = `final-${place}@example.com`;
      const one = await inState(harness, open, { email, status: S });
      await bounce(harness, open, one, change);
      const input = { subscriberId: one.id };
      expect(await harness.refusal('reactivate_subscriber', input, open)).toBe('SUBSCRIBER_HARD_BOUNCED');
      await harness.data('reactivate_subscriber', { ...input, force: true }, open);
      expect(await rowOf(harness, one.id)).toMatchObject({ status: S, hard_bounced_at: null, bounce_category: null });
    }
  });

  it('soft bounces on five sends within 30 days make BOUNCED, four do not, and a reactivation restarts the count', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const soft = { bounceType: 'SOFT' as const, bounceCategory: 'MAILBOX_FULL' as const };
    const one = await inState(harness, open, { email: 'soft@example.com', status: S });
    for (const days of [40, 29, 20, 10, 5]) await bounce(harness, open, one, { ...soft, at: daysAgo(days) });
    expect(await statusOf(one.id, open)).toBe(S);
    await bounce(harness, open, one, { ...soft, at: daysAgo(1) });
    expect(await statusOf(one.id, open)).toBe(B);
    await harness.data('reactivate_subscriber', { subscriberId: one.id }, open);
    await bounce(harness, open, one, soft);
    expect(await statusOf(one.id, open)).toBe(S);
  });

  it('only SUBSCRIBED subscribers without a suppression receive mail', async () => {
    const only = await organization(harness, { doubleOptIn: true });
    for (const status of subscriberStatuses) await inState(harness, only, { email: `${status}@example.com`, status });
    const caller = harness.caller(only);
    expect(await harness.client(subscriberRequests).count_recipients({ filters: [] }, caller)).toEqual({ total: 1 });
  });
});
