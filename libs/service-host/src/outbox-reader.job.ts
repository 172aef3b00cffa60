import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import { eventRepairRequests } from '#contracts';
import type { Service } from '#contracts';
import { OutboxReaderRepository } from '#events';
import type { Job, ServiceDependencies, ServicePlan } from './service-plan.js';

const requestMs = 5_000;

/**
 * Asks the services that apply events how far they are, so that the outbox keeps what one of them lacks. One that does not
 * answer, or is of an older version, is as far as it last was.
 */
export const outboxReaderJob = (
  { service }: Pick<ServicePlan, 'service'>,
  { bus, dataSource }: Pick<ServiceDependencies, 'bus' | 'dataSource'>,
  consumers: readonly Service[],
): Job => ({
  name: 'note what consumers have applied',
  everyMs: 600_000,
  run: async () => {
    const readers = new OutboxReaderRepository(dataSource.manager);
    await readers.insert(consumers);
    const published = await readers.getPublished();
    for (const consumer of consumers) {
      const requests = bus.client(eventRepairRequests(consumer));
      const state = await requests
        .get_applied_numbers({ source: service }, serviceCaller('', randomUUID(), requestMs))
        .catch(() => null);
      if (state && !state.hasGaps) await readers.updateApplied(consumer, state.lanes, published);
    }
  },
});
