import { receiverOf } from '../relay/destination-throttle.js';
import type { Relay, ConnectionSlot } from '../relay/connection-pool.worker.js';
import type { MessagePrefetcher, Ready } from './message-prefetcher.service.js';
import type { Deferral } from './chunk.js';

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
 * Reserves a connection for each message that can be attempted now; test addresses need none.
 * @param unrecorded results that are recorded in the statement of these marks
 */
export function reserveConnections(maker: MessagePrefetcher, relay: Relay, unrecorded: number): Reservation {
  const slots = new Map<Ready, ConnectionSlot | null>();
  const deferred: Deferral[] = [];
  // The guard counts a mailbox once a statement, so a second message to it waits for the next.
  const mailboxes = new Set<string>();
  let atLimit = 0;
  let free = true;
  maker.take((ready) => {
    const { mailbox } = ready.mark;
    if (slots.size >= relay.quota('campaign')) return false;
    if (mailbox === null) {
      slots.set(ready, null);
      return true;
    }
    if (!free || mailboxes.has(mailbox)) return false;
    const { to } = ready.message;
    const receiver = receiverOf(to);
    const hold = relay.receivers.holdOf(receiver, Date.now());
    if (hold) return deferred.push({ mark: ready.mark, ...hold }) > 0;
    if (!relay.receivers.hasRoom(receiver)) {
      atLimit += 1;
      return false;
    }
    const turn = relay.take('campaign', to, unrecorded);
    free = turn !== null;
    if (turn) slots.set(ready, turn);
    mailboxes.add(mailbox);
    return free;
  });
  return { reserved: [...slots].map(([ready, turn]) => ({ ready, turn })), deferred, atLimit };
}
