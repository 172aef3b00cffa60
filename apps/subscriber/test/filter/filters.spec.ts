import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Filter } from '#contracts';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import { OrganizationSettingsCache } from '#service-host';
import { Harness } from '../../../../test/harness/harness.js';
import { FilterEngine } from '../../src/filter/filter-engine.service.js';
import { FilterTargetClient } from '../../src/filter/filter-target.client.js';
import { FilterTargetRepository } from '../../src/filter/filter-target.repository.js';
import { meetsAll } from './evaluate.js';
import { Drawn, Seeded } from './random.js';
import { randomLeaf, randomTree, rows } from './random-filters.js';
import type { Row } from './random-filters.js';
import { populate } from './filter-fixture.js';
import type { FilterFixture } from './filter-fixture.js';

/** How often each operator is drawn. */
const drawsMin = 50;
const worldsCount = 12;
const peopleCount = 40;

describe('filters in SQL and in plain words', () => {
  const seed = Number(process.env.FILTER_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const random = new Seeded(seed);
  let harness: Harness;
  let worlds: FilterFixture[];
  let settings: OrganizationSettingsCache;
  let owners: FilterTargetClient;

  beforeAll(async () => {
    harness = await Harness.start();
    settings = new OrganizationSettingsCache(harness.bus);
    owners = new FilterTargetClient(harness.bus);
    worlds = [];
    while (worlds.length < worldsCount) worlds.push(await populate(harness, random, peopleCount));
  }, 120_000);
  afterAll(() => harness.stop());

  /** Records that filters name do not change here: each is looked up once. */
  function engineOnce(): FilterEngine {
    const { manager } = harness.dataSource('subscriber');
    const known = new Map<string, Promise<unknown>>();
    const query = (text: string, params?: unknown[]) => {
      const key = JSON.stringify([text, params]);
      if (!known.has(key)) known.set(key, manager.query(text, params));
      return known.get(key);
    };
    return new FilterEngine({ targets: new FilterTargetRepository({ query } as Sql), owners, settings });
  }

  async function chosen(
    engine: FilterEngine,
    { world, ...tenant }: FilterFixture,
    filters: Filter[],
  ): Promise<string[]> {
    const caller = harness.caller(tenant, { now: new Date(world.now) });
    const params: unknown[] = [uuidOf('org', tenant.organizationId)];
    const { text, join } = (await engine.condition(caller, filters, { from: 'caller' }))(params);
    const found: { id: string }[] = await harness
      .dataSource('subscriber')
      .query(`select s.subscriber_id as id from subscriber s ${join} where s.organization_id = $1 and ${text}`, params);
    return found.map(({ id }) => id).sort();
  }

  it(`agree on every type, field and operator, each drawn ${drawsMin} times`, async () => {
    const deck = random.shuffle(Array.from({ length: drawsMin }, () => rows).flat());
    const hands: Row[][] = [];
    for (let at = 0; at < deck.length; at += hands.at(-1)!.length) hands.push(deck.slice(at, at + random.int(1, 6)));
    const drawn = new Map<Row, number>();
    let matched = 0;

    /** Draws values and groups for a set of operators; a failing tree is shrunk and shown. */
    const play = async (hand: readonly Row[], turn: number, engine: FilterEngine) => {
      const populated = worlds[turn % worlds.length]!;
      const { ground, world } = populated;
      const tree = fc.gen().map((draw) => {
        const choices = new Drawn(draw);
        return randomTree(
          hand.map((row) => randomLeaf(row, choices, ground)),
          choices,
        );
      });
      const agree = fc.asyncProperty(tree, async (filters) => {
        const meets = ground.people.filter((person) => meetsAll(person, upperGroups(filters), world));
        const found = await chosen(engine, populated, filters);
        expect(found).toEqual(meets.map(({ uuid }) => uuid).sort());
        matched += found.length;
      });
      await fc.assert(agree, { seed: seed + turn, numRuns: 1 }).catch((error: unknown) => {
        throw new Error(`FILTER_SEED=${seed}, hand ${turn}: ${(error as Error).message}`, { cause: error });
      });
      for (const row of hand) drawn.set(row, (drawn.get(row) ?? 0) + 1);
    };
    const engine = engineOnce();
    // As many at a time as a test's pool has connections.
    for (let at = 0; at < hands.length; at += 4) {
      await Promise.all(hands.slice(at, at + 4).map((hand, i) => play(hand, at + i, engine)));
    }
    process.stdout.write(
      `Seed ${seed}: ${hands.length} filter trees of ${deck.length} filters (${rows.length} kinds) over ` +
        `${worldsCount} populations of ${peopleCount}, ${matched} matches\n`,
    );
    expect(rows.filter((row) => (drawn.get(row) ?? 0) < drawsMin)).toEqual([]);
    expect(matched).toBeGreaterThan(hands.length);
  }, 400_000);
});

/** The API takes words in any case; the evaluator need not. */
const upperGroups = (filters: readonly Filter[]): Filter[] =>
  filters.map((filter) =>
    filter.type.toUpperCase() === 'GROUP'
      ? { ...filter, type: 'GROUP', filters: upperGroups(filter.filters as Filter[]) }
      : filter,
  );
