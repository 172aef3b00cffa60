import { wireId } from '#database';
import { median } from '../report.js';
import { timed } from './town.js';
import type { Town } from './town.js';

const rounds = 60;
const warmUp = 15;

/** Milliseconds (median) of single calls in an organization of this size, each round asking for other people. */
export async function measureReads(town: Town): Promise<Record<string, number>> {
  const { query, life, size, copied } = town;
  const person = (round: number) => (round * 7919) % size;
  const cursor = (round: number) => wireId('sub', copied.uuidAt(size - 1 - person(round)));
  const tagged = [{ type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['half'] }];
  const filters = [...tagged, { type: 'STRING', field: 'name', operator: 'STARTS_WITH', value: 'person' }];
  const calls: Record<string, (round: number) => Promise<unknown>> = {
    list: () => query.list_subscribers({}, town.caller()),
    'list, by cursor': (round) => query.list_subscribers({ cursor: cursor(round) }, town.caller()),
    'list, tag and cursor': (round) => query.list_subscribers({ tag: 'half', cursor: cursor(round) }, town.caller()),
    'query, by cursor': (round) => query.query_subscribers({ filters, cursor: cursor(round) }, town.caller()),
    get: (round) => life.get_subscriber({ email: `person${person(round)}@people.internal` }, town.caller()),
    add: (round) => life.add_subscriber({ email: `new${round}@people.internal`, tags: ['half'] }, town.caller()),
    'text, few match': (round) => query.list_subscribers({ query: `person${person(round)}@` }, town.caller()),
  };
  const taken = Object.fromEntries(Object.keys(calls).map((name) => [name, [] as number[]]));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const ms = await timed(() => call(round));
      if (round >= warmUp) taken[name]!.push(ms);
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, all]) => [name, median(all)]));
}
