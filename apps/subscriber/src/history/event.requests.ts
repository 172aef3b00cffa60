import { paymentData, subscriberEventRequests, subscriberEventTypes } from '#contracts';
import type { Args } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { CallContext, OrganizationSettingsCache } from '#service-host';
import { implement, summarise, ToolError } from '#tool-call';
import { readPayment } from '../payment/payment.js';
import { PaymentRepository } from '../payment/payment.repository.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import type { Place } from './history.repository.js';
import { HistoryRepository } from './history.repository.js';

type EventArgs = Args<(typeof subscriberEventRequests)['calls']['record_subscriber_event']>;

interface Recorded {
  data: Record<string, unknown>;
  revenue: number;
  warnings: string[];
  told: boolean;
}

export const implementEventRequests = (
  { manager, transaction }: CallContext,
  { settings }: { settings: OrganizationSettingsCache },
) =>
  implement(subscriberEventRequests, {
    record_subscriber_event: async (args, caller) => {
      const { organizationId, now } = caller;
      const id = await new SubscriberViewRepository(manager).getId(organizationId, namedBy(args.subscriber));
      const { data, revenue, warnings, told } = readEvent(args, (await settings.find(caller)).currency);
      const { eventType: type } = args;
      return await transaction(async (inner) => {
        // Locked, so that the events of this subscriber are ordered.
        const person = await new SubscriberRepository(inner.manager).lockById(organizationId, id);
        if (!person) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id });
        const at = now.toISOString();
        const line = { subscriberId: id, type, data, at };
        const [uuid] = await new HistoryRepository(inner.manager).insert(organizationId, [line]);
        if (revenue !== 0) await new PaymentRepository(inner.manager).addRevenue(organizationId, id, revenue);
        const about = { subscriberId: id, subscriberStatus: person.status, triggerWorkflows: true, occurredAt: at };
        const cause = { kind: 'tool' as const, id: caller.requestId };
        if (told) inner.outbox.add(organizationId, 'event.recorded', { ...about, cause, eventType: type, data }, id);
        const event = {
          id: wireId('evt', uuid!),
          eventType: type,
          data,
          subscriberId: id,
          organizationId,
          createdAt: at,
        };
        return { event, ...(warnings.length > 0 && { warnings }) };
      });
    },

    list_history: async ({ subscriber, eventTypes, order, take, cursor, ...asked }, { organizationId }) => {
      const views = new SubscriberViewRepository(manager);
      const person = await views.find(organizationId, await views.getId(organizationId, namedBy(subscriber)));
      if (!person) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: subscriber, by: 'id or email' });
      const { id, email, name } = person;
      const lines = await new HistoryRepository(manager).listPage(organizationId, id, {
        types: eventTypes,
        order,
        limit: take + 1,
        after: placeOf(cursor),
        search: asked.search || null,
        from: asked.startDate ?? null,
        to: asked.endDate ?? null,
      });
      const events = lines.slice(0, take).map(({ id: eventId, type, data, createdAt }) => ({
        id: eventId,
        eventType: type,
        data,
        subscriberId: id,
        createdAt,
        subscriber: { id, email, name },
      }));
      const last = events.at(-1);
      return { events, nextCursor: lines.length > take && last ? cursorOf(last) : null };
    },
  });

const namedBy = (text: string) => (uuidOf('sub', text) ? { subscriberId: text } : { email: text });

/**
 * Reads payments as revenue, marks the customer's own event names for workflows, and only records types of the history.
 */
function readEvent({ eventType, data }: EventArgs, currency: string): Recorded {
  if (eventType === 'SUBSCRIBER_PAYMENT' || eventType === 'SUBSCRIBER_REFUND') {
    const { data: read, revenue, warnings } = readPayment(eventType, paymentData.parse(data), currency);
    return { data: { ...data, ...read }, revenue, warnings, told: true };
  }
  const ofSystem = (subscriberEventTypes as readonly string[]).includes(eventType);
  return { data: ofSystem ? { ...data, source: 'api' } : data, revenue: 0, warnings: [], told: !ofSystem };
}

export const cursorOf = ({ createdAt, id }: { createdAt: string; id: string }): string => `${createdAt}/${id}`;

/** The place after which a page begins; the line there need not exist any more. @throws ToolError PARAMETERS_INVALID */
export function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  const [at = '', id] = cursor.split('/');
  if (uuidOf('evt', id) && !Number.isNaN(Date.parse(at))) return { at, id: id! };
  const issues = [{ path: ['cursor'], message: 'must be the nextCursor of the page before' }];
  throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}
