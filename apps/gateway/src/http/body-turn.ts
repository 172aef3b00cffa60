import { LoopTurns } from '#concurrency';

/** Bytes of a body from which each step of its call takes a turn: below, a step takes less than a millisecond. */
const largeMin = 16 * 1024;
const turns = new LoopTurns();

/** Awaits a turn for one step of the work on a large body, so that its organization does not hold others up. */
export async function bodyTurn(organizationId: string, bytes: number): Promise<void> {
  if (bytes >= largeMin) await turns.next(organizationId);
}
