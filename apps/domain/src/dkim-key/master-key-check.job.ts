import type { Logger } from '#observability';
import type { DkimKeyRepository } from './dkim-key.repository.js';

/**
 * Warns of DKIM keys that are sealed under another master key, such as rows that were copied from another installation. It
 * is no reason to end: a start refuses a master key that opens nothing, so other domains go on sending.
 */
export async function checkMasterKey(
  keys: Pick<DkimKeyRepository, 'countSealedOtherwise'>,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  const count = await keys.countSealedOtherwise();
  if (count === 0) return;
  log.error({ keys: count }, 'MASTER_KEY is not the one that DKIM keys are sealed under: their domains send nothing');
}
