import { describe, expect, it } from '@jest/globals';
import { newId, newUuid, TallyRepository, uuidOf } from '#database';
import type { EventBatch } from '#events';
import { VersionCache } from '../../src/engine/run/version-cache.service.js';
import { CompiledVersion } from '../../src/rules/compiled-version.js';
import type { VersionEmail } from '../../src/rules/compiled-version.js';
import { emptyDraft, readDraft } from '../../src/rules/draft/draft.js';
import type { Draft } from '../../src/rules/draft/draft.js';
import type { PastSubscriber } from '../../src/rules/simulation/past-subscriber.js';
import { SimulatedSubscriber } from '../../src/rules/simulation/simulated-subscriber.js';
import { SimulationPlan } from '../../src/rules/simulation/simulation-plan.js';
import { emptyTotals, SimulationTotals } from '../../src/rules/simulation/simulation-totals.js';
import { metricOf } from '../../src/rules/step-counters.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { CrashingEngine } from './crashing-engine.js';
import { FakeServices } from './fake-services.js';
import { givenGraph } from './given-graph.js';
import { innerTags, outerTags, Random, randomGraph, randomStimuli } from './random-graph.js';
import type { SimGraph } from './reference-model.js';
import { VirtualDatabase } from './virtual-database.js';

/** Graphs; each is played for several subscribers. */
const seeds = Number(process.env.SIMULATE_PAST ?? 100);
const peoplePerSeed = 3;
const horizon = 9 * 60;
/** The minutes of every hour at which something happens: starts at 0 and 45, tags at the others; no timer ends at a tag. */
const minutes = [0, 7, 20, 33, 45];
/** Tags that subscribers have or have not for the whole time: what conditions ask for, since a simulation reads them as of now. */
const fixedTags = ['fixed 0', 'fixed 1', 'fixed 2'];
const tagIds = new Map([...outerTags, ...innerTags, ...fixedTags].map((name) => [name, newId('tag')]));
const organizationId = newId('org');

interface Played {
  workflowId: string;
  startTag: string;
  draft: Draft;
  people: { id: string; starts: number[]; stimuli: { minute: number; tag: string }[]; fixed: Set<string> }[];
}

/** Conditions and waits by filters ask for fixed tags; events stay what they are. */
function withFixedTags(graph: SimGraph, random: Random): SimGraph {
  const steps = graph.steps.map((step) =>
    step.type === 'CONDITION' || step.config.by === 'filters'
      ? { ...step, config: { ...step.config, tag: random.pick(fixedTags) } }
      : step,
  );
  const exit = graph.exit?.by === 'filters' ? { ...graph.exit, tag: random.pick(fixedTags) } : graph.exit;
  return { ...graph, steps, exit };
}

