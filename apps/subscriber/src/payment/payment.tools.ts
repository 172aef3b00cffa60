import { paymentTools } from '#contracts';
import type { Args } from '#contracts';
import { wireId } from '#database';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import { HistoryRepository } from '../history/history.repository.js';
import type { OrganizationSettingsCache } from '../organization/organization.settings.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { PaymentRepository } from './payment.repository.js';

type PaymentArgs = Args<(typeof paymentTools)['calls']['create_event']>;

export const implementPaymentTools = (
  { manager, transaction }: CallContext,
  { settings }: { settings: OrganizationSettingsCache },
) =>
  implement(paymentTools, {
    create_event: async ({ subscriberId, email, ...payment }, caller) => {
      const { organizationId, now } = caller;
      const id = await new SubscriberViewRepository(manager).getId(organizationId, { subscriberId, email });
      const { currency: own } = await settings.find(caller);
      const { data, revenue, warnings } = readPayment(payment, own);
      const type = payment.eventType;
      return await transaction(async (inner) => {
        // Held, so that the event comes in its turn among the others of this person.
        const person = await new SubscriberRepository(inner.manager).lockById(organizationId, id);
        if (!person) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id });
        const at = now.toISOString();
        const [uuid] = await new HistoryRepository(inner.manager).insert(organizationId, [
          { subscriberId: id, type, data, at },
        ]);
        if (revenue !== 0) await new PaymentRepository(inner.manager).addRevenue(organizationId, id, revenue);
        const event = { id: wireId('evt', uuid!), type, subscriberId: id, data, createdAt: at };
        return { event, ...(warnings.length > 0 && { warnings }) };
      });
    },
  });

/** @param own the currency that the organization's revenue is summed in */
function readPayment({ eventType, amount, currency: given, metadata = {} }: Omit<PaymentArgs, 'email'>, own: string) {
  const currency = given.toUpperCase();
  const counts = currency === own;
  const what = eventType === 'SUBSCRIBER_PAYMENT' ? 'payment' : 'refund';
  return {
    data: { amount: amount ?? 0, currency, metadata },
    revenue: counts ? (amount ?? 0) * (eventType === 'SUBSCRIBER_PAYMENT' ? 1 : -1) : 0,
    warnings: [
      ...(amount === undefined ? [`No amount was given: a ${what} of 0 is recorded.`] : []),
      ...(counts ? [] : [`Revenue is summed in ${own}: the ${what} in ${currency} is recorded and not counted.`]),
    ],
  };
}
