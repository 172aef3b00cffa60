import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource, EntityManager } from 'typeorm';
import type { ServiceBus } from '#bus';
import { uuidOf } from '#database';
import { createLogger } from '#observability';
import { CallContexts, readEnvironment } from '#service-host';
import { environmentFor } from '../../../../test/plans.js';
import { workflowEnvironment } from '../../src/config.js';
import { engineLoops } from '../../src/workflow.module.js';
import { Desk, mail, step, tagged } from '../desk.js';
import type { GivenGraph, GivenStep } from '../desk.js';
import { innerTags, outerTags, Random, randomGraph, randomStimuli } from './random-graph.js';
import { Reference } from './reference.js';
import type { Course, SimGraph, SimStep } from './reference.js';

/** More: `SIMULATE=200 npm test apps/workflow/test/simulation`; one again: `SIMULATE_FROM=<seed> SIMULATE=1`. */
const seeds = Number(process.env.SIMULATE ?? 2);
const firstSeed = Number(process.env.SIMULATE_FROM ?? 1);
const peoplePerSeed = 50;
const horizon = 8 * 60 + 47;

class Crash extends Error {}

/** A step in the language of the API. */
function givenStep({ id, type, config }: SimStep): GivenStep {
  const { hours, tag, by, timeoutHours, branches, stepId, add } = config;
  if (type === 'TRIGGER') return step(id, type, { kind: 'MANUAL' });
  if (type === 'EMAIL') return mail(id);
  if (type === 'WAIT') return step(id, type, { amount: hours, unit: 'HOURS' });
  if (type === 'CONDITION') return step(id, type, { filters: [tagged(tag!)] });
  if (type === 'SPLIT') return step(id, type, { branches });
  if (type === 'ACTION') return step(id, type, { kind: add ? 'ADD_TAGS' : 'REMOVE_TAGS', tags: [tag] });
  if (type === 'GOAL') return step(id, type, { event: { kind: 'TAG_ADDED', tags: [tag] } });
  if (type === 'MOVE_TO_STEP') return step(id, type, { stepId });
  if (type === 'WAIT_UNTIL') {
    const what = by === 'event' ? { event: { kind: 'TAG_ADDED', tags: [tag] } } : { filters: [tagged(tag!)] };
    return step(id, type, { ...what, timeout: timeoutHours! * 3_600 });
  }
  return step(id, type);
}

const given = ({
  steps,
  edges,
  exit,
  success,
}: SimGraph): GivenGraph & { settings: object; successGoals: object[] } => ({
  steps: steps.map(givenStep),
  edges,
  settings: {
    exitRules: exit
      ? [exit.by === 'event' ? { event: { kind: 'TAG_ADDED', tags: [exit.tag] } } : { filters: [tagged(exit.tag)] }]
      : [],
  },
  successGoals: success ? [{ id: 'g', event: { kind: 'TAG_ADDED', tags: [success] } }] : [],
});

/** An engine whose process dies now and then: before or after any statement, any commit and any request. */
function fragileEngine(desk: Desk, random: Random, rate: number): (() => Promise<number>)[] {
  const maybe = () => {
    if (random.next() < rate) throw new Crash();
  };
  const dataSource = desk.tidings.dataSource('workflow');
  const fragile = (manager: EntityManager) =>
    new Proxy(manager, {
      get: (target, key) =>
        key === 'query'
          ? async (...args: Parameters<EntityManager['query']>) => {
              maybe();
              const rows: unknown = await target.query(...args);
              maybe();
              return rows;
            }
          : (Reflect.get(target, key) as unknown),
    });
  const source = {
    manager: fragile(dataSource.manager),
    transaction: async (work: (manager: EntityManager) => Promise<unknown>) => {
      const result = await dataSource.transaction((manager) => work(fragile(manager)));
      maybe();
      return result;
    },
  } as unknown as DataSource;
  const bus = desk.tidings.bus;
  const request: ServiceBus['request'] = async (...question) => {
    maybe();
    const outcome = await bus.request(...question);
    maybe();
    return outcome;
  };
  const log = createLogger('workflow', 'silent');
  const config = readEnvironment(workflowEnvironment, environmentFor(desk.tidings.ownerUrl));
  const { client } = desk.fragileBus(request);
  const parts = {
    contexts: new CallContexts('workflow', source, () => undefined),
    bus: { ...bus, client } as unknown as ServiceBus,
    log,
  };
  return engineLoops(config, parts).map(({ step: take }) => take);
}

