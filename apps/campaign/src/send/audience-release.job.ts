import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { subscriberRequests } from '#contracts';
import type { Job } from '#service-host';
import type { SendRepository } from './send.repository.js';

/** Nobody waits for it; the pages only take room. */
const everyMs = 5_000;
const atOnceMax = 50;

/** Gives the audiences of campaigns that are over back to the subscriber service. */
export const releaseAudiences = ({ sends, bus }: { sends: SendRepository; bus: ServiceBus }): Job => ({
  name: 'release audiences',
  everyMs,
  run: async () => {
    for (const held of await sends.listHeldAudiences(atOnceMax)) {
      const { organizationId, audienceId } = held;
      const caller = serviceCaller(organizationId, `release ${audienceId}`);
      await bus.client(subscriberRequests).release_audience({ audienceId }, caller);
      await sends.updateAudienceReleased(held);
    }
  },
});