function play(seed: number, services: FakeServices): Played {
  const random = new Random(seed);
  const graph = withFixedTags(randomGraph(random), random);
  const [workflowId, startTag] = [newId('wf'), newId('tag')];
  const given = givenGraph(graph, startTag, tagIds);
  const reentry = random.pick(['ONCE', 'AFTER_FINISH', 'ALWAYS']);
  const settings = { ...(given.settings as object), reentry };
  const { draft, issues } = readDraft({ ...given, settings }, emptyDraft());
  if (issues.length > 0) throw new Error(`seed ${seed} makes a graph that is refused: ${JSON.stringify(issues)}`);
  const people = Array.from({ length: peoplePerSeed }, () => ({
    id: services.add(organizationId),
    starts: [0, 60 * random.below(6) + 45],
    stimuli: randomStimuli(random),
    fixed: new Set(fixedTags.filter(() => random.next() < 0.5).map((name) => tagIds.get(name)!)),
  }));
  return { workflowId, startTag, draft, people };
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

/** The real engine in virtual time; it records the events, as the history does. */
class World {
  readonly services = new FakeServices();
  readonly history = new Map<string, [number, string, string | null][]>();
  readonly cases: Played[];
  #now = new Date(0);
  #ticks = 0;

  constructor(private readonly database: VirtualDatabase) {
    this.cases = Array.from({ length: seeds }, (_, n) => play(n + 1, this.services));
  }

  async live(): Promise<{ from: Date; to: Date }> {
    const from = await this.#tick(0);
    const published = this.cases.map(({ workflowId, startTag, draft }) => ({
      organizationId,
      workflowId,
      startTag,
      draft,
      emails: Object.fromEntries(
        draft.graph.steps.filter(({ type }) => type === 'EMAIL').map(({ id }) => [id, someEmail()]),
      ),
    }));
    await this.database.publish(published, this.#now);
    for (const { people } of this.cases)
      for (const { id, fixed } of people)
        for (const tag of fixed) this.services.give(id, tag, { workflowId: null, now: this.#now });
    // They had these tags before.
    this.services.events.length = 0;
    const engine = this.#engine();
    for (let minute = 0; minute <= horizon; minute++) {
      if (!minutes.includes(minute % 60)) continue;
      await this.#tick(minute);
      this.#happen(minute);
      await this.#settle(engine);
    }
    return { from, to: this.#now };
  }

  #happen(minute: number): void {
    const by = { workflowId: null, now: this.#now };
    for (const { people, startTag } of this.cases)
      for (const { id, starts, stimuli } of people) {
        if (starts.includes(minute)) {
          this.services.take(id, startTag, by);
          this.services.give(id, startTag, by);
        }
        for (const { tag } of stimuli.filter((one) => one.minute === minute))
          this.services.give(id, tagIds.get(tag)!, by);
      }
  }

  async #settle(engine: CrashingEngine): Promise<void> {
    for (let moved = 1; moved > 0;) {
      const events = this.services.events.splice(0);
      for (const { name, data } of events) {
        const { subscriberId, tagId, cause } = data as unknown as {
          subscriberId: string;
          tagId: string;
          cause: { kind: string };
        };
        // The simulation applies no effect of its own steps, so it is given none.
        if (cause.kind === 'workflow') continue;
        const theirs = this.history.get(subscriberId) ?? [];
        theirs.push([this.#now.getTime(), name === 'tag.added' ? 'TAG_ADDED' : 'TAG_REMOVED', tagId]);
        this.history.set(subscriberId, theirs);
      }
      const batches: EventBatch[] = events.length > 0 ? [{ outboxId: newUuid(), events }] : [];
      for (const batch of batches) await engine.hear([batch]);
      const done = await engine.work();
      moved = ('moved' in done ? done.moved : 1) + events.length;
    }
  }

  async #tick(minute: number): Promise<Date> {
    this.#ticks += 1;
    this.#now = await this.database.setTime(minute, this.#ticks);
    return this.#now;
  }

  #engine(): CrashingEngine {
    return new CrashingEngine({
      dataSource: this.database.service,
      answer: (kind, target, input) => Promise.resolve(this.services.answer(kind, target, input, this.#now)),
      random: new Random(1),
      seeds,
      spared: true,
      versions: new VersionCache(),
      defect: null,
    });
  }
}

/** What the simulation makes of a case: its counts, as the engine names them. */
function simulated({ workflowId, draft, people }: Played, world: World, range: { from: Date; to: Date }) {
  const version = new CompiledVersion(workflowId, 1, draft, {});
  const plan = new SimulationPlan(version, range);
  plan.failures = plan.conditions.map(() => null);
  const totals = new SimulationTotals(emptyTotals());
  for (const { id, fixed } of people) {
    const shows = plan.conditions
      .map((filters) =>
        (filters as unknown as { tagIds: string[] }[]).every(({ tagIds: ids }) => ids.some((tag) => fixed.has(tag))),
      )
      .map((isMet) => (isMet ? '1' : '0'));
    const person: PastSubscriber = {
      subscriberId: id,
      status: 'SUBSCRIBED',
      suppressed: null,
      shows: shows.join(''),
      fields: [],
      entered: false,
      events: world.history.get(id) ?? [],
      cut: false,
    };
    new SimulatedSubscriber(plan, person, totals).play(organizationId);
  }
  return ofEngine(totals.counts);
}

const ofEngine = (counts: ReadonlyMap<string, number>) =>
  Object.fromEntries([...counts].filter(([key]) => /^(run|in|out|goal|skip):/.test(key)).sort());

describe('a simulation over past events', () => {
  const database = useFixture(() => VirtualDatabase.open());

  it(`counts what the engine counted, for ${seeds} random graphs in virtual time`, async () => {
    await database.clear();
    const world = new World(database);
    const range = await world.live();
    const tallies = new TallyRepository(database.service);
    const differences = [];
    const kinds = new Set<string>();
    for (const [n, one] of world.cases.entries()) {
      const found = simulated(one, world, range);
      const expected = ofEngine(await tallies.listByKey(organizationId, metricOf(uuidOf('wf', one.workflowId)!)));
      if (JSON.stringify(found) !== JSON.stringify(expected)) differences.push({ seed: n + 1, found, expected });
      for (const key of Object.keys(expected))
        kinds.add(key.replace(/^(in|goal):.*$/, '$1').replace(/^out:[^:]+:/, 'out:'));
    }
    expect(differences).toEqual([]);
    // The graphs reach what is compared.
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'run:COMPLETED',
        'run:CANCELED',
        'out:TIMEOUT',
        'out:MATCHED',
        'out:JUMPED',
        'out:TRUE',
        'out:SENT',
      ]),
    );
    expect([...kinds].filter((key) => key.startsWith('skip:')).sort()).toEqual([
      'skip:ALREADY_ENROLLED',
      'skip:RUN_UNDER_WAY',
    ]);
  }, 300_000);
});
