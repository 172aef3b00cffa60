import { isDeepStrictEqual } from 'node:util';
import { newId, newUuid, uuidOf } from '#database';
import { eventsOf } from '#events';
import type { EventBatch } from '#events';
import { RemoteFailure } from '#tool-call';
import { emptyDraft, readDraft } from '../../src/rules/draft/draft.js';
import type { VersionEmail } from '../../src/rules/compiled-version.js';
import { VersionCache } from '../../src/engine/run/version-cache.service.js';
import { FakeServices } from './fake-services.js';
import type { Defect } from './defects.js';
import { Crash, CrashingEngine } from './crashing-engine.js';
import { givenGraph } from './given-graph.js';
import { innerTags, outerTags, Random, randomGraph, randomStimuli } from './random-graph.js';
import { Reference } from './reference-model.js';
import type { SimGraph, Stimulus } from './reference-model.js';
import type { Published, VirtualDatabase } from './virtual-database.js';

/** The minute at which the simulation ends: after the last instant at which something can happen. */
const horizon = 8 * 60 + 47;
/** The minutes of every hour at which timers end and tags are given. */
const minutes = [0, 7, 20, 33];
const organizations = Array.from({ length: 4 }, () => newId('org'));
/** More than any sound engine needs until nothing moves: those that begin in the later rounds are spared every mishap. */
const roundsMax = 300;
const mishapsUntil = 200;
const eventsPerEnvelope = 40;
/** Probability that a delivered event batch is delivered again. */
const repeatOdds = 0.2;

const tagIds = new Map([...outerTags, ...innerTags].map((name) => [name, newId('tag')]));
const tagNames = new Map([...tagIds].map(([name, id]) => [id, name]));

/** One seed: a graph, a person, and what happens to them. */
interface Case {
  seed: number;
  graph: SimGraph;
  organizationId: string;
  workflowId: string;
  subscriberId: string;
  startTag: string;
  stimuli: Stimulus[];
  /** When the tag that starts the workflow is given once more. */
  startedAgain: number;
}

/** Something moves for ever. */
export class DidNotSettle extends Error {}

/** A difference between the engine and the reference. */
export interface Difference {
  seed: number;
  expected: unknown;
  found: unknown;
}

/**
 * Runs all seeds side by side in one engine that crashes, and each through the reference.
 * @throws DidNotSettle, or what the engine fails by itself with
 */
export async function simulate(
  database: VirtualDatabase,
  seeds: readonly number[],
  defect: Defect | null = null,
): Promise<Difference[]> {
  await database.clear();
  const undo = defect?.plant?.();
  try {
    const world = new World(database, seeds, defect);
    await world.prepare();
    await world.live();
    return await world.compare();
  } finally {
    undo?.();
  }
}

class World {
  readonly #fakeServices = new FakeServices();
  readonly #random: Random;
  readonly #versions = new VersionCache();
  readonly #pending: EventBatch[] = [];
  readonly #heard: EventBatch[] = [];
  #cases: Case[] = [];
  #engine: CrashingEngine;
  #now = new Date(0);
  #minute = 0;
  #ticks = 0;
  #round = 0;

  constructor(
    private readonly database: VirtualDatabase,
    private readonly seeds: readonly number[],
    private readonly defect: Defect | null,
  ) {
    this.#random = new Random(seeds[0]! * 7_919);
    this.#engine = this.#newEngine();
  }

