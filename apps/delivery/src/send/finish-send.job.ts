import type { CallContexts } from '#service-host';
import { SendRepository } from './send.repository.js';

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
 * Ends all sends that are complete: the last chunk and the last deferred message may belong to a process that died.
 * @returns how many
 */
export async function finishSends(parts: FinishDependencies): Promise<number> {
  const sends = new SendRepository(parts.contexts.plain().manager);
  const ending = await sends.listEnding();
  for (const { stopped, ...send } of ending) {
    if (stopped) await sends.skipDeferred(send.organizationId, send.sendId);
    await finishSend(parts, send);
  }
  return ending.length;
}
