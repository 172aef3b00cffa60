import { paymentTools } from '#contracts';
import { wireId } from '#database';
import type { CallContext, OrganizationSettingsCache } from '#service-host';
import { implement, ToolError } from '#tool-call';
import { HistoryRepository } from '../history/history.repository.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { readPayment } from './payment.js';
import { PaymentRepository } from './payment.repository.js';

export const implementPaymentTools = (
  { manager, transaction }: CallContext,
  { settings }: { settings: OrganizationSettingsCache },
) =>
  implement(paymentTools, {
    create_event: async ({ subscriberId, email, ...payment }, caller) => {
      const { organizationId, now } = caller;
      const id = await new SubscriberViewRepository(manager).getId(organizationId, { subscriberId, email });
      const { currency: own } = await settings.find(caller);
      const type = payment.eventType;
      const { data, revenue, warnings } = readPayment(type, payment, own);
      return await transaction(async (inner) => {
        // Locked, so that the events of this subscriber are ordered.
        const person = await new SubscriberRepository(inner.manager).lockById(organizationId, id);
        if (!person) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id });
        const at = now.toISOString();
        const [uuid] = await new HistoryRepository(inner.manager).insert(organizationId, [
          { subscriberId: id, type, data, at },
        ]);
        if (revenue !== 0) await new PaymentRepository(inner.manager).addRevenue(organizationId, id, revenue);
        const about = { subscriberId: id, subscriberStatus: person.status, triggerWorkflows: true, occurredAt: at };
        const cause = { kind: 'tool' as const, id: caller.requestId };
        inner.outbox.add(organizationId, 'event.recorded', { ...about, cause, eventType: type, data }, id);
        const event = { id: wireId('evt', uuid!), type, subscriberId: id, data, createdAt: at };
        return { event, ...(warnings.length > 0 && { warnings }) };
      });
    },
  });
