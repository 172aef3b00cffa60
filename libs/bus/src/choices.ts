import type { Choice } from '#contracts';
import type { Bus } from './bus.js';
import { choiceStream } from './streams.js';
import type { DurableStream } from './streams.js';

const atOnce = 100;

/**
 * Stores a choice until the subscriber service has applied it, in place of one of the same message that still waits.
 * @param timeoutMs how long the server's acknowledgement is waited for
 * @throws when the choice was not acknowledged: it may or may not be stored, and storing it again is harmless
 */
export async function publishChoice(stream: DurableStream, choice: Choice, timeoutMs?: number): Promise<void> {
  const { messageId, subscriberId } = choice.data;
  const subject = `choices.unsubscribe.${messageId ?? subscriberId}`;
  await stream.publish(subject, JSON.stringify(choice), undefined, { timeoutMs });
}

/** Lists the choices of one cell that the subscriber service has not applied, the oldest first, for a backup. */
export async function listWaitingChoices(cell: Pick<Bus, 'connection' | 'namespace'>): Promise<Choice[]> {
  const choices: Choice[] = [];
  for await (const choice of choiceStream(cell).list<Choice>()) choices.push(choice);
  return choices;
}

/**
 * Puts choices of a backup back, with the instants at which they were made; putting one back twice changes nothing.
 * @param replicas of the stream, if it has to be created
 */
export async function restoreWaitingChoices(
  cell: Pick<Bus, 'connection' | 'namespace'>,
  choices: readonly Choice[],
  replicas = 1,
): Promise<void> {
  const stream = choiceStream(cell, replicas);
  await stream.ensure();
  for (let from = 0; from < choices.length; from += atOnce)
    await Promise.all(choices.slice(from, from + atOnce).map((choice) => publishChoice(stream, choice)));
}
