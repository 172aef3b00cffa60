import type { Job } from '#service-host';
import type { Repositories } from '../repositories.js';
import { tokenEndMail } from '../session/system-mail.js';
import type { SystemMailer } from '../session/system-mailer.client.js';

/**
 * Mails makers of tokens a week and a day before the end. The mail's key keeps a repeated run from mailing twice; a mail
 * that was not accepted is tried again.
 */
export const tokenNoticeJob = (tokens: Repositories['tokens'], mailer: SystemMailer): Job => ({
  name: 'notify makers of ending tokens',
  everyMs: 600_000,
  run: async () => {
    for (const { id, notice, email, ...token } of await tokens.listEnding()) {
      const key = `token-end:${id}:${token.expiresAt.toISOString()}:${notice}`;
      if (await mailer.send(key, email, tokenEndMail(token))) await tokens.updateNotified(id, notice);
    }
  },
});
