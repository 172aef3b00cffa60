import type { CallContexts } from '#service-host';
import { checksMax, SendRepository } from './send.repository.js';

export interface FinishDependencies {
  contexts: CallContexts;
}

/** Ends a send that has nothing left to do, and publishes its event in the same transaction; else does nothing. */
export async function finishSend(
  { contexts }: FinishDependencies,
  { organizationId, sendId }: { organizationId: string; sendId: string },
): Promise<void> {
  await contexts.transaction(async ({ manager, outbox }) => {
    const end = await new SendRepository(manager).updateFinished(organizationId, sendId);
    if (end) outbox.add(organizationId, 'send.finished', { sendId, ...end }, sendId);
  });
}

/**
 * Ends the sends that are complete: the last chunk and the last deferred message may belong to a process that died. A
 * check is deleted after it was carried out, so a process that dies meanwhile leaves it to the next.
 * @returns how many, or more than none when there are more checks
 */
export async function finishSends(parts: FinishDependencies): Promise<number> {
  const sends = new SendRepository(parts.contexts.plain().manager);
  const checks = await sends.listEndChecks();
  const ending = checks.filter(({ ends }) => ends);
  for (const { organizationId, sendId, stopped } of ending) {
    if (stopped) await sends.skipDeferred(organizationId, sendId);
    await finishSend(parts, { organizationId, sendId });
  }
  const carriedOut = checks.flatMap((check) => check.checks);
  if (carriedOut.length > 0) await sends.deleteEndChecks(carriedOut);
  return carriedOut.length === checksMax ? checksMax : ending.length;
}
