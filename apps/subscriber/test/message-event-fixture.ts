import { subscriberLifeRequests } from '#contracts';
import type { EventData, SubscriberStatus } from '#contracts';
import { newId, uuidOf } from '#database';
import type { Harness, Tenant } from '../../../test/harness/harness.js';
import { person, tell } from './subscriber-fixture.js';
import type { Subscriber } from './subscriber-fixture.js';

/** What every fact about a message to somebody says. */
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

/** Lets mail to somebody bounce, as delivery tells it. */
export async function bounce(
  harness: Harness,
  tenant: Tenant,
  who: Pick<Subscriber, 'id' | 'email'>,
  { at, ...change }: Partial<Bounce> & { at?: Date } = {},
): Promise<void> {
  const data = { ...aboutMessageTo(who, at), ...noSuchUser, provider: 'example.com', status: '5.1.1', ...change };
  await tell(harness, tenant, [{ name: 'message.bounced', data }]);
}

/** Lets somebody call a message spam. */
export async function complain(harness: Harness, tenant: Tenant, who: Pick<Subscriber, 'id' | 'email'>): Promise<void> {
  const data = { ...aboutMessageTo(who), complaintFeedbackType: 'abuse', provider: 'example.com' };
  await tell(harness, tenant, [{ name: 'message.complained', data }]);
}

/** Bans an address, or lifts the ban, as the operator does. */
export const setBan = (harness: Harness, tenant: Tenant, email: string, banned = true) =>
  harness.client(subscriberLifeRequests).set_ban({ email, banned }, harness.caller(tenant));

/** Brings somebody new into a state by the way that leads there; PENDING_CONFIRMATION needs double opt-in. */
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

/** What other services were told since the last time: name, tag, and whether workflows may start. */
export async function reportedSince(harness: Harness): Promise<unknown[][]> {
  return (await harness.deliverEvents()).map(({ name, data }) => {
    const { tagName, triggerWorkflows } = data as { tagName?: string; triggerWorkflows?: boolean };
    return [name, ...(tagName === undefined ? [] : [tagName]), triggerWorkflows];
  });
}
