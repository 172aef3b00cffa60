import { receiverOf } from '../relay/destination-throttle.js';
import type { Relay, Turn } from '../relay/connection-pool.worker.js';
import type { MessageMaker, Ready } from './message-prefetcher.service.js';
import type { PutOff } from './chunk.js';

/** A message with the connection it will take; test addresses take none. */
export interface Reserved {
  ready: Ready;
  turn: Turn | null;
}

/** What is to become of the ready messages now. */
export interface Reservation {
  reserved: Reserved[];
  /** Messages to domains that take none at the moment. */
  putOff: PutOff[];
  /** How many stay because their domains have as many under way as they may. */
  crowded: number;
}

/**
 * Takes a connection for each message that can be handed over now; test addresses need none.
 * @param unrecorded results that are recorded in the statement of these marks
 */
export function reserveTurns(maker: MessageMaker, relay: Relay, unrecorded: number): Reservation {
  const turns = new Map<Ready, Turn | null>();
  const putOff: PutOff[] = [];
  // The guard counts a mailbox once a statement, so a second message to it waits for the next.
  const mailboxes = new Set<string>();
  let crowded = 0;
  let free = true;
  maker.take((ready) => {
    const { mailbox } = ready.mark;
    if (turns.size >= relay.quota('campaign')) return false;
    if (mailbox === null) {
      turns.set(ready, null);
      return true;
    }
    if (!free || mailboxes.has(mailbox)) return false;
    const { to } = ready.parcel;
    const receiver = receiverOf(to);
    const hold = relay.receivers.holdOf(receiver, Date.now());
    if (hold) return putOff.push({ mark: ready.mark, ...hold }) > 0;
    if (!relay.receivers.hasRoom(receiver)) {
      crowded += 1;
      return false;
    }
    const turn = relay.take('campaign', to, unrecorded);
    free = turn !== null;
    if (turn) turns.set(ready, turn);
    mailboxes.add(mailbox);
    return free;
  });
  return { reserved: [...turns].map(([ready, turn]) => ({ ready, turn })), putOff, crowded };
}
