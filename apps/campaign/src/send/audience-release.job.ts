import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { subscriberRequests } from '#contracts';
import type { Logger } from '#observability';
import type { Job } from '#service-host';
import { isUnanswered, RemoteFailure } from '#tool-call';
import type { SendRepository } from './send.repository.js';

/** Interval of the release in milliseconds. It is not urgent: an unreleased audience only occupies space. */
const everyMs = 30_000;
const atOnceMax = 50;

interface Dependencies {
  sends: SendRepository;
  bus: ServiceBus;
  log: Logger;
}

/**
 * Releases the audiences of finished campaigns in the subscriber service. One that is refused does not affect the
 * others.
 */
export const releaseAudiences = ({ sends, bus, log }: Dependencies): Job => ({
  name: 'release audiences',
  everyMs,
  run: async () => {
    for (const held of await sends.listHeldAudiences(atOnceMax)) {
      const { organizationId, audienceId } = held;
      const caller = serviceCaller(organizationId, `release ${audienceId}`);
      try {
        await bus.client(subscriberRequests).release_audience({ audienceId }, caller);
        await sends.updateAudienceReleased(held);
      } catch (error) {
        // If the subscriber service does not respond, the other audiences are not attempted either.
        if (!(error instanceof RemoteFailure) || isUnanswered(error.failure)) throw error;
        log.warn({ err: error, organizationId, audienceId }, 'audience not released; will retry');
      }
    }
  },
});
