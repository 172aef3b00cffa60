import type { Args, Data, Filter, subscriberWorkflowRequests } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { FieldRepository } from '../field/field.repository.js';
import type { FilterEngine, WriteCondition } from '../filter/filter-engine.service.js';
import { FilterTargetRepository } from '../filter/filter-target.repository.js';
import { nameKey } from '../text/text.js';
import { PastEventRepository } from './past-event.repository.js';
import type { PastEventRow, PastFacts } from './past-event.repository.js';

type Call = (typeof subscriberWorkflowRequests)['calls']['list_past_events'];
type PastPage = Data<Call>;
type Asked = Args<Call>;

/** Events of one answer: with facts of as many subscribers they stay below its limit of 8 MB. */
const eventsMax = 40_000;

/** Answers pages of subscribers with their events of a past range, for simulations of workflows. */
export class PastEventsService {
  readonly #events: PastEventRepository;

  constructor(
    private readonly sql: Sql,
    private readonly engine: FilterEngine,
  ) {
    this.#events = new PastEventRepository(sql);
  }

  async list(asked: Asked, caller: Caller): Promise<PastPage> {
    const { organizationId } = caller;
    const after = asked.after === null ? null : uuidOf('sub', asked.after);
    const { shows, failures } = await this.#conditions(asked.conditions, caller);
    const total = asked.after === null ? await this.#events.count(organizationId) : null;
    const { limit } = asked;
    const range = await this.#events.findRange(organizationId, { after, limit });
    if (!range) return { people: [], read: 0, next: null, total, failures };
    const { last, size } = range;
    const listed = await this.#events.listEvents(organizationId, { after, last }, { ...asked, limit: eventsMax + 1 });
    const { rows, end, isCut } = bounded(listed);
    const page = { after, last: end ?? last };
    const byPerson = await this.#byPerson(rows, organizationId);
    const dated = new Set(await this.#dated(asked, page, caller));
    const people = [...new Set([...byPerson.keys(), ...dated])].filter(
      (id) => dated.has(id) || byPerson.get(id)!.some((event) => isStart(event, asked)),
    );
    const fieldKeys = asked.fieldIds.map((id) => uuidOf('fld', id) ?? '');
    const facts =
      people.length === 0 ? [] : await this.#events.listFacts(organizationId, people, { ...asked, fieldKeys, shows });
    const read = end === null ? size : (await this.#events.findRange(organizationId, { after, limit, end }))!.size;
    const isLast = end === null && size < limit;
    return {
      people: facts.map((one) => shownPerson(one, byPerson.get(one.person) ?? [], isCut)),
      read,
      next: isLast ? null : wireId('sub', page.last),
      total,
      failures,
    };
  }

  /** Conditions whose target is gone are answered with the reason, and are met by no subscriber. */
  async #conditions(
    conditions: readonly Filter[][],
    caller: Caller,
  ): Promise<{ shows: (WriteCondition | null)[]; failures: (string | null)[] }> {
    const [shows, failures]: [(WriteCondition | null)[], (string | null)[]] = [[], []];
    for (const filters of conditions) {
      const found = await this.engine.condition(caller, filters, { from: 'store' }).catch((error: unknown) => {
        if (!(error instanceof ToolError)) throw error;
        return `${error.reason}: ${error.message}`.slice(0, 500);
      });
      shows.push(typeof found === 'string' ? null : found);
      failures.push(typeof found === 'string' ? found : null);
    }
    return { shows, failures };
  }

  async #dated({ dates }: Asked, range: { after: string | null; last: string }, caller: Caller): Promise<string[]> {
    const conditions: WriteCondition[] = [];
    for (const { fieldId, from, to } of dates) {
      const filter = { type: 'FIELD', fieldId, valueType: 'DATE', operator: 'BETWEEN', from, to };
      const { shows } = await this.#conditions([[filter]], caller);
      if (shows[0]) conditions.push(shows[0]);
    }
    return conditions.length === 0 ? [] : await this.#events.listMatches(caller.organizationId, range, conditions);
  }

  /** Groups events by subscriber; the history names a changed field by the name that it had then. */
  async #byPerson(rows: readonly PastEventRow[], organizationId: string): Promise<Map<string, PastEventRow[]>> {
    const idOf = rows.some(({ type }) => type === 'FIELD_UPDATED') ? await this.#fieldIds(organizationId, rows) : null;
    const byPerson = new Map<string, PastEventRow[]>();
    for (const row of rows) {
      if (row.type === 'FIELD_UPDATED') row.key = idOf!.get(nameKey(row.key ?? '')) ?? null;
      const theirs = byPerson.get(row.person);
      if (theirs) theirs.push(row);
      else byPerson.set(row.person, [row]);
    }
    return byPerson;
  }

  async #fieldIds(organizationId: string, rows: readonly PastEventRow[]): Promise<Map<string, string>> {
    const fields = await new FieldRepository(this.sql).list(organizationId);
    const ids = new Map(fields.map(({ id, name }) => [nameKey(name), id]));
    const names = rows.flatMap(({ type, key }) => (type === 'FIELD_UPDATED' && key !== null ? nameKey(key) : []));
    const gone = [...new Set(names)].filter((name) => !ids.has(name));
    if (gone.length === 0) return ids;
    const former = await new FilterTargetRepository(this.sql).listFormer(organizationId, gone, false);
    for (const [name, { id }] of former) ids.set(name, id);
    return ids;
  }
}

/**
 * Bounds the events of a page: it then ends with the last subscriber whose events are complete. A subscriber with more
 * events than an answer may hold loses the latest ones.
 */
export function bounded(
  rows: PastEventRow[],
  max = eventsMax,
): { rows: PastEventRow[]; end: string | null; isCut: boolean } {
  if (rows.length <= max) return { rows, end: null, isCut: false };
  const incomplete = rows.at(-1)!.person;
  const complete = rows.filter(({ person }) => person !== incomplete);
  if (complete.length > 0) return { rows: complete, end: complete.at(-1)!.person, isCut: false };
  return { rows: rows.slice(0, max), end: incomplete, isCut: true };
}

const isStart = ({ type, key }: PastEventRow, { starts }: Asked): boolean =>
  starts.some((start) => start.type === type && (start.keys === null || (key !== null && start.keys.includes(key))));

const shownPerson = (
  { person, status, suppressed, shows, fields, entered }: PastFacts,
  events: readonly PastEventRow[],
  cut: boolean,
): PastPage['people'][number] => ({
  subscriberId: wireId('sub', person),
  status,
  suppressed,
  shows,
  fields,
  entered,
  events: events.map(({ at, type, key }) => [at, type, key]),
  cut,
});
