import type { ServiceBus } from '#bus';
import type { CallContext } from '#service-host';
import type { MailComposer } from '../content/mail.composer.js';
import type { SenderDirectory } from '../sender/sender.directory.js';
import type { CampaignRepository } from './campaign.repository.js';

/** What the handlers of campaigns work with. */
export interface CampaignParts {
  campaigns: CampaignRepository;
  composer: MailComposer;
  senders: SenderDirectory;
  bus: ServiceBus;
  transaction: CallContext['transaction'];
}

/**
 * Repeats an attempt that answers null because the record was changed between its reading, on which other services were
 * asked, and its guarded write. Each repeat means that somebody else's change went through.
 */
export async function untilUnchanged<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const result = await attempt();
    if (result !== null) return result;
  }
}
