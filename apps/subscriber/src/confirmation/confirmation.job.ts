import { randomUUID } from 'node:crypto';
import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import type { messageRequests, domainRequests } from '#contracts';
import type { Logger } from '#observability';
import type { OrganizationSettingsCache } from '#service-host';
import { RemoteFailure } from '#tool-call';
import type { PublicLinks } from '../link/public-links.service.js';
import { confirmationMail } from './confirmation-mail.js';
import type { ConfirmationRepository, OwedConfirmation } from './confirmation.repository.js';

const claimMax = 20;
const deadlineMs = 10_000;

interface ConfirmationDependencies {
  confirmations: ConfirmationRepository;
  settings: OrganizationSettingsCache;
  delivery: Client<typeof messageRequests>;
  domain: Client<typeof domainRequests>;
  links: PublicLinks;
  log: Logger;
}

/** Sends the confirmation messages that are owed, each once over all attempts. @returns how many */
export async function sendConfirmations(parts: ConfirmationDependencies): Promise<number> {
  let sent = 0;
  for (;;) {
    const owed = await parts.confirmations.claim(claimMax);
    const done = await Promise.all(owed.map((one) => send(one, parts)));
    sent += done.filter(Boolean).length;
    if (owed.length < claimMax) return sent;
  }
}

async function send(owed: OwedConfirmation, parts: ConfirmationDependencies): Promise<boolean> {
  const { organizationId, subscriberId, email, country, sourceKey } = owed;
  try {
    const caller = serviceCaller(organizationId, randomUUID(), deadlineMs);
    const [{ name: from }, { hostname }] = await Promise.all([
      parts.settings.find(caller),
      parts.domain.find_link_host({}, caller),
    ]);
    const url = parts.links.confirmUrl(organizationId, subscriberId, hostname);
    const mail = confirmationMail({ from, country, url });
    await parts.delivery.queue_message({ sourceKey, subscriberId, email, ...mail }, caller);
    await parts.confirmations.updateSent(owed);
    return true;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    parts.log.warn({ err: error, organizationId, subscriberId }, 'confirmation message deferred');
    return false;
  }
}
