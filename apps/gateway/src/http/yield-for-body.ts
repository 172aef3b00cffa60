import { FairYield, largeBodyBytes } from '#concurrency';

const fairYield = new FairYield();

/** Awaits a turn for one step of the work on a large body, so that its organization does not delay others. */
export async function yieldForBody(organizationId: string, bytes: number): Promise<void> {
  if (bytes >= largeBodyBytes) await fairYield.next(organizationId);
}
