import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { busTargets } from './inject/bus-fault.js';
import { rareTargets, strikeTargets } from './inject/process-fault.js';
import { startKillableServers } from './rig/servers.js';
import { loadTargets, runMatrix } from './runs/matrix.js';
import type { Target } from './runs/matrix.js';
import { plantDefects } from './mutation/run-mutations.js';
import { reportOf } from './report/report.js';
import { relayTargets } from './inject/relay-fault.js';

/** Kills, freezes and troubles the real system; ends with status 1 when anything was broken. */
const known = [...strikeTargets, ...rareTargets, ...relayTargets, ...busTargets, ...loadTargets] as const;
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '5' },
    'load-runs': { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    rate: { type: 'string', default: '200' },
    mebibytes: { type: 'string', default: '1024' },
    window: { type: 'string', default: '1' },
    report: { type: 'string' },
    record: { type: 'string' },
    defects: { type: 'boolean', default: false },
  },
});
const lines: string[] = [];
const say = (line: string) => {
  lines.push(line);
  process.stdout.write(`${line}\n`);
};

function targetsOf(only: readonly string[]): Target[] {
  return only.map((name) => {
    const target = known.find((one) => one === name);
    if (!target) throw new Error(`No target is called ${name}; there are: ${known.join(', ')}.`);
    return target;
  });
}

const seed = Number(values.seed);
const only = values.only ?? [];
const targets = targetsOf(values.defects || only.length === 0 ? known : only);
const servers = await startKillableServers();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void servers.stop().finally(() => process.exit(1)));
}
try {
  const plan = { servers, buildDir: process.env.TIDINGS_BUILD_DIR!, seed, say };
  const broken = values.defects
    ? await plantDefects({ ...plan, only })
    : await runMatrix({
        ...plan,
        runs: Number(values.runs),
        loadRuns: Number(values['load-runs']),
        targets,
        recordFile: values.record ?? null,
        rate: Number(values.rate),
        mebibytes: Number(values.mebibytes),
        window: Number(values.window),
      });
  if (values.report) writeFileSync(values.report, await reportOf(process.argv.slice(2), lines, servers.databaseUrl));
  process.exitCode = broken === 0 ? 0 : 1;
} finally {
  await servers.stop();
}
