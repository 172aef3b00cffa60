import type { Logger } from '#observability';
import type { DkimKeyRepository } from './dkim-key.repository.js';

/**
 * Tells the operator of a MASTER_KEY that is not the one of this database, since nothing else would before mail fails. It is
 * no reason to end: whoever lost the key still has to get their people out.
 */
export async function tellOfOtherMasterKey(
  keys: Pick<DkimKeyRepository, 'countSealedOtherwise'>,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  const count = await keys.countSealedOtherwise();
  if (count === 0) return;
  log.error({ keys: count }, 'MASTER_KEY is not the one that DKIM keys are sealed under: their domains send nothing');
}
