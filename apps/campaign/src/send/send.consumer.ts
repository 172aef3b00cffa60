import type { EventHandlers } from '#events';
import { SendRepository } from './send.repository.js';

/** Ends campaigns when the delivery service has accounted for everybody. */
export const sendHandlers = {
  'send.finished': (events, { manager }) => new SendRepository(manager).updateFinished(events),
} satisfies EventHandlers;
