import { wireId } from '#database';
import { cpuMs } from '../cpu.js';
import { median } from '../report.js';
import { timed } from './town.js';
import type { Town } from './town.js';

const rounds = 60;
const warmUp = 15;

/** What a call takes in one town: milliseconds on the clock (median), and of the service's and its database's processors (mean). */
export interface Taken {
  ms: number;
  cpuMs: number;
}

/**
 * Single calls, each round asking for other people, and each call of each town in turn: whatever else the machine does
 * meets all sizes alike.
 */
export async function measureReads(towns: readonly Town[]): Promise<Map<string, Map<Town, Taken>>> {
  const sides = await Promise.all(
    towns.map(async (town) => ({ town, calls: callsOf(town), pids: await town.processes() })),
  );
  const names = Object.keys(sides[0]!.calls);
  const taken = new Map(names.map((name) => [name, new Map(towns.map((town) => [town, [] as Taken[]]))]));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const name of names) {
      for (let turn = 0; turn < sides.length; turn++) {
        const { town, calls, pids } = sides[(round + turn) % sides.length]!;
        const before = cpuMs(pids);
        const ms = await timed(() => calls[name]!(round));
        if (round >= warmUp)
          taken
            .get(name)!
            .get(town)!
            .push({ ms, cpuMs: cpuMs(pids) - before });
      }
    }
  }
  return new Map(
    [...taken].map(([name, byTown]) => [name, new Map([...byTown].map(([town, all]) => [town, summed(all)]))]),
  );
}

const summed = (all: readonly Taken[]): Taken => ({
  ms: median(all.map(({ ms }) => ms)),
  cpuMs: all.reduce((sum, one) => sum + one.cpuMs, 0) / all.length,
});

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
    'text, few match': (round) => query.list_subscribers({ query: `person${person(round)}@` }, town.caller()),
  };
}
