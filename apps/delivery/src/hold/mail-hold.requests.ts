import { mailHoldRequests } from '#contracts';
import { implement } from '#tool-call';
import type { MailHoldRepository } from './mail-hold.repository.js';

/** Beyond it, the exact number of waiting messages makes no difference. */
const countMax = 10_000;

export function implementMailHoldRequests(holds: MailHoldRepository) {
  const state = async () => ({ hold: await holds.find(), waiting: await holds.countWaiting(countMax) });
  return implement(mailHoldRequests, {
    get_mail_hold: () => state(),

    hold_mail: async ({ reason, by }) => {
      await holds.upsert(reason, by);
      return await state();
    },

    release_mail: async () => {
      await holds.delete();
      return await state();
    },
  });
}