/** One seed: a graph, people, what happens to them, and an engine that crashes; then every run beside the reference's. */
class World {
  #minute = 0;

  constructor(
    private readonly desk: Desk,
    private readonly workflowId: string,
    private readonly engine: (() => Promise<number>)[],
  ) {}

  /** Moves everything that can move at this minute, through every crash. */
  async settle(): Promise<void> {
    for (let moved = 1; moved > 0;) {
      moved = (await this.desk.tidings.deliverEvents()).length;
      for (const take of this.engine) {
        try {
          moved += await take();
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
          await this.#endLeases();
          moved += 1;
        }
      }
    }
  }

  /** What a dead process held is free again, as it would be a minute later. */
  async #endLeases(): Promise<void> {
    const sql = this.desk.tidings.dataSource('workflow');
    const workflow = [uuidOf('wf', this.workflowId)];
    await sql.query(
      `update run set next_action_at = clock_timestamp() where workflow_id = $1 and state = 'ACTIVE'`,
      workflow,
    );
    await sql.query(
      `update run set check_at = clock_timestamp() where workflow_id = $1 and check_at is not null`,
      workflow,
    );
  }

  /** Lets time pass up to a minute, firing what is due on the way. */
  async passTo(minute: number): Promise<void> {
    for (;;) {
      const [row] = await this.desk.tidings.dataSource('workflow').query<[{ minutes: number | null }]>(
        `select round(extract(epoch from min(next_action_at) - clock_timestamp()) / 60)::int as minutes from run
         where workflow_id = $1 and state = 'WAITING'`,
        [uuidOf('wf', this.workflowId)],
      );
      const next = row.minutes === null ? Infinity : this.#minute + Math.max(0, row.minutes);
      if (next > minute) break;
      await this.#age(next - this.#minute + 0.5);
      this.#minute = next;
      await this.settle();
      await this.#age(-0.5);
    }
    await this.#age(minute - this.#minute);
    this.#minute = minute;
  }

  async #age(minutes: number): Promise<void> {
    await this.desk.pass(this.workflowId, `${minutes} minutes`);
  }
}

describe('random graphs, random events and random crashes', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.tags(...outerTags, ...innerTags);
  });
  afterAll(() => desk.close());

  const seedsOf = Array.from({ length: seeds }, (_, n) => firstSeed + n);
  it.each(seedsOf)(
    'come to what the reference comes to: seed %i',
    async (seed) => {
      const random = new Random(seed);
      const graph = randomGraph(random);
      const workflowId = await desk.live(given(graph), `Seed ${seed}`);
      const emails = Array.from({ length: peoplePerSeed }, (_, n) => `sim-${seed}-${n}@example.com`);
      const people = [];
      for (const email of emails)
        people.push({ email, id: await desk.subscriber(email), stimuli: randomStimuli(random) });
      await desk.tidings.deliverEvents();
      const world = new World(desk, workflowId, fragileEngine(desk, random, 0.02));
      const ids = people.map(({ id }) => id);
      await desk.tidings.data('add_subscribers_to_workflow', { workflowId, subscriberIds: ids }, desk.ours);
      await world.settle();
      for (const minute of [...new Set(people.flatMap(({ stimuli }) => stimuli.map((one) => one.minute)))].sort(
        (a, b) => a - b,
      )) {
        await world.passTo(minute);
        for (const { email, stimuli } of people)
          for (const { tag } of stimuli.filter((one) => one.minute === minute))
            await desk.subscriber(email, { tags: [tag] });
        await world.settle();
      }
      await world.passTo(horizon);
      for (const { email, id: subscriberId, stimuli } of people) {
        const expected = new Reference(graph, { workflowId, subscriberId }).course(stimuli, horizon);
        const [run] = await desk.runs(email, workflowId);
        const course: Course = {
          lines: run!.history.map(({ stepId, outcome }) => `${stepId}:${outcome}`),
          state: run!.status,
          tags: await desk.tagsOf(email),
          mails: (await desk.mails(email)).length,
        };
        expect({ seed, email, ...course }).toEqual({ seed, email, ...expected, lines: expected.lines.slice(-100) });
      }
    },
    120_000,
  );
});
