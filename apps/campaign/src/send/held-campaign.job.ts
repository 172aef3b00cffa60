import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { approvalRequests } from '#contracts';
import type { Logger } from '#observability';
import type { Job } from '#service-host';
import type { SendRepository } from './send.repository.js';

const everyMs = 10_000;
const atOnceMax = 20;
/** A claimed campaign is tried again after this time, also by another process. */
const leaseMs = 60_000;

const notApprovedAgain =
  'Nothing was sent: the campaign or its audience changed after approval and was not approved again within 24 hours.';

interface Dependencies {
  sends: SendRepository;
  bus: ServiceBus;
  log: Logger;
}

/** Asks once for each hold for another approval, in the name of the first asker, and fails campaigns held for a day. */
export const askAgainForHeld = ({ sends, bus, log }: Dependencies): Job => ({
  name: 'ask again for held campaigns',
  everyMs,
  run: async () => {
    for (const { id, organizationId: organization } of await sends.failHeld(notApprovedAgain))
      bus.live.publish({ name: 'campaign.changed', id, organization });
    for (const held of await sends.claimHeld(atOnceMax, leaseMs)) {
      const { organizationId, campaign } = held;
      const { id: campaignId, timezone, approved, heldAt } = campaign;
      const caller = serviceCaller(organizationId, `held ${campaignId}`);
      const asked = {
        approvalId: approved!.approvalId,
        tool: 'schedule_campaign',
        parameters: { campaignId, timezone: timezone! },
        since: heldAt!.toISOString(),
      };
      try {
        await bus.client(approvalRequests).ask_approval_again(asked, caller);
        await sends.updateAskedAgain(held);
      } catch (error) {
        log.warn({ err: error, campaignId }, 'no approval was asked for a held campaign; will retry');
      }
    }
  },
});
