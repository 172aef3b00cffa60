import { serviceCaller } from '#bus';
import type { SubscriberMailClient } from '../../message/subscriber-mail.client.js';
import type { SubscriberDataRepository } from './subscriber-data.repository.js';

/** Lists all messages to a subscriber, for the export of their data. */
export const subscriberData = (data: SubscriberDataRepository, mails: SubscriberMailClient) => ({
  list: async (organizationId: string, subscriberId: string, page: { after: string | null; limit: number }) =>
    await data.list(organizationId, await mails.find(subscriberId, serviceCaller(organizationId, subscriberId)), page),
});
