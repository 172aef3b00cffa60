import { awayLine, runAway } from './away.js';
import { backlogLine, runBacklog } from './backlog.js';
import { cellsTable, runCells } from './cells.js';
import { natsOf } from '../inject/bus-fault.js';
import type { NatsOptions } from '../rig/nats-servers.js';
import { eventsLine, runEvents } from './events.js';
import type { KillableServers } from '../rig/servers.js';
import { importsLine, runImports } from './imports.js';
import { replicasLine, runReplicas } from './replicas.js';
import { rollingTable, runRolling } from './rolling.js';
import { FaultRig } from '../rig/fault-rig.js';
import type { CampaignTarget, RunResult } from '../rig/fault-rig.js';
import { RunRecord } from '../report/run-record.js';
import { summarise, summaryTable } from '../report/table.js';
import { runScaled, scaledLine } from './scaled.js';
import { runWorkflows, workflowsLine } from './workflows.js';

/** Names of the targets with a load of their own. */
export const loadTargets = [
  'events',
  'replicas',
  'workflows',
  'scale-all',
  'rolling',
  'cells',
  'import',
  'backlog',
  'away-48h',
] as const;
export type LoadTarget = (typeof loadTargets)[number];
export type Target = CampaignTarget | LoadTarget;

export interface MatrixPlan {
  servers: KillableServers;
  buildDir: string;
  seed: number;
  /** Of each target; `loadRuns` of those with a load of their own. */
  runs: number;
  loadRuns: number;
  targets: readonly Target[];
  /** Calls a second of `rolling`. */
  rate: number;
  /** Size of the file of `import`. */
  mebibytes: number;
  /** SEND_WINDOW of the system. */
  window: number;
  /** Where finished runs are recorded, so that a matrix that was interrupted continues; null: nowhere. */
  recordFile: string | null;
  say: (line: string) => void;
}

/** Text and violations of a run with a load of its own. */
interface LoadResult {
  text: string;
  breaches: string[];
}

const isLoadTarget = (target: Target): target is LoadTarget => (loadTargets as readonly string[]).includes(target);

/**
 * Runs each target with consecutive seeds, and continues after any failure. Runs in the record are not repeated, but
 * count. @returns the number of runs with violations
 */
export const runMatrix = (plan: MatrixPlan): Promise<number> => new Matrix(plan).run();

class Matrix {
  readonly #campaigns: RunRecord<RunResult>;
  readonly #loads: RunRecord<LoadResult>;
  /** Runs that could not even be judged. */
  #broken = 0;
  #rig: FaultRig | null = null;
  /** The servers of its own that it has. */
  #nats: NatsOptions | undefined;

  constructor(private readonly plan: MatrixPlan) {
    this.#campaigns = new RunRecord(plan.recordFile && `${plan.recordFile}.campaigns`);
    this.#loads = new RunRecord(plan.recordFile && `${plan.recordFile}.loads`);
  }

