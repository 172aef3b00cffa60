import { wireId } from '#database';
import { median } from '../report.js';
import { timed } from './organization.js';
import type { Town } from './organization.js';

const rounds = 120;
const warmUp = 15;

/** The one call that is held against a time instead of a growth. */
export const textSearch = 'text, few match';

/**
 * Milliseconds (median) of single calls, by name and town. Each round asks for other people, and each call goes to all
 * towns in turn: whatever else the machine does meets all sizes alike.
 */
export async function measureReads(towns: readonly Town[]): Promise<Map<string, Map<Town, number>>> {
  const sides = towns.map((town) => ({ town, calls: callsOf(town) }));
  const names = Object.keys(sides[0]!.calls);
  const taken = new Map(names.map((name) => [name, new Map(towns.map((town) => [town, [] as number[]]))]));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const name of names) {
      for (let turn = 0; turn < sides.length; turn++) {
        const { town, calls } = sides[(round + turn) % sides.length]!;
        const ms = await timed(() => calls[name]!(round));
        if (round >= warmUp) taken.get(name)!.get(town)!.push(ms);
      }
    }
  }
  const medians = (byTown: Map<Town, number[]>) => new Map([...byTown].map(([town, all]) => [town, median(all)]));
  return new Map([...taken].map(([name, byTown]) => [name, medians(byTown)]));
}

function callsOf(town: Town): Record<string, (round: number) => Promise<unknown>> {
  const { query, life, size, copied } = town;
  const person = (round: number) => (round * 7919) % size;
  const cursor = (round: number) => wireId('sub', copied.uuidAt(size - 1 - person(round)));
  const tagged = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['half'] }];
  const filters = [...tagged, { type: 'STRING', field: 'name', operator: 'STARTS_WITH', value: 'person' }];
  return {
    list: () => query.list_subscribers({}, town.caller()),
    'list, by cursor': (round) => query.list_subscribers({ cursor: cursor(round) }, town.caller()),
    'list, tag and cursor': (round) => query.list_subscribers({ tag: 'half', cursor: cursor(round) }, town.caller()),
    'query, by cursor': (round) => query.query_subscribers({ filters, cursor: cursor(round) }, town.caller()),
    get: (round) => life.get_subscriber({ email: `person${person(round)}@people.internal` }, town.caller()),
    add: (round) => life.add_subscriber({ email: `new${round}@people.internal`, tags: ['half'] }, town.caller()),
    [textSearch]: (round) => query.list_subscribers({ query: `person${person(round)}@` }, town.caller()),
  };
}
