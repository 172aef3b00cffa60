import { serviceCaller } from '#bus';
import type { Client } from '#bus';
import type { messageRequests } from '#contracts';
import type { Logger } from '#observability';
import type { Repositories } from '../repositories.js';
import type { SystemMail } from './system-mail.js';

/** Sends mails of the installation itself, from the sender that SYSTEM_FROM names or the first organization's sandbox. */
export class SystemMailer {
  constructor(
    private readonly dependencies: {
      delivery: Client<typeof messageRequests>;
      repositories: Pick<Repositories, 'organizations' | 'senders'>;
      systemFrom: string;
      log: Logger;
    },
  ) {}

  /**
   * Hands a mail to the delivery service.
   * @param key names the mail, so that a repeated call sends it once
   * @returns whether it was accepted
   */
  async send(key: string, email: string, mail: SystemMail): Promise<boolean> {
    const { delivery, repositories, systemFrom, log } = this.dependencies;
    try {
      const [first] = await repositories.organizations.list();
      if (!first) return false;
      const sender = await repositories.senders.findSystem(first.id, systemFrom);
      if (!sender) return false;
      const caller = serviceCaller(first.id, key);
      await delivery.queue_system_message({ sourceKey: key, senderId: sender, email, ...mail }, caller);
      return true;
    } catch (error) {
      log.warn({ err: error, key }, 'a system mail was not accepted');
      return false;
    }
  }
}
