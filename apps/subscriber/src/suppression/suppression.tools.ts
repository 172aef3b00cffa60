import { suppressionTools } from '#contracts';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import type { HashAddress } from '#link-token';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import { SuppressionRepository } from './suppression.repository.js';
import { SuppressionService } from './suppression.service.js';

export const implementSuppressionTools = (
  { manager, outbox }: CallContext,
  { hashAddress }: { hashAddress: HashAddress },
) =>
  implement(suppressionTools, {
    list_suppressed_subscribers: async ({ status = null, page, pageSize }, { organizationId }) => {
      const suppressions = new SuppressionRepository(manager);
      const total = await suppressions.count(organizationId, status);
      const rows = { offset: (page - 1) * pageSize, limit: pageSize };
      const suppressed = await suppressions.list(organizationId, status, rows);
      return { suppressed, total, page, pageSize, pageCount: Math.ceil(total / pageSize) };
    },

    reactivate_subscriber: async ({ subscriberId, force = false }, { organizationId, now, requestId }) => {
      const options = { organizationId, now, cause: { kind: 'tool' as const, id: requestId } };
      const found = await new SuppressionService(manager, outbox, hashAddress).reactivate(subscriberId, force, options);
      if (!found) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: subscriberId });
      return { subscriber: (await new SubscriberViewRepository(manager).find(organizationId, subscriberId))! };
    },
  });
