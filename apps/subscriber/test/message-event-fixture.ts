import { subscriberLifeRequests } from '#contracts';
import type { EventData, SubscriberStatus } from '#contracts';
import { newId, uuidOf } from '#database';
import type { Harness, Tenant } from '../../../test/harness/harness.js';
import { person, tell } from './subscriber-fixture.js';
import type { Subscriber } from './subscriber-fixture.js';

/** Data that every event about a message to a subscriber has. */
export const aboutMessageTo = ({ id, email }: Pick<Subscriber, 'id' | 'email'>, at = new Date()) => ({
  messageId: newId('msg'),
  subscriberId: id,
  campaignId: null,
  campaignName: null,
  subject: 'Hello',
  email,
  at: at.toISOString(),
  simulated: false,
});

type Bounce = Pick<EventData<'message.bounced'>, 'bounceType' | 'bounceCategory' | 'reason'>;
const noSuchUser: Bounce = { bounceType: 'HARD', bounceCategory: 'NO_SUCH_USER', reason: '550 no such user' };

/** Reports a bounce of mail to a subscriber, as delivery does. */
export async function bounce(
  harness: Harness,
  tenant: Tenant,
  who: Pick<Subscriber, 'id' | 'email'>,
  { at, ...change }: Partial<Bounce> & { at?: Date } = {},
): Promise<void> {
  const data = { ...aboutMessageTo(who, at), ...noSuchUser, provider: 'example.com', status: '5.1.1', ...change };
  await tell(harness, tenant, [{ name: 'message.bounced', data }]);
}

/** Reports a spam complaint of a subscriber. */
export async function complain(harness: Harness, tenant: Tenant, who: Pick<Subscriber, 'id' | 'email'>): Promise<void> {
  const data = { ...aboutMessageTo(who), complaintFeedbackType: 'abuse', provider: 'example.com' };
  await tell(harness, tenant, [{ name: 'message.complained', data }]);
}

/** Bans an address, or lifts the ban, as the operator does. */
export const setBan = (harness: Harness, tenant: Tenant, email: string, banned = true) =>
  harness.client(subscriberLifeRequests).set_ban({ email, banned }, harness.caller(tenant));

/** Brings a new subscriber into a status by the usual calls; PENDING_CONFIRMATION needs double opt-in. */
export async function inState(
  harness: Harness,
  tenant: Tenant,
  { email, status }: { email: string; status: SubscriberStatus },
): Promise<{ id: string; email: string }> {
  if (status === 'TRANSACTIONAL') {
    const life = harness.client(subscriberLifeRequests);
    const { subscriberId } = await life.admit_transactional({ email }, harness.caller(tenant));
    return { id: subscriberId, email };
  }
  const skipDoubleOptIn = status !== 'PENDING_CONFIRMATION';
  const one = await person(harness, tenant, { email, skipDoubleOptIn });
  if (status === 'UNSUBSCRIBED') await harness.data('unsubscribe', { subscriberId: one.id }, tenant);
  if (status === 'BOUNCED') await bounce(harness, tenant, one);
  if (status === 'COMPLAINED') await complain(harness, tenant, one);
  if (status === 'BANNED') await setBan(harness, tenant, email);
  return one;
}

/** Columns of a subscriber's row that no tool shows. */
export async function rowOf(harness: Harness, id: string): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown>[] = await harness
    .dataSource('subscriber')
    .query(`select * from subscriber where subscriber_id = $1`, [uuidOf('sub', id)]);
  return rows[0]!;
}

/** Events delivered to other services since the last call: name, tag, and whether workflows may start. */
export async function reportedSince(harness: Harness): Promise<unknown[][]> {
  return (await harness.deliverEvents()).map(({ name, data }) => {
    const { tagName, triggerWorkflows } = data as { tagName?: string; triggerWorkflows?: boolean };
    return [name, ...(tagName === undefined ? [] : [tagName]), triggerWorkflows];
  });
}
