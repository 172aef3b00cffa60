import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '#bus';
import { TestSystem, until } from '#testing';
import { awaitEnd, checkHistory, listUnsent, prepareCampaign, rigBus, schedule } from '../runs/campaign.js';
import type { CampaignRun } from '../runs/campaign.js';
import { BusStrike, isBusTarget } from '../inject/bus-strike.js';
import type { BusTarget } from '../inject/bus-fault.js';
import { replaceProcess, services, inject, steppedClock } from '../inject/process-fault.js';
import type { StrikeTarget } from '../inject/process-fault.js';
import { FaultSink } from '../sink/fault-sink.js';
import { GatewayCaller } from '../load/gateway-client.js';
import { startNatsServers } from './nats-servers.js';
import type { NatsOptions, NatsServers } from './nats-servers.js';
import type { KillableServers } from './servers.js';
import { seeded } from './seeded-random.js';
import { isTroubleTarget, relayTrouble } from '../inject/relay-fault.js';
import type { RelayTarget, TroubleTarget } from '../inject/relay-fault.js';
import { AttemptMarks } from '../check/attempt-mark.js';
import { judge } from '../check/invariants.js';
import { checkLedger, watchLedger } from '../check/ledger.js';
import type { InvariantCheck } from '../check/invariants.js';

export type CampaignTarget = StrikeTarget | RelayTarget | BusTarget;

const smtpConnections = 20;
const usualLatencyMs = 50;
/** What `relay-slow` takes for a message, so that one connection sends less than two a second. */
const slowLatencyMs = 600;
/** Messages a second while delivery processes start and stop, which takes longer than a usual campaign. */
const scaleRate = 25;
/** A campaign must be over this long after the strike. */
const recoveryMs = 120_000;
/** How long late results may take to be known everywhere. */
const quietMs = 30_000;
/** A run counts only when the fault occurred while this share was accepted; else it is repeated with another offset. */
const counts = { from: 0.1, to: 0.9, tries: 5 };

export interface RunResult {
  target: CampaignTarget;
  seed: number;
  acceptedAtStrike: number;
  /** From the end of the strike to the end of the campaign. */
  recoverySeconds: number;
  /** Of a fault of the bus: the longest time in which a consumer did not go on, from when on it could. */
  standstillSeconds: number | undefined;
  verdict: InvariantCheck;
}

/** How a campaign goes until it is struck. */
export interface Pace {
  recipients: number;
  /** The least that the sink takes for a message. */
  latencyMs: number;
}

export interface RigOptions {
  /** Of each campaign. */
  recipients?: number;
  /** Messages that may be marked for a connection: SEND_WINDOW. */
  window?: number;
  /** NATS servers of its own, instead of the one of `servers`. */
  nats?: NatsOptions | undefined;
}

interface RigDependencies {
  buildDir: string;
  natsServers: NatsServers | null;
  window: number;
  marks: AttemptMarks;
  servers: KillableServers;
  system: TestSystem;
  sink: FaultSink;
  bus: Bus;
  folder: string;
  pace: Pace;
}

/** The real system on servers that may be killed, and a relay of the rig's own that judges it. */
export class FaultRig {
  readonly system: TestSystem;
  readonly sink: FaultSink;
  readonly bus: Bus;
  readonly servers: KillableServers;
  /** Null if the rig uses the one of `servers`. */
  readonly natsServers: NatsServers | null;

  private constructor(private readonly parts: RigDependencies) {
    ({
      system: this.system,
      sink: this.sink,
      bus: this.bus,
      servers: this.servers,
      natsServers: this.natsServers,
    } = parts);
  }

  static async start(servers: KillableServers, buildDir: string, options: RigOptions = {}): Promise<FaultRig> {
    const { recipients = 1_000, window = 1, nats } = options;
    const natsServers = nats ? await startNatsServers(nats) : null;
    const folder = mkdtempSync(join(tmpdir(), 'tidings-faults-'));
    // A campaign takes four seconds and more, so that strikes fall into its middle.
    const sink = await FaultSink.start(join(folder, 'sink.jsonl'), recipients / 4);
    const { databaseUrl, masterKey } = servers;
    const natsUrl = natsServers?.url ?? servers.natsUrl;
    const environment = {
      SMTP_URL: sink.url,
      SMTP_CONNECTIONS: String(smtpConnections),
      SEND_WINDOW: String(window),
      // Longer than a process is frozen, so that it wakes with connections it may do harm with.
      SMTP_DATA_TIMEOUT_SECONDS: '12',
      SEND_LEASE_SECONDS: '4',
      WORKFLOW_LEASE_SECONDS: '4',
      // A relay that refuses a fifth of the recipients is one of the faults.
      AUTO_PAUSE: 'false',
      NATS_REPLICAS: String(nats?.servers ?? 1),
      LOG_LEVEL: 'warn',
    };
    const settings = { buildDir, databaseUrl, natsUrl, masterKey, environment, processes: services };
    const system = await TestSystem.start(settings).catch(async (error: unknown) => {
      await sink.stop();
      await natsServers?.stop();
      throw error;
    });
    await system.awaitLedger();
    await watchLedger(system);
    const marks = new AttemptMarks(system, masterKey);
    sink.isMarked = (from) => marks.isCommitted(from);
    return new FaultRig({
      buildDir,
      marks,
      natsServers,
      window,
      servers,
      system,
      sink,
      bus: await rigBus(system),
      folder,
      pace: { recipients, latencyMs: usualLatencyMs },
    });
  }

