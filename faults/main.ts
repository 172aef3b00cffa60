import { parseArgs } from 'node:util';
import { targets } from './fault.js';
import type { Target } from './fault.js';
import { startKillableServers } from './killable-servers.js';
import { FaultRig } from './rig.js';

/** Kills and freezes parts of the real system in the middle of campaigns; ends with status 1 when anything was broken. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true, default: [...targets] },
  },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);
let breached = 0;
let inDoubt = 0;
let runs = 0;

async function runOne(rig: FaultRig, target: Target, runSeed: number): Promise<void> {
  const { acceptedAtStrike, verdict, seconds, breaches } = await rig.run(target, runSeed);
  const figures = [
    acceptedAtStrike,
    verdict.accepted,
    verdict.duplicates,
    verdict.inDoubt,
    verdict.lost.length,
    seconds.toFixed(1),
  ];
  const widths = [9, 8, 10, 8, 4, 7];
  const columns = figures.map((figure, i) => String(figure).padStart(widths[i]!));
  say(`${target.padEnd(10)} ${String(runSeed).padStart(5)}  ${columns.join('  ')}`);
  breaches.forEach((breach) => say(`  BREACH ${breach}`));
  if (breaches.length > 0 && process.env.FAULT_LINES) rig.lines.forEach((line) => say(`  ${line}`));
  breached += breaches.length > 0 ? 1 : 0;
  inDoubt += verdict.inDoubt;
  runs += 1;
}

const servers = await startKillableServers();
try {
  const rig = await FaultRig.start(servers, process.env.TIDINGS_BUILD_DIR!);
  say('target      seed  at strike  accepted  duplicates  in doubt  lost  seconds');
  try {
    for (let n = 0; n < Number(values.runs); n++) {
      for (const target of values.only as Target[]) await runOne(rig, target, seed + n);
    }
  } finally {
    await rig.stop();
  }
} finally {
  await servers.stop();
}
say(`${runs} runs, ${breached} breached, ${inDoubt} in doubt in all`);
process.exitCode = breached === 0 ? 0 : 1;
