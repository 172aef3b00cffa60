import { receiverOf } from '../relay/destination-throttle.js';
import type { Relay, ConnectionSlot } from '../relay/connection-pool.worker.js';
import type { SendThread } from '../relay/send-thread.worker.js';
import type { MessagePrefetcher, Ready } from './message-prefetcher.service.js';
import type { Deferral } from './chunk.js';

/** Messages rendered ahead for each mark, so that the threads render on while those of one round are marked and sent. */
export const aheadFactor = 2;
const prefetchMin = 120;

/**
 * The next chunk is claimed when fewer recipients than this are left: as many as are rendered ahead, so that no connection
 * waits at the end of a chunk.
 */
export const prefetchBelow = (relay: Relay): number => Math.max(prefetchMin, aheadFactor * relay.quota('campaign'));

export interface Reserved {
  ready: Ready;
  turn: ConnectionSlot | null;
}

export interface Reservation {
  reserved: Reserved[];
  deferred: Deferral[];
  atLimit: number;
}

/**
 * Reserves a connection for each message that can be attempted now; test addresses need none. A message gets one of the
 * thread that rendered it; those left over get what is left of the others.
 * @param unrecorded results that are recorded in the statement of these marks
 */
export function reserveConnections(maker: MessagePrefetcher, relay: Relay, unrecorded: number): Reservation {
  const slots = new Map<Ready, ConnectionSlot | null>();
  const deferred: Deferral[] = [];
  // The guard counts a mailbox once a statement, so a second message to it waits for the next.
  const mailboxes = new Set<string>();
  let atLimit = 0;
  for (const isOwnThread of [true, false]) {
    // Threads without a free connection; undefined stands for all.
    const exhausted = new Set<SendThread | undefined>();
    atLimit = 0;
    maker.take((ready) => {
      const { mark, message } = ready;
      const thread = isOwnThread ? message.thread : undefined;
      if (slots.size >= relay.quota('campaign')) return false;
      if (mark.mailbox === null) {
        slots.set(ready, null);
        message.thread.drop(message);
        return true;
      }
      if (exhausted.has(thread) || mailboxes.has(mark.mailbox)) return false;
      const receiver = receiverOf(message.to);
      const hold = relay.receivers.holdOf(receiver, performance.now());
      if (hold) {
        message.thread.drop(message);
        return deferred.push({ mark, ...hold }) > 0;
      }
      if (!relay.receivers.hasRoom(receiver)) {
        atLimit += 1;
        return false;
      }
      const turn = relay.take('campaign', message.to, unrecorded, thread);
      if (turn) slots.set(ready, turn);
      else exhausted.add(thread);
      if (turn) mailboxes.add(mark.mailbox);
      return turn !== null;
    });
  }
  return { reserved: [...slots].map(([ready, turn]) => ({ ready, turn })), deferred, atLimit };
}
