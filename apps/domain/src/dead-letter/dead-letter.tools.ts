import type { ServiceBus } from '#bus';
import { deadLetterTools, retriedAtOnceMax } from '#contracts';
import type { Service } from '#contracts';
import { implement, pluralize, summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { DeadLetterClient, ownedBy } from './dead-letter.client.js';

/**
 * Decision: these tools stand in the domain service, which asks the others over the bus; the gateway owns no tools, and
 * a caller need not know which service has a dead letter.
 */
export function implementDeadLetterTools(bus: ServiceBus) {
  const letters = new DeadLetterClient(bus);

  /** Ids by service: those given, or the oldest of one service. */
  const chosen = async ({ ids, service }: Choice, caller: Caller): Promise<Map<Service, string[]>> => {
    if (ids) return await letters.group([...new Set(ids)], caller);
    const page = { limit: retriedAtOnceMax };
    const { deadLetters } = await letters.of(service!).list_own_dead_letters(page, caller);
    return new Map([[service!, deadLetters.map(({ id }) => id)]]);
  };

  return implement(
    deadLetterTools,
    {
      list_dead_letters: async ({ service, event, limit, cursor }, caller) => {
        if (cursor !== undefined && !/^dlt_/.test(cursor)) throw cursorInvalid();
        const filter = { ...(service && { service }), ...(event !== undefined && { event }) };
        const page = await letters.list({ ...filter, after: cursor ?? null, limit: limit + 1 }, caller);
        const deadLetters = page.deadLetters.slice(0, limit);
        const more = page.deadLetters.length > limit;
        return { ...page, deadLetters, nextCursor: more ? deadLetters.at(-1)!.id : null };
      },

      get_dead_letter: async ({ id }, caller) => ({ deadLetter: await letters.get(id, caller) }),

      retry_dead_letters: async (choice, caller) => {
        const result = { retried: 0, failed: [] as ReturnType<typeof ownedBy>[] };
        for (const [service, ids] of await chosen(choice, caller)) {
          const { replayed, failed } = await letters.of(service).replay_dead_letters({ ids }, caller);
          result.retried += replayed;
          result.failed.push(...failed.map((letter) => ownedBy(service, letter)));
        }
        return result;
      },

      discard_dead_letters: async ({ ids, reason }, caller) => {
        let discarded = 0;
        for (const [service, own] of await letters.group([...new Set(ids)], caller)) {
          const done = await letters.of(service).discard_own_dead_letters({ ids: own, reason }, caller);
          discarded += done.discarded;
        }
        return { discarded };
      },
    },
    {
      discard_dead_letters: async ({ ids, reason }, caller) => {
        const found = await letters.group([...new Set(ids)], caller);
        const count = [...found.values()].flat().length;
        const from = [...found.keys()].join(', ');
        const message = `Discards ${pluralize(count, 'event')} of ${from}, which will never be applied. Reason: ${reason}`;
        return { action: 'Discard the dead letters', message };
      },
    },
  );
}

interface Choice {
  ids?: readonly string[] | undefined;
  service?: Service | undefined;
}

function cursorInvalid(): ToolError {
  const issues = [{ path: ['cursor'], message: 'must be the nextCursor of the page before' }];
  return new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}
