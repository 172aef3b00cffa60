import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import type { Filter, SubscriberEventType } from '#contracts';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import { Harness } from '../../../../test/harness.js';
import { FilterEngine } from '../../src/filter/filter.engine.js';
import { FilterTargetRepository } from '../../src/filter/filter-target.repository.js';
import { OrganizationSettingsCache } from '../../src/organization/organization.settings.js';
import { meetsAll } from './evaluate.js';
import type { World } from './evaluate.js';
import { insertPopulation, randomPerson } from './population.js';
import type { Person } from './population.js';
import { Random } from './random.js';
import { randomLeaf, randomTree, rows } from './random-filters.js';

/** How often each row of the table is drawn. */
const drawsMin = 50;
const peopleCount = 50;

describe('filters in SQL and in plain words', () => {
  const seed = Number(process.env.FILTER_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const random = new Random(seed);
  const ours = { organizationId: '' };
  let tidings: Harness;
  let people: Person[];
  let world: World;

  beforeAll(async () => {
    tidings = await Harness.start();
    const domain = tidings.client(domainRequests);
    const nobody = tidings.caller(ours);
    const { organization } = await domain.create_organization({ name: 'Filters' }, nobody);
    ours.organizationId = organization.id;
    const zone = 'America/St_Johns';
    await domain.set_organization({ organizationId: organization.id, timezone: zone }, nobody);
    world = { now: Math.floor(Date.now()), zone, segments: {} };
    const eventTypes = [...new Set(rows.filter(({ type }) => type === 'EVENT').map(({ field }) => field))];
    people = Array.from({ length: peopleCount }, () =>
      randomPerson(random, world.now, eventTypes as SubscriberEventType[]),
    );
    await insertPopulation(tidings.dataSource('subscriber').manager, ours.organizationId, people);
    for (const name of ['Inner', 'Outer']) {
      const plain = rows.filter(({ type }) => type !== 'SEGMENT');
      const ground = { people, segments: [], now: world.now };
      const leaves = Array.from({ length: 3 }, () => randomLeaf(random.pick(plain), random, ground));
      world.segments[name] = [
        { type: 'GROUP', match: 'ANY', filters: leaves },
        ...(name === 'Outer' ? [{ type: 'SEGMENT', operator: 'EXCLUDE', segmentName: 'Inner' }] : []),
      ];
      await tidings.data('create_segment', { name, filters: world.segments[name] }, ours);
    }
  }, 60_000);
  afterAll(() => tidings.stop());

  /** Records that filters name do not change here: each is looked up once. */
  function engineOnce(): FilterEngine {
    const { manager } = tidings.dataSource('subscriber');
    const known = new Map<string, Promise<unknown>>();
    const query = (text: string, params?: unknown[]) => {
      const key = JSON.stringify([text, params]);
      if (!known.has(key)) known.set(key, manager.query(text, params));
      return known.get(key);
    };
    const targets = new FilterTargetRepository({ query } as Sql);
    return new FilterEngine(targets, new OrganizationSettingsCache(tidings.bus));
  }

  async function chosen(engine: FilterEngine, filters: Filter[]): Promise<string[]> {
    const { manager } = tidings.dataSource('subscriber');
    const caller = tidings.caller(ours, { now: new Date(world.now) });
    const params: unknown[] = [uuidOf('org', ours.organizationId)];
    const { text, join } = (await engine.condition(caller, filters, { from: 'caller' }))(params);
    const found: { id: string }[] = await manager.query(
      `select s.subscriber_id as id from subscriber s ${join} where s.organization_id = $1 and ${text}`,
      params,
    );
    return found.map(({ id }) => id).sort();
  }

  it(`agree on every type, field and operator, each drawn ${drawsMin} times`, async () => {
    const ground = { people, segments: Object.keys(world.segments), now: world.now };
    const deck = random.shuffle(Array.from({ length: drawsMin }, () => rows).flat());
    const trees: Filter[][] = [];
    for (let at = 0; at < deck.length;) {
      const leaves = deck.slice(at, at + random.int(1, 6)).map((row) => randomLeaf(row, random, ground));
      at += leaves.length;
      trees.push(randomTree(leaves, random));
    }
    const engine = engineOnce();
    let matched = 0;
    const check = async (filters: Filter[]) => {
      const expected = people.filter((person) => meetsAll(person, upperGroups(filters), world)).map(({ uuid }) => uuid);
      const found = await chosen(engine, filters);
      if (JSON.stringify(found) !== JSON.stringify(expected.sort())) {
        throw new Error(
          `seed ${seed}: ${JSON.stringify(filters)} chose ${found.length}, not ${expected.length} people`,
        );
      }
      matched += found.length;
    };
    // As many at a time as a test's pool has connections.
    for (let at = 0; at < trees.length; at += 4) await Promise.all(trees.slice(at, at + 4).map(check));
    console.log(
      `seed ${seed}: ${trees.length} filter trees of ${deck.length} filters over ${peopleCount} people, ${matched} matches`,
    );
    expect(matched).toBeGreaterThan(trees.length);
  }, 240_000);
});

/** The API takes words in any case; the evaluator need not. */
const upperGroups = (filters: readonly Filter[]): Filter[] =>
  filters.map((filter) =>
    filter.type.toUpperCase() === 'GROUP'
      ? { ...filter, type: 'GROUP', filters: upperGroups(filter.filters as Filter[]) }
      : filter,
  );
