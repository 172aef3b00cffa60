import type { SendMetrics } from '../../metrics/send-metrics.service.js';
import type { LeasedChunk } from '../chunk/chunk.js';
import type { AttemptJournal, EarlierLease } from '../journal/attempt-journal.service.js';
import type { ChunkRecipient, Outcome } from './ledger-chunk.js';
import type { LedgerChunkRepository } from './ledger-chunk.repository.js';
import { eventsOf, outcomeOfAttempt } from './settle-outcome.service.js';
import type { OutcomeContext } from './settle-outcome.service.js';

export interface TakeOverDependencies {
  ledger: LedgerChunkRepository;
  journal: AttemptJournal;
  meter: SendMetrics;
  wakeOutbox(): void;
}

/**
 * Takes over a chunk that had leases before: marks without an outcome are in doubt from now on, unless a journal says
 * what happened. Then those that were never begun are unmarked, and the relay's replies are recorded.
 * @param recipients of the whole chunk, by position
 * @param subject of a message whose subject has no variable
 * @returns the positions that have a row; null once another lease began
 */
export async function takeOverChunk(
  { ledger, journal, meter, wakeOutbox }: TakeOverDependencies,
  page: LeasedChunk,
  about: { recipients: readonly ChunkRecipient[]; subject: string; context: OutcomeContext; lane: number },
): Promise<ReadonlySet<number> | null> {
  const earlier = await journal.earlier(page);
  const taken = await ledger.takeOver(page, about.recipients, earlier);
  if (taken === null) return null;
  let settled = 0;
  for (const lease of earlier) {
    const outcomes = lateOutcomes(outcomesOf(lease, about), about.context, page.pageNo);
    if (outcomes.length === 0) continue;
    settled += (await ledger.settleLate({ ...page, fence: lease.fence }, outcomes, about.lane)).size;
  }
  journal.forget(earlier);
  if (settled > 0) wakeOutbox();
  // An earlier take-over may have doubted what this one settles.
  meter.doubted(Math.max(0, taken.doubted - settled));
  return taken.settled;
}

function outcomesOf(
  { attempts, subjects }: EarlierLease,
  { recipients, subject, context }: { recipients: readonly ChunkRecipient[]; subject: string; context: OutcomeContext },
): Outcome[] {
  return [...attempts].flatMap(([position, { relayId, reply }]) => {
    const recipient = recipients[position];
    if (!reply || !recipient) return [];
    const noted = subjects.get(position);
    const mark = { recipient, mailbox: null, subjectValues: noted?.values ?? null };
    const outcome = outcomeOfAttempt(
      reply.report,
      { mark, subject: noted?.subject ?? subject, relayId, at: new Date(reply.at) },
      context,
    );
    return [outcome];
  });
}

/** Returns outcomes that settle a message after its lease, with the events of each. */
export const lateOutcomes = (outcomes: readonly Outcome[], context: OutcomeContext, chunk: number): Outcome[] =>
  outcomes
    .filter(({ relayId, state }) => relayId !== null && state !== 'IN_DOUBT')
    .map((outcome) => ({ ...outcome, events: eventsOf([outcome], context, chunk) ?? '' }));
