import { LoopTurns } from '#concurrency';

/** Bytes from which each step on a body awaits a turn; on a smaller one, a step takes less than a millisecond. */
const largeMin = 16 * 1024;
const turns = new LoopTurns();

/** Awaits a turn for one step of the work on a large body, so that its organization does not delay others. */
export async function bodyTurn(organizationId: string, bytes: number): Promise<void> {
  if (bytes >= largeMin) await turns.next(organizationId);
}
