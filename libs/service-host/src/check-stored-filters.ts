import type { ServiceBus } from '#bus';
import { subscriberRequests } from '#contracts';
import type { Data, Filter } from '#contracts';
import { RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';

type Checked = Data<typeof subscriberRequests.calls.check_filters>;

/**
 * Checks filters that were saved before, whose values may fit nothing by today's rules. It asks plainly first: during an
 * upgrade a process of the version before refuses `stored`, and accepts such values.
 * @throws RemoteFailure FILTERS_INVALID or FILTER_TARGET_GONE for filters that cannot be evaluated
 */
export async function checkStoredFilters(bus: ServiceBus, filters: Filter[], caller: Caller): Promise<Checked> {
  const { check_filters } = bus.client(subscriberRequests);
  return await check_filters({ filters }, caller).catch((error: unknown) => {
    if (!(error instanceof RemoteFailure) || error.failure.reason !== 'FILTERS_INVALID') throw error;
    return check_filters({ filters, stored: true }, caller);
  });
}
