import type { CallContexts } from '#service-host';
import { DeletedValueRepository } from './deleted-value.repository.js';

/** Steps after which a run ends, so that stopping does not wait for a large removal. */
const stepsMax = 20;

export async function removeDeleted(contexts: Pick<CallContexts, 'plain' | 'transaction'>, now: Date): Promise<number> {
  // Usually there is none, which needs no transaction to see.
  const removals = new DeletedValueRepository(contexts.plain().manager);
  if (!(await removals.claimTag()) && !(await removals.claimField())) return 0;
  for (let steps = 0; ; steps++) {
    if (
      steps === stepsMax ||
      !(await contexts.transaction(({ manager }) => step(new DeletedValueRepository(manager), now)))
    )
      return steps;
  }
}

async function step(removals: DeletedValueRepository, now: Date): Promise<boolean> {
  const tag = await removals.claimTag();
  if (tag) await removals.removeTag(tag.organizationId, tag.tag, now);
  const field = tag ? null : await removals.claimField();
  if (field) await removals.removeField(field.organizationId, field.fieldUuid);
  return tag !== null || field !== null;
}
