import { domainRequests } from '#contracts';
import type { EventData, EventName, SubscriberStatus } from '#contracts';
import { uuidOf } from '#database';
import { Outbox } from '#events';
import type { Harness, Tenant } from '../../../test/harness/harness.js';

export interface Subscriber {
  id: string;
  email: string;
  name: string | null;
  phone: string | null;
  status: SubscriberStatus;
  createdAt: string;
  updatedAt: string;
  tags: { id: string; name: string }[];
  customFields: Record<string, string>;
  revenue: number;
  emailCount: number;
  openCount: number;
  clickCount: number;
}

/** Creates an organization with the domain service. */
export async function organization(
  harness: Harness,
  settings: { doubleOptIn?: boolean; timezone?: string } = {},
): Promise<Tenant> {
  const domain = harness.client(domainRequests);
  const nobody = harness.caller({ organizationId: '' });
  const { organization: made } = await domain.create_organization({ name: 'An organization' }, nobody);
  await domain.set_organization({ organizationId: made.id, ...settings }, nobody);
  return { organizationId: made.id };
}

/** Adds a subscriber with a tool. */
export async function person(harness: Harness, tenant: Tenant, input: object): Promise<Subscriber> {
  return (await harness.data<{ subscriber: Subscriber }>('add_subscriber', input, tenant)).subscriber;
}

/** When a subscriber was changed last. */
export async function updatedAtOf(harness: Harness, tenant: Tenant, subscriberId: string): Promise<string> {
  const { subscriber } = await harness.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId }, tenant);
  return subscriber.updatedAt;
}

/** Marks a subscriber as an operator or a mail server would. */
export async function mark(
  harness: Harness,
  { id }: Pick<Subscriber, 'id'>,
  what: 'banned' | 'hard_bounced' | 'complained',
): Promise<void> {
  const status = { banned: 'BANNED', hard_bounced: 'BOUNCED', complained: 'COMPLAINED' }[what];
  await harness
    .dataSource('subscriber')
    .query(`update subscriber set ${what}_at = now(), status = $2 where subscriber_id = $1`, [
      uuidOf('sub', id),
      status,
    ]);
}

/** The types of a subscriber's history, newest first. */
export async function historyOf(harness: Harness, tenant: Tenant, email: string): Promise<string[]> {
  const { events } = await harness.data<{ events: { type: string }[] }>('list_subscriber_events', { email }, tenant);
  return events.map(({ type }) => type);
}

/** An event in the form in which delivery writes it. */
export type ReportedMail = { [N in EventName]: { name: N; data: EventData<N> } }[EventName];

/** Publishes events of delivery in one event batch and delivers them to every service. */
export async function tell(
  harness: Harness,
  { organizationId }: Tenant,
  reported: readonly ReportedMail[],
): Promise<void> {
  await harness.dataSource('delivery').transaction(async (manager) => {
    const outbox = new Outbox('delivery');
    for (const { name, data } of reported) outbox.add(organizationId, name, data, 'page');
    await outbox.flush(manager);
  });
  await harness.deliverEvents();
}
