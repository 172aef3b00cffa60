import type { paymentTools } from '#contracts';
import type { Args } from '#contracts';

type PaymentArgs = Args<(typeof paymentTools)['calls']['create_event']>;

/** @param own the currency that the organization's revenue is summed in */
export function readPayment(
  eventType: PaymentArgs['eventType'],
  { amount, currency: given, metadata = {} }: Pick<PaymentArgs, 'amount' | 'currency' | 'metadata'>,
  own: string,
) {
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