  /** Most messages that the death of one delivery process may leave in doubt. */
  get doubtMax(): number {
    return smtpConnections * this.parts.window;
  }

  /** Of the programs that run. */
  get buildDir(): string {
    return this.parts.buildDir;
  }

  /** The last lines of every process, for the reader of a breach. */
  get lines(): string[] {
    return this.system.processes.flatMap(({ name, lines }) => lines.slice(-10).map((line) => `${name}: ${line}`));
  }

  async stop(): Promise<void> {
    await this.bus.close();
    await this.parts.marks.end();
    await this.system.stop();
    await this.sink.stop();
    await this.natsServers?.stop();
    rmSync(this.parts.folder, { recursive: true, force: true });
  }

  /** One campaign with one strike in its middle, at a moment that the seed decides. */
  async run(target: CampaignTarget, seed: number, pace: Pace = this.parts.pace): Promise<RunResult> {
    const random = seeded(seed);
    for (let attempt = 1; ; attempt++) {
      const result = await this.#try(target, { seed, name: `${target}-${seed}-${attempt}`, random, pace });
      const share = result.acceptedAtStrike / pace.recipients;
      if (share >= counts.from && share <= counts.to) return result;
      if (attempt === counts.tries) throw new Error(`the strike fell at ${result.acceptedAtStrike} accepted each time`);
    }
  }

  async #try(
    target: CampaignTarget,
    { seed, name, random, pace }: { seed: number; name: string; random: () => number; pace: Pace },
  ): Promise<RunResult> {
    const strikeAt = Math.floor(pace.recipients * (0.15 + 0.6 * random()));
    const downMs = Math.floor(2_000 * random());
    const spare = target === 'freeze' ? await this.system.add('delivery') : null;
    if (target === 'clock') await replaceProcess(this.system, 'delivery', steppedClock());
    const caller = target === 'gateway' ? await GatewayCaller.start(this.system, this.bus) : null;
    const from = (await this.sink.events()).length;
    const before = this.sink.accepted;
    const fault = isBusTarget(target) ? await BusStrike.prepare(target, this, { seed, downMs }) : null;
    const run = await prepareCampaign(this.bus, name, pace.recipients);
    const usualRate = this.sink.rate;
    this.#prepareSink(target, pace);
    await schedule(this.bus, run);
    if (fault) await until('the first message is accepted', () => this.sink.accepted > before, 60_000);
    await fault?.begin();
    await until('enough messages are accepted', () => this.sink.accepted - before >= strikeAt, 60_000);
    const { connections } = this.sink;
    const acceptedAtStrike = this.sink.accepted - before;
    if (isTroubleTarget(target)) this.sink.trouble = relayTrouble(target, random, connections);
    else if (fault) await fault.inject();
    else
      await inject(processOf(target as Exclude<CampaignTarget, TroubleTarget | BusTarget>), {
        system: this.system,
        servers: this.parts.servers,
        downMs,
      });
    const struckAt = Date.now();
    this.sink.rate = usualRate;
    if (target !== 'relay-slow') this.sink.latencyMs = usualLatencyMs;
    const verdict = await this.judge(run, { from, doubtMax: connections * this.parts.window });
    const recoverySeconds = (verdict.endedAt - struckAt) / 1000;
    this.sink.trouble = () => null;
    this.sink.latencyMs = usualLatencyMs;
    if (spare) await this.system.end(this.system.alive('delivery')[0]!);
    if (target === 'clock') await replaceProcess(this.system, 'delivery');
    if (caller) verdict.breaches.push(...(await caller.stop()));
    const standstillSeconds = await fault?.end(verdict, (await this.sink.events()).slice(from));
    return { target, seed, acceptedAtStrike, recoverySeconds, standstillSeconds, verdict };
  }

  /** Makes the relay what the target needs, for connections from now on. */
  #prepareSink(target: CampaignTarget, { latencyMs }: Pace): void {
    this.sink.latencyMs = target === 'relay-slow' ? slowLatencyMs : latencyMs;
    if (target === 'scale') this.sink.rate = scaleRate;
    if (this.sink.pipelines !== (target === 'relay-serial')) return;
    this.sink.pipelines = target !== 'relay-serial';
    this.sink.disconnect();
  }

  /** Waits for the end of a campaign and compares what the system says with what the sink took `from` an event on. */
  async judge(
    run: CampaignRun,
    { from, doubtMax }: { from: number; doubtMax: number },
  ): Promise<InvariantCheck & { endedAt: number }> {
    await awaitEnd(this.bus, run, recoveryMs);
    const endedAt = Date.now();
    // A resumed zombie reports its results when it wakes, which may be after the end.
    for (;;) {
      const progress = await awaitEnd(this.bus, run, 0);
      const unsent = await listUnsent(this.bus, run);
      const events = (await this.sink.events()).slice(from);
      const verdict = judge({ recipients: run.recipients, events, unsent, progress, doubtMax });
      const breaches = [...verdict.breaches];
      if (breaches.length === 0) {
        const history = await checkHistory(this.bus, run);
        breaches.push(...(history === null ? [] : [history]), ...(await checkLedger(this.system, run)));
      }
      if (breaches.length === 0 || Date.now() > endedAt + quietMs) return { ...verdict, breaches, endedAt };
      await pause(500);
    }
  }
}

/** What is struck: delivery where the relay itself is of another kind than usual. */
const processOf = (target: StrikeTarget | 'relay-serial' | 'relay-slow'): StrikeTarget =>
  target === 'relay-serial' || target === 'relay-slow' ? 'delivery' : target;
