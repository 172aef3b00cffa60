import { deadLetterRequests } from '#contracts';
import type { DeadLetter, Service } from '#contracts';
import { DeadLetterRepository } from '#events';
import type { EventHandler, EventHandlers } from '#events';
import { implement } from '#tool-call';
import type { CallContext, ImplementationFactory } from './call-context.js';

/** A separate lane for events that are applied later: rows that are kept by lane have one writer each. */
export const replayLane = -1;

export const deadLetterFactory =
  (service: Service, handlers: EventHandlers): ImplementationFactory =>
  (context) =>
    implement(deadLetterRequests(service), {
      list_dead_letters: async ({ limit }) => {
        const letters = new DeadLetterRepository(context.manager);
        return { deadLetters: await letters.listOpen(limit), total: await letters.countOpen() };
      },

      list_own_dead_letters: async ({ ids, event, ...page }, { organizationId }) => {
        const selection = { ...page, ...(ids && { ids }), ...(event !== undefined && { event }) };
        return await new DeadLetterRepository(context.manager).listOpenOf(organizationId, selection);
      },

      find_own_dead_letter: async ({ id }, { organizationId }) => {
        const found = await new DeadLetterRepository(context.manager).findOf(organizationId, id);
        return { deadLetter: found && { ...found, payload: { ...found.payload } } };
      },

      discard_own_dead_letters: async ({ ids, reason }, { organizationId }) => ({
        discarded: await new DeadLetterRepository(context.manager).updateDiscarded(organizationId, ids, reason),
      }),

      replay_dead_letters: async ({ ids }) => {
        const letters = new DeadLetterRepository(context.manager);
        const failed: DeadLetter[] = [];
        let replayed = 0;
        for (const id of await letters.listOpenIds(ids)) {
          try {
            if (await context.transaction((own) => replay(handlers, id, own))) replayed += 1;
          } catch (error) {
            const letter = await letters.updateFailed(id, String(error));
            if (letter) failed.push(letter);
          }
        }
        return { replayed, failed };
      },
    });

/** @returns whether the letter was there to be replayed */
async function replay(handlers: EventHandlers, id: string, { manager, outbox }: CallContext): Promise<boolean> {
  const event = await new DeadLetterRepository(manager).take(id);
  if (!event) return false;
  const handler = handlers[event.name] as EventHandler<typeof event.name> | undefined;
  if (!handler) throw new Error(`no handler of ${event.name} is left in this service`);
  await handler([event], { manager, outbox, lane: replayLane });
  return true;
}