  async run(): Promise<number> {
    const { targets, runs, loadRuns, seed, say } = this.plan;
    for (const target of targets) {
      if (isLoadTarget(target)) for (let n = 0; n < loadRuns; n++) await this.#load(target, seed + n);
      else for (let n = 0; n < runs; n++) await this.#campaign(target, seed + n);
    }
    await this.#rig?.stop();
    const summaries = summarise(this.#campaigns.results);
    if (summaries.length > 0) say(`\n${summaryTable(summaries)}`);
    for (const { text } of this.#loads.results) say(`\n${text}`);
    const verdicts = [...this.#campaigns.results.map(({ verdict }) => verdict), ...this.#loads.results];
    const breached = this.#broken + verdicts.filter(({ breaches }) => breaches.length > 0).length;
    say(`\n${verdicts.length + this.#broken} runs, ${breached} breached`);
    return breached;
  }

  async #campaign(target: CampaignTarget, seed: number): Promise<void> {
    const recorded = this.#campaigns.find(target, seed);
    if (recorded) return this.plan.say(lineOf(recorded));
    const result = await this.#guarded(target, seed, (rig) => rig.run(target, seed));
    if (!result) return;
    this.#campaigns.add(target, seed, result);
    this.plan.say(lineOf(result));
    const { breaches } = result.verdict;
    this.#tell(breaches);
    if (breaches.length > 0) await this.#renew();
  }

  async #load(target: LoadTarget, seed: number): Promise<void> {
    if (this.#loads.find(target, seed)) return;
    const result = target === 'cells' ? await this.#cells(seed) : await this.#withLoad(target, seed);
    if (!result) return;
    this.#loads.add(target, seed, result);
    this.#tell(result.breaches);
  }

  #withLoad(target: Exclude<LoadTarget, 'cells'>, seed: number): Promise<LoadResult | null> {
    const { rate, mebibytes } = this.plan;
    const runs = {
      events: async (rig: FaultRig) => withText(await runEvents(rig, seed), eventsLine),
      replicas: async (rig: FaultRig) => withText(await runReplicas(rig, seed), replicasLine),
      workflows: async (rig: FaultRig) => withText(await runWorkflows(rig, seed), workflowsLine),
      'scale-all': async (rig: FaultRig) => withText(await runScaled(rig, seed), scaledLine),
      rolling: async (rig: FaultRig) => withText(await runRolling(rig, rate), rollingTable),
      backlog: async (rig: FaultRig) => withText(await runBacklog(rig, seed), backlogLine),
      'away-48h': async (rig: FaultRig) => withText(await runAway(rig, seed), awayLine),
      import: async (rig: FaultRig) => withText(await runImports(rig, seed, mebibytes), importsLine),
    };
    return this.#guarded(target, seed, runs[target]);
  }

  /** A system of its own, with nothing beside it. */
  async #cells(seed: number): Promise<LoadResult | null> {
    const { servers, buildDir } = this.plan;
    await this.#renew();
    return await this.#attempted('cells', seed, async () => withText(await runCells(servers, buildDir), cellsTable));
  }

  #guarded<T>(target: string, seed: number, run: (rig: FaultRig) => Promise<T>): Promise<T | null> {
    return this.#attempted(target, seed, async () => {
      const nats = natsOf[target];
      if (nats !== this.#nats) await this.#renew();
      this.#nats = nats;
      const { servers, buildDir, window } = this.plan;
      this.#rig ??= await FaultRig.start(servers, buildDir, { nats, window });
      return await run(this.#rig);
    });
  }

  /** A run that throws is a breach too; what it leaves behind is no ground for the next. */
  async #attempted<T>(target: string, seed: number, run: () => Promise<T>): Promise<T | null> {
    try {
      return await run();
    } catch (error) {
      this.#broken += 1;
      this.plan.say(`${target} seed ${seed}`);
      this.#tell([(error as Error).stack ?? String(error)]);
      await this.#renew();
      return null;
    }
  }

  #tell(violations: readonly string[]): void {
    violations.forEach((violation) => this.plan.say(`  BREACH ${violation}`));
    if (violations.length > 0) this.#rig?.lines.forEach((line) => this.plan.say(`    ${line.slice(0, 300)}`));
  }

  async #renew(): Promise<void> {
    const rig = this.#rig;
    this.#rig = null;
    await rig?.stop().catch((error: unknown) => this.plan.say(`  the system could not be stopped: ${String(error)}`));
  }
}

const lineOf = ({ target, seed, acceptedAtStrike, recoverySeconds, standstillSeconds, verdict }: RunResult): string => {
  const { accepted, duplicates, inDoubt, lost } = verdict;
  return `${target} seed ${seed}: struck at ${acceptedAtStrike}, accepted ${accepted}, duplicates ${duplicates}, in doubt ${inDoubt}, lost ${lost}, over after ${recoverySeconds.toFixed(1)} s${standstillSeconds === undefined ? '' : `, stood still for ${standstillSeconds.toFixed(1)} s`}`;
};

const withText = <T extends { breaches: string[] }>(result: T, textOf: (result: T) => string): LoadResult => ({
  text: textOf(result),
  breaches: result.breaches,
});
