import { subscriberDataRequests } from '#contracts';
import type { Service } from '#contracts';
import { implement } from '#tool-call';
import type { CallContext, ImplementationFactory } from './call-context.js';

interface SubscriberRecords {
  list(
    organizationId: string,
    subscriberId: string,
    page: { after: string | null; limit: number },
  ): Promise<{ id: string; [field: string]: unknown }[]>;
}

/** Implements a service's part of an export of all data of one subscriber. */
export const subscriberDataFactory =
  (service: Service, recordsOf: (context: CallContext) => SubscriberRecords): ImplementationFactory =>
  (context) =>
    implement(subscriberDataRequests(service), {
      list_subscriber_data: async ({ subscriberId, after, limit }, { organizationId }) => {
        const records = await recordsOf(context).list(organizationId, subscriberId, { after, limit });
        return { records, next: records.length === limit ? records.at(-1)!.id : null };
      },
    });