  /** Publishes the workflow of each seed. */
  async prepare(): Promise<void> {
    await this.#tick(0);
    const published = this.seeds.map((seed) => this.#case(seed));
    this.#cases = published.map(({ drawn }) => drawn);
    await this.database.publish(published, this.#now);
  }

  #case(seed: number): { drawn: Case } & Published {
    const random = new Random(seed);
    const graph = randomGraph(random);
    const organizationId = organizations[seed % organizations.length]!;
    const [workflowId, startTag] = [newId('wf'), newId('tag')];
    const { draft, issues } = readDraft(givenGraph(graph, startTag, tagIds), emptyDraft());
    if (issues.length > 0) throw new Error(`seed ${seed} makes a graph that is refused: ${JSON.stringify(issues)}`);
    const ofMail = graph.steps.filter(({ type }) => type === 'EMAIL');
    const emails = Object.fromEntries(ofMail.map(({ id }) => [id, someEmail()]));
    const subscriberId = this.#fakeServices.add(organizationId);
    const startedAgain = 60 * random.below(6) + random.pick(minutes);
    const stimuli = randomStimuli(random);
    const drawn = { seed, graph, organizationId, workflowId, subscriberId, startTag, stimuli, startedAgain };
    return { drawn, organizationId, workflowId, startTag, draft, emails };
  }

  /** Runs the simulation, from each instant at which something can happen to the next. */
  async live(): Promise<void> {
    for (let minute = 0; minute <= horizon; minute++) {
      const starting = minute === 0 ? this.#cases : this.#cases.filter(({ startedAgain }) => startedAgain === minute);
      if (starting.length === 0 && !minutes.includes(minute % 60)) continue;
      await this.#tick(minute);
      const by = { workflowId: null, now: this.#now };
      for (const { subscriberId, startTag } of starting) {
        this.#fakeServices.take(subscriberId, startTag, by);
        this.#fakeServices.give(subscriberId, startTag, by);
      }
      for (const { subscriberId, stimuli } of this.#cases)
        for (const stimulus of stimuli.filter((one) => one.minute === minute))
          this.#fakeServices.give(subscriberId, tagIds.get(stimulus.tag)!, by);
      await this.#settle();
    }
  }

  /** Moves everything that can move at this instant, through every crash. */
  async #settle(): Promise<void> {
    this.#round = 0;
    while ((await this.#hear()) || (await this.#work()) > 0 || (await this.#hasWork())) {
      this.#round += 1;
      if (this.#round > roundsMax) throw new DidNotSettle(this.#now.toISOString());
    }
  }

  /** Advances the clock. Every take-over is later than the one before, and all timers of an hour ago are due. */
  async #tick(minute = this.#minute): Promise<void> {
    this.#minute = minute;
    this.#ticks += 1;
    this.#now = await this.database.setTime(minute, this.#ticks);
  }

  /** Delivers the pending events to the engine. @returns whether there were any */
  async #hear(): Promise<boolean> {
    const { events } = this.#fakeServices;
    while (events.length > 0) this.#pending.push({ outboxId: newUuid(), events: events.splice(0, eventsPerEnvelope) });
    if (this.#pending.length === 0) return false;
    if (this.#heard.length > 0 && this.#random.next() < repeatOdds) this.#pending.push(this.#random.pick(this.#heard));
    await this.#survive(async () => {
      while (this.#pending.length > 0) {
        await this.#engine.hear(this.#pending.slice(0, 1));
        this.#heard.push(this.#pending.shift()!);
      }
    });
    return true;
  }

  /** @returns how many records moved; the death of an engine counts */
  async #work(): Promise<number> {
    const engine = this.#engine;
    let moved = 1;
    await this.#survive(async () => {
      const done = await engine.work();
      if ('moved' in done) return void (moved = done.moved);
      // Nothing is heard of it, so another one takes over what it holds; then it goes on as if nothing had been.
      this.#engine = this.#newEngine();
      await this.#freeLeases();
      await this.#work();
      engine.wake();
      const end = await done.held;
      if (end instanceof Error) throw end;
    });
    return moved;
  }

  /** Goes on with another engine where one died, and where others did not answer. */
  async #survive(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Crash) && !(error instanceof RemoteFailure)) throw error;
      this.#engine = this.#newEngine();
    }
  }

  /** Frees all leases when work is left at this instant. @returns whether there was any */
  async #hasWork(): Promise<boolean> {
    const [row] = await this.database.service.query<[{ open: boolean }]>(
      `select exists (select from run where state = 'ACTIVE' and next_action_at is not null)
         or exists (select from run where check_at is not null) or exists (select from start_request) as open`,
    );
    if (row.open) await this.#freeLeases();
    return row.open;
  }

  /** What a dead process held is free, as it would be a minute later. */
  async #freeLeases(): Promise<void> {
    await this.#tick();
    const sql = this.database.service;
    await sql.query(
      `update run set next_action_at = least(next_action_at, case when state = 'ACTIVE' then $1 end), check_at = least(check_at, $1)
       where state = 'ACTIVE' and next_action_at > $1 or check_at > $1`,
      [this.#now],
    );
    await sql.query(`update start_request set until = '-infinity'`);
  }

  #newEngine(): CrashingEngine {
    return new CrashingEngine({
      dataSource: this.database.service,
      answer: (kind, target, input) => Promise.resolve(this.#fakeServices.answer(kind, target, input, this.#now)),
      random: this.#random,
      seeds: this.seeds.length,
      spared: this.#round > mishapsUntil,
      versions: this.#versions,
      defect: this.defect,
    });
  }

  /** What the engine made of each seed beside what the reference makes of it. */
  async compare(): Promise<Difference[]> {
    const rows = await this.database.service.query<
      { workflow_id: string; run_id: string; state: string; lines: string[] }[]
    >(
      `select r.workflow_id, r.run_id, r.state, array(
         select h.step_id || ':' || h.outcome from run_history h where h.organization_id = r.organization_id and h.run_id = r.run_id
         order by h.visit, h.at) as lines from run r`,
    );
    const reported = await this.#reportedRuns();
    return this.#cases.flatMap(({ seed, graph, workflowId, subscriberId, stimuli, startTag }) => {
      const own = rows.filter((row) => row.workflow_id === uuidOf('wf', workflowId));
      const tags = [...this.#fakeServices.tagsOf(subscriberId)]
        .filter((id) => id !== startTag)
        .map((id) => tagNames.get(id)!);
      const mails = this.#fakeServices.mailsOf(subscriberId);
      const found = own.map(({ run_id, state, lines }) => ({
        lines,
        state,
        mails,
        tags: tags.sort(),
        told: reported.get(run_id) ?? [],
      }));
      const course = new Reference(graph, { workflowId, subscriberId }).course(stimuli, horizon);
      const ends = { COMPLETED: ['run.completed'], CANCELED: ['run.canceled'] }[course.state] ?? [];
      const expected = [{ ...course, told: ['run.started', ...ends] }];
      return isDeepStrictEqual(found, expected) ? [] : { seed, expected, found };
    });
  }

  /** Names of the emitted events of each run, by its stored id. */
  async #reportedRuns(): Promise<Map<string, string[]>> {
    const envelopes = await this.database.service.query<Pick<EventBatch, 'events'>[]>(
      `select events from outbox order by seq`,
    );
    const reported = new Map<string, string[]>();
    for (const { name, data } of eventsOf(envelopes)) {
      const run = 'runId' in data ? uuidOf('run', data.runId)! : '';
      reported.set(run, [...(reported.get(run) ?? []), name]);
    }
    return reported;
  }
}

const someEmail = (): VersionEmail => ({
  campaignId: newId('cmp'),
  name: 'Email',
  subject: 'Hello',
  template: {},
  replyTo: null,
  organizationName: 'Ours',
  references: [],
  sender: {} as VersionEmail['sender'],
  sendKey: newUuid(),
});
