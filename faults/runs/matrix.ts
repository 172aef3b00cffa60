import { cellsTable, runCells } from './cells.js';
import type { CellsResult } from './cells.js';
import { runEvents } from './events.js';
import type { EventsResult } from './events.js';
import type { KillableServers } from '../rig/servers.js';
import { importsLine, runImports } from './imports.js';
import type { ImportsResult } from './imports.js';
import { runReplicas } from './replicas.js';
import type { ReplicasResult } from './replicas.js';
import { rollingTable, runRolling } from './rolling.js';
import type { RollingResult } from './rolling.js';
import { FaultRig } from '../rig/fault-rig.js';
import type { CampaignTarget, RunResult } from '../rig/fault-rig.js';
import { summarise, summaryTable } from '../report/table.js';
import { runWorkflows } from './workflows.js';
import type { WorkflowsResult } from './workflows.js';

export interface MatrixPlan {
  servers: KillableServers;
  buildDir: string;
  seed: number;
  runs: number;
  targets: readonly (CampaignTarget | 'events' | 'replicas' | 'workflows' | 'rolling' | 'cells' | 'import')[];
  /** Calls a second of `rolling`. */
  rate: number;
  /** Size of the file of `import`. */
  mebibytes: number;
  say: (line: string) => void;
}

/**
 * Runs each target with consecutive seeds, and continues after any failure. @returns the number of runs with violations
 */
export const runMatrix = (plan: MatrixPlan): Promise<number> => new Matrix(plan).run();

class Matrix {
  readonly #results: RunResult[] = [];
  /** Runs that could not even be judged. */
  #broken = 0;
  #rig: FaultRig | null = null;

  constructor(private readonly plan: MatrixPlan) {}

  async run(): Promise<number> {
    const { targets, runs, seed, rate, mebibytes, say } = this.plan;
    let events: EventsResult | null = null;
    let replicas: ReplicasResult | null = null;
    let workflows: WorkflowsResult | null = null;
    let rolling: RollingResult | null = null;
    let cells: CellsResult | null = null;
    let imports: ImportsResult | null = null;
    for (const target of targets) {
      if (target === 'events') events = await this.#guarded('events', seed, (rig) => runEvents(rig, seed));
      else if (target === 'replicas') replicas = await this.#guarded(target, seed, (rig) => runReplicas(rig, seed));
      else if (target === 'workflows') workflows = await this.#guarded(target, seed, (rig) => runWorkflows(rig, seed));
      else if (target === 'rolling') rolling = await this.#guarded(target, seed, (rig) => runRolling(rig, rate));
      else if (target === 'import') imports = await this.#guarded(target, seed, (rig) => runImports(rig, mebibytes));
      else if (target === 'cells') cells = await this.#cells();
      else for (let n = 0; n < runs; n++) await this.#campaign(target, seed + n);
    }
    await this.#rig?.stop();
    const summaries = summarise(this.#results);
    if (summaries.length > 0) say(`\n${summaryTable(summaries)}`);
    if (events) say(`\n${eventsLine(events)}`);
    if (replicas) say(`\n${replicasLine(replicas)}`);
    if (workflows) say(`\n${workflowsLine(workflows)}`);
    if (rolling) say(`\n${rollingTable(rolling)}`);
    if (cells) say(`\n${cellsTable(cells)}`);
    if (imports) say(`\n${importsLine(imports)}`);
    const breached = summaries.reduce((sum, one) => sum + one.breached, this.#broken);
    const others = [events, replicas, workflows, rolling, cells, imports].flatMap((one) => one ?? []);
    const count = this.#results.length + this.#broken + others.length;
    const all = breached + others.filter(({ breaches: violations }) => violations.length > 0).length;
    for (const { breaches: violations } of others) this.#tell(violations);
    say(`\n${count} runs, ${all} breached`);
    return all;
  }

  async #campaign(target: CampaignTarget, seed: number): Promise<void> {
    const result = await this.#guarded(target, seed, (rig) => rig.run(target, seed));
    if (!result) return;
    this.#results.push(result);
    const { acceptedAtStrike, recoverySeconds, verdict } = result;
    const { accepted, duplicates, inDoubt, lost, breaches: violations } = verdict;
    this.plan.say(
      `${target} seed ${seed}: struck at ${acceptedAtStrike}, accepted ${accepted}, duplicates ${duplicates}, in doubt ${inDoubt}, lost ${lost}, over after ${recoverySeconds.toFixed(1)} s`,
    );
    this.#tell(violations);
    if (violations.length > 0) await this.#renew();
  }

  /** A system of its own, with nothing beside it. */
  async #cells(): Promise<CellsResult | null> {
    const { servers, buildDir, seed } = this.plan;
    await this.#renew();
    return await this.#attempted('cells', seed, () => runCells(servers, buildDir));
  }

  #guarded<T>(target: string, seed: number, run: (rig: FaultRig) => Promise<T>): Promise<T | null> {
    return this.#attempted(target, seed, async () => {
      this.#rig ??= await FaultRig.start(this.plan.servers, this.plan.buildDir);
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

const eventsLine = ({ kills, events, lost, doubled, seconds }: EventsResult): string =>
  `events: ${kills} kills of relays and consumers, ${events} events, lost ${lost}, doubled ${doubled}, ${seconds.toFixed(0)} s`;

const replicasLine = ({ kills, answered, effects, lost, doubled, seconds }: ReplicasResult): string =>
  `replicas: ${kills} kills of one of two subscriber processes, ${answered} calls answered, ${effects} effects, lost ${lost}, doubled ${doubled}, ${seconds.toFixed(0)} s`;

const workflowsLine = ({ kills, effects, lost, doubled, inDoubt, seconds }: WorkflowsResult): string =>
  `workflows: ${kills} kills (the service, NATS, PostgreSQL), ${effects} effects, lost ${lost}, doubled ${doubled}, mails in doubt ${inDoubt}, ${seconds.toFixed(0)} s`;
