import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defective, mutations } from './mutations.js';
import type { Mutation } from './mutations.js';
import type { KillableServers } from '../rig/servers.js';
import { FaultRig } from '../rig/fault-rig.js';
import { table } from '../report/table.js';

/** Number of seeds for a defect that shows only by chance. */
const seedsMax = 3;

export interface DefectPlan {
  servers: KillableServers;
  buildDir: string;
  seed: number;
  /** Names; all when empty. */
  only: readonly string[];
  say: (line: string) => void;
}

interface Finding {
  defect: Mutation;
  /** Of the sound build. */
  falseAlarms: string[];
  breaches: string[];
}

/**
 * Plants each defect in a copy of the build and runs the scenario that must notice it; the same scenario must find
 * nothing in the build as it is. @returns how many were not caught so
 */
export async function plantDefects({ servers, buildDir, seed, only, say }: DefectPlan): Promise<number> {
  const chosen = mutations.filter(({ name }) => only.length === 0 || only.includes(name));
  if (chosen.length < only.length || chosen.length === 0) {
    throw new Error(`There are these defects: ${mutations.map(({ name }) => name).join(', ')}.`);
  }
  for (const mutation of chosen) defective(buildDir, mutation);
  const findings: Finding[] = [];
  const sound = await FaultRig.start(servers, buildDir);
  try {
    for (const mutation of chosen) {
      const falseAlarms = await mutation.scenario(sound, seed).catch((error: unknown) => [String(error)]);
      findings.push({ defect: mutation, falseAlarms, breaches: [] });
      say(`without "${mutation.name}": ${falseAlarms[0] ?? 'sound'}`);
    }
  } finally {
    await sound.stop();
  }
  for (const finding of findings) {
    finding.breaches = await breachesWith(finding.defect, { servers, buildDir, seed, say }).catch((error: unknown) => {
      say(String(error));
      return [];
    });
    say(`with "${finding.defect.name}": ${finding.breaches[0] ?? 'nothing noticed'}`);
  }
  const caught = findings.filter(isCaught).length;
  say(`\n${defectTable(findings)}\n\n${caught} of ${findings.length} caught`);
  return findings.length - caught;
}

async function breachesWith(
  mutation: Mutation,
  { servers, buildDir, seed, say }: Omit<DefectPlan, 'only'>,
): Promise<string[]> {
  const copy = copyOf(buildDir);
  try {
    writeFileSync(join(copy, mutation.file), defective(copy, mutation));
    // Services run from bundles of the modules.
    execFileSync(process.execPath, [resolve('scripts/launch/bundle-services.mjs'), resolve('.'), copy]);
    const rig = await FaultRig.start(servers, copy);
    try {
      for (let n = 0; n < seedsMax; n++) {
        const violations = await mutation.scenario(rig, seed + n);
        if (violations.length > 0) return violations;
      }
      return [];
    } catch (error) {
      rig.lines.forEach((line) => say(`  ${line.slice(0, 600)}`));
      throw error;
    } finally {
      await rig.stop();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A build of its own outside the checkout, with the same packages. */
function copyOf(buildDir: string): string {
  const copy = mkdtempSync(join(realpathSync(tmpdir()), 'tidings-defect-'));
  cpSync(buildDir, copy, { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

const isCaught = ({ falseAlarms, breaches: violations }: Finding): boolean =>
  falseAlarms.length === 0 && violations.length > 0;

const defectTable = (findings: readonly Finding[]): string =>
  table(
    ['defect', 'caught', 'noticed by'],
    findings.map((finding) => [
      finding.defect.name,
      isCaught(finding) ? 'yes' : 'NO',
      finding.falseAlarms.length > 0 ? `false alarm: ${finding.falseAlarms[0]}` : (finding.breaches[0] ?? '-'),
    ]),
  );
