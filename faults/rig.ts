import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmtpSink, TestSystem, until } from '#testing';
import { judge, rigBus, startCampaign } from './campaign-run.js';
import type { Verdict } from './campaign-run.js';
import { strike } from './fault.js';
import type { Target } from './fault.js';
import type { KillableServers } from './killable-servers.js';
import { seeded } from './random.js';

const recipients = 1_000;
/** Messages a second that the sink takes: slow enough that the strike falls into the middle. */
const sinkRate = 250;
const connections = 20;
/** A campaign must be finished this long after the strike is over. */
export const recoveryMs = 120_000;

export interface RunResult {
  target: Target;
  seed: number;
  /** Accepted when the strike fell; a run counts only between 10 and 90 %. */
  acceptedAtStrike: number;
  seconds: number;
  verdict: Verdict;
  breaches: string[];
}

/** The real system with a sink that counts and syncs every message, and is the only judge. */
export class FaultRig {
  private constructor(
    private readonly servers: KillableServers,
    private readonly system: TestSystem,
    private readonly sink: SmtpSink,
    private readonly folder: string,
  ) {}

  static async start(servers: KillableServers, buildDir: string): Promise<FaultRig> {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-faults-'));
    const sink = await SmtpSink.start({ throttle: sinkRate, forget: true, log: join(folder, 'sink.log') });
    const system = await TestSystem.start({
      buildDir,
      databaseUrl: servers.databaseUrl,
      natsUrl: servers.natsUrl,
      masterKey: servers.masterKey,
      environment: {
        SMTP_URL: sink.url,
        SMTP_CONNECTIONS: String(connections),
        SEND_LEASE_SECONDS: '4',
        LOG_LEVEL: 'warn',
      },
      processes: ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'],
    });
    return new FaultRig(servers, system, sink, folder);
  }

  /** The last lines of every process, for the reader of a breach. */
  get lines(): string[] {
    return this.system.processes.flatMap(({ name, lines }) => lines.slice(-10).map((line) => `${name}: ${line}`));
  }

  async stop(): Promise<void> {
    await this.system.stop();
    await this.sink.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** One campaign with one strike in its middle, at a moment that the seed decides. */
  async run(target: Target, seed: number): Promise<RunResult> {
    const random = seeded(seed);
    const strikeAt = Math.floor(recipients * (0.15 + 0.6 * random()));
    const downMs = Math.floor(2_000 * random());
    if (target === 'freeze' && this.system.alive('delivery').length < 2) await this.system.add('delivery');
    const before = this.sink.accepted;
    const bus = await rigBus(this.system);
    const started = Date.now();
    try {
      const run = await startCampaign(bus, `${target}-${seed}`.toLowerCase(), recipients);
      await until('enough messages are accepted', () => this.sink.accepted - before >= strikeAt, 60_000);
      const acceptedAtStrike = this.sink.accepted - before;
      await strike(target, { system: this.system, servers: this.servers, downMs });
      const verdict = await judge({ system: this.system, bus, sink: this.sink, run }, recoveryMs);
      const result = { target, seed, acceptedAtStrike, seconds: (Date.now() - started) / 1000, verdict };
      return { ...result, breaches: breachesOf(result) };
    } finally {
      await bus.close();
    }
  }
}

function breachesOf({ acceptedAtStrike, verdict }: Omit<RunResult, 'breaches'>): string[] {
  const checks: [boolean, string][] = [
    [
      acceptedAtStrike >= recipients * 0.1 && acceptedAtStrike <= recipients * 0.9,
      `the strike fell at ${acceptedAtStrike} accepted: this run does not count`,
    ],
    [verdict.finished, 'the campaign did not finish in time'],
    [verdict.duplicates === 0, `${verdict.duplicates} duplicates`],
    [
      verdict.lost.length === 0,
      `${verdict.lost.length} recipients lost without a trace (${verdict.lost.slice(0, 3).join(', ')})`,
    ],
    [verdict.inDoubt <= connections, `${verdict.inDoubt} in doubt, more than the ${connections} connections`],
    [verdict.sums, 'the progress does not sum up'],
  ];
  return [...checks.filter(([holds]) => !holds).map(([, breach]) => breach), ...verdict.problems];
}
