import type { Logger } from '#observability';
import type { DkimKeyRepository } from './dkim-key.repository.js';

/**
 * Warns of DKIM keys that are sealed under another master key, such as rows copied from another installation. The
 * process continues: a start refuses a master key that opens no key, so the other domains can send.
 */
export async function checkMasterKey(
  keys: Pick<DkimKeyRepository, 'countSealedOtherwise'>,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  const count = await keys.countSealedOtherwise();
  if (count === 0) return;
  log.error({ keys: count }, 'DKIM keys are sealed under another MASTER_KEY; their domains cannot send');
}
