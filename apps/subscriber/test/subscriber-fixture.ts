import { domainRequests } from '#contracts';
import type { EventData, EventName, SubscriberStatus } from '#contracts';
import { uuidOf } from '#database';
import { Outbox } from '#events';
import type { Harness, Tenant } from '../../../test/harness/harness.js';

/** A subscriber as tools answer one. */
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

/** Makes an organization with the domain service. */
export async function organization(
  tidings: Harness,
  settings: { doubleOptIn?: boolean; timezone?: string } = {},
): Promise<Tenant> {
  const domain = tidings.client(domainRequests);
  const nobody = tidings.caller({ organizationId: '' });
  const { organization: made } = await domain.create_organization({ name: 'An organization' }, nobody);
  await domain.set_organization({ organizationId: made.id, ...settings }, nobody);
  return { organizationId: made.id };
}

/** Adds a subscriber with a tool. */
export async function person(tidings: Harness, tenant: Tenant, input: object): Promise<Subscriber> {
  return (await tidings.data<{ subscriber: Subscriber }>('add_subscriber', input, tenant)).subscriber;
}

/** When a subscriber was changed last. */
export async function updatedAtOf(tidings: Harness, tenant: Tenant, subscriberId: string): Promise<string> {
  const { subscriber } = await tidings.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId }, tenant);
  return subscriber.updatedAt;
}

/** Marks a subscriber as an operator or a mail server would. */
export async function mark(
  tidings: Harness,
  { id }: Pick<Subscriber, 'id'>,
  what: 'banned' | 'hard_bounced' | 'complained',
): Promise<void> {
  const status = { banned: 'BANNED', hard_bounced: 'BOUNCED', complained: 'COMPLAINED' }[what];
  await tidings
    .dataSource('subscriber')
    .query(`update subscriber set ${what}_at = now(), status = $2 where subscriber_id = $1`, [
      uuidOf('sub', id),
      status,
    ]);
}

/** The types of a subscriber's history, newest first. */
export async function historyOf(tidings: Harness, tenant: Tenant, email: string): Promise<string[]> {
  const { events } = await tidings.data<{ events: { type: string }[] }>('list_subscriber_events', { email }, tenant);
  return events.map(({ type }) => type);
}

/** An event of delivery, as it would be written there. */
export type ReportedMail = { [N in EventName]: { name: N; data: EventData<N> } }[EventName];

/** Publishes events of delivery in one envelope and carries them to every service. */
export async function tell(tidings: Harness, { organizationId }: Tenant, told: readonly ReportedMail[]): Promise<void> {
  await tidings.dataSource('delivery').transaction(async (manager) => {
    const outbox = new Outbox('delivery');
    for (const { name, data } of told) outbox.add(organizationId, name, data, 'page');
    await outbox.flush(manager);
  });
  await tidings.deliverEvents();
}
