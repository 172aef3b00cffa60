import type { NewLiveUpdate } from '#bus';
import type { DomainEvent, EventData, EventName } from '#contracts';
import { jsonbText, newId, newUuid, prepared, uuidOf } from '#database';
import type { Sql } from '#database';
import { traceparent } from '#observability';
import { laneOf } from './lane.js';

/** An event as it is stored and carried; `also` names others that say the same at the same moment. */
export type CarriedEvent = DomainEvent & { also?: Pick<DomainEvent, 'id' | 'name'>[] };

/** All events of one transaction for one lane: the unit that is published and that the inbox remembers. */
export interface EventBatch {
  outboxId: string;
  events: CarriedEvent[];
}

export const eventsOf = (envelopes: readonly Pick<EventBatch, 'events'>[]): DomainEvent[] =>
  envelopes.flatMap(({ events }) =>
    events.flatMap(({ also = [], ...event }) => [
      event,
      ...also.map((other) => ({ ...event, ...other }) as DomainEvent),
    ]),
  );

const insertSql = prepared(
  'insert outbox',
  `insert into outbox (outbox_id, lane, organization_id, subject, events)
   select (r.value ->> 'id')::uuid, (r.value ->> 'lane')::smallint, (r.value ->> 'org')::uuid, $2, r.value -> 'events'
   from jsonb_array_elements($1::jsonb) with ordinality r(value, place) order by r.place`,
);

/** Limits of an event batch in events and, roughly, bytes, so that consumers can bound their transactions. */
const eventsMax = 500;
const bytesMax = 256 * 1024;

/**
 * Collects the events of one transaction and writes them as outbox rows in it. The rows are inserted at the end, after
 * the rows of the subscribers are locked, so that their order is the commit order of each subscriber.
 */
export class Outbox {
  readonly #byLane = new Map<string, { organizationId: string; lane: number; events: DomainEvent[] }>();

  readonly #updates = new Map<string, NewLiveUpdate>();

  constructor(private readonly service: string) {}

  get updates(): NewLiveUpdate[] {
    return [...this.#updates.values()];
  }

  /** Adds an update for those who watch a record; it is published after the commit, without a guarantee. */
  notify(update: NewLiveUpdate): void {
    this.#updates.set(`${update.name} ${update.organization} ${update.id}`, update);
  }

  /**
   * Adds an event.
   * @param key what keeps its order: the subscriber id, or the id of the batch for facts that may overtake each other
   */
  add<N extends EventName>(organizationId: string, name: N, data: EventData<N>, key: string): void {
    const lane = laneOf(organizationId, key);
    const slot = `${organizationId}/${lane}`;
    const batch = this.#byLane.get(slot) ?? { organizationId, lane, events: [] };
    const trace = traceparent();
    const event = { id: newId('evt'), organizationId, name, data, ...(trace && { traceparent: trace }) };
    batch.events.push(event as DomainEvent);
    this.#byLane.set(slot, batch);
  }

  /** Writes the added events in one statement. @returns whether anything was written, to wake the outbox publisher */
  async flush(sql: Sql): Promise<boolean> {
    const rows = [...this.#byLane.values()].flatMap(({ organizationId, lane, events }) =>
      split(events).map(
        (part) => `{"id":"${newUuid()}","lane":${lane},"org":"${uuidOf('org', organizationId)}","events":${part}}`,
      ),
    );
    this.#byLane.clear();
    if (rows.length === 0) return false;
    await sql.query(
      insertSql,
      // One JSON value: an array of JSON texts would be escaped once more, which costs more than all the rest.
      [`[${rows.join(',')}]`, this.service],
    );
    return true;
  }
}

function split(events: DomainEvent[]): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let bytes = 0;
  for (const event of events) {
    const text = jsonbText(event);
    if (part.length === eventsMax || (part.length > 0 && bytes + text.length > bytesMax)) {
      parts.push(`[${part.join(',')}]`);
      [part, bytes] = [[], 0];
    }
    part.push(text);
    bytes += text.length;
  }
  if (part.length > 0) parts.push(`[${part.join(',')}]`);
  return parts;
}
