import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { subscriberRequests } from '#contracts';
import type { Logger } from '#observability';
import type { Job } from '#service-host';
import { isUnanswered, RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';
import type { SendRepository, UnreleasedAudience } from './send.repository.js';

/** Not urgent: an unreleased audience only occupies space. */
const everyMs = 30_000;
const atOnceMax = 50;

interface Dependencies {
  sends: SendRepository;
  bus: ServiceBus;
  log: Logger;
}

/** Releases an audience in the subscriber service, and then forgets it; both may be repeated. */
export async function releaseAudience(
  { sends, bus }: Pick<Dependencies, 'sends' | 'bus'>,
  unreleased: UnreleasedAudience,
  caller: Caller,
): Promise<void> {
  await bus.client(subscriberRequests).release_audience({ audienceId: unreleased.audienceId }, caller);
  await sends.updateAudienceReleased(unreleased);
}

/**
 * Releases the audiences of campaigns that are finished, or were held; one that is refused does not affect the others.
 */
export const releaseAudiences = ({ sends, bus, log }: Dependencies): Job => ({
  name: 'release audiences',
  everyMs,
  run: async () => {
    for (const unreleased of await sends.listUnreleasedAudiences(atOnceMax)) {
      const { organizationId, audienceId } = unreleased;
      const caller = serviceCaller(organizationId, `release ${audienceId}`);
      try {
        await releaseAudience({ sends, bus }, unreleased, caller);
      } catch (error) {
        // If the subscriber service does not respond, the other audiences are not attempted either.
        if (!(error instanceof RemoteFailure) || isUnanswered(error.failure)) throw error;
        log.warn({ err: error, organizationId, audienceId }, 'audience not released; will retry');
      }
    }
  },
});
