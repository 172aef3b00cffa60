import type { DomainEvent, EventData } from '#contracts';
import { newId } from '#database';

/** Writes batches of events as delivery does. Parameters: ids, lanes, organization, and the events of each as JSON. */
export const writeOpensSql = `insert into delivery.outbox (outbox_id, lane, organization_id, subject, events)
  select id, lane, $3::uuid, 'delivery', events from unnest($1::uuid[], $2::smallint[], $4::jsonb[]) u(id, lane, events)`;

/** An open of a message of a campaign. The organization need not exist: the campaign service counts it all the same. */
export const openedEvent = (
  organizationId: string,
  campaignId: string,
  data: Partial<EventData<'message.opened'>> = {},
): DomainEvent => ({
  id: newId('evt'),
  organizationId,
  name: 'message.opened',
  data: {
    messageId: newId('msg'),
    subscriberId: newId('sub'),
    campaignId,
    campaignName: 'Spring news',
    subject: 'Hello',
    email: 'reader@people.internal',
    at: new Date().toISOString(),
    simulated: false,
    machine: false,
    first: true,
    userAgent: null,
    ...data,
  },
});
