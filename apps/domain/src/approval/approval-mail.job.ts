import type { Job } from '#service-host';
import type { Repositories } from '../repositories.js';
import { approvalMail } from '../session/system-mail.js';
import type { SystemMailer } from '../session/system-mailer.client.js';

interface Dependencies {
  repositories: Pick<Repositories, 'approvals' | 'approvalNotices' | 'organizations'>;
  mailer: Pick<SystemMailer, 'send'>;
  publicUrl: string;
}

/** A mail is named by what it is about, so that a repeated attempt sends it once. */
export const mailApprovers = ({ repositories, mailer, publicUrl }: Dependencies): Job => ({
  name: 'mail approvers',
  everyMs: 5_000,
  run: async () => {
    const { approvals, approvalNotices, organizations } = repositories;
    await approvalNotices.deleteOver();
    for (const notice of await approvalNotices.claim()) {
      const { organizationId, organizationNumber, userId, email, dueAt, approvalIds } = notice;
      const found = await Promise.all(approvalIds.map((id) => approvals.findById(id)));
      const waiting = found.filter((one) => one?.state === 'PENDING');
      const asked = waiting.map((one) => ({
        asker: one!.asker.name,
        message: one!.message,
        url: `${publicUrl}/${organizationNumber}/approvals/${one!.id}`,
      }));
      const { name } = await organizations.get(organizationId);
      const key = `approvals ${userId} ${organizationId} ${approvalIds.length > 1 ? dueAt.toISOString() : approvalIds[0]!}`;
      if (asked.length === 0 || (await mailer.send(key, email, approvalMail(name, asked))))
        await approvalNotices.delete(notice);
    }
  },
});
