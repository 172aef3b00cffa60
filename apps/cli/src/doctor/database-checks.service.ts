import { checkMasterKey, WrongMasterKeyError } from '#database';
import type { DoctorConfig } from '../config.js';
import { knownMigrations } from '../migration/known-migrations.js';
import { findingsOf, judgeBackup, judgeClock, judgeMigrations, judgeOutbox, judgeSecondFactors } from './finding.js';
import type { Finding } from './finding.js';
import { InstallationRepository } from './installation.repository.js';

export interface StoredFacts {
  sendingDomains: { domain: string; status: string }[];
}

/** @returns `facts` null when the database does not respond */
export async function checkDatabase(config: DoctorConfig): Promise<{ findings: Finding[]; facts: StoredFacts | null }> {
  const of = findingsOf('PostgreSQL');
  const { DATABASE_URL: url } = config;
  if (!url) {
    const remedy = 'Start the system, or set DATABASE_URL to the owner’s URL, and run this again.';
    return { findings: [of.warn('not checked: no database is known here', remedy)], facts: null };
  }
  let installation: InstallationRepository;
  try {
    installation = await InstallationRepository.connect(url);
  } catch (error) {
    const remedy =
      'See that the server runs and lets this machine in; the launcher’s own logs to postgres.log in DATA_DIR.';
    return { findings: [of.fail(`it does not answer: ${(error as Error).message}`, remedy)], facts: null };
  }
  try {
    const findings = [...(await checkServer(installation)), await checkKey(url, config)];
    const applied = await installation.listMigrations();
    if (Object.values(applied).every((names) => names.length === 0)) {
      const remedy = 'Start the system, which makes them.';
      return {
        findings: [...findings, findingsOf('migrations').fail('there are no schemas yet', remedy)],
        facts: null,
      };
    }
    const migrations = judgeMigrations(knownMigrations(), applied);
    // With pending migrations, tables that the next checks read may be missing.
    if (migrations.state !== 'OK') return { findings: [...findings, migrations], facts: null };
    findings.push(migrations, ...(await checkWork(installation)));
    return { findings, facts: { sendingDomains: await installation.listSendingDomains() } };
  } finally {
    await installation.close();
  }
}

async function checkServer(installation: InstallationRepository): Promise<Finding[]> {
  const { ok, fail } = findingsOf('PostgreSQL');
  const server = await installation.findServer();
  const faults = [
    ...(server.number < 150_000 ? [`it is version ${server.version}, and 15 is needed`] : []),
    ...(server.encoding !== 'UTF8' ? [`its encoding is ${server.encoding}, not UTF8`] : []),
    ...(server.folds ? [] : ['its lower() is limited to ASCII']),
    ...(server.fsync === 'on' && server.full_page_writes === 'on'
      ? []
      : ['fsync or full_page_writes is off: a power failure can ruin it']),
  ];
  const remedy = 'Use a server that fits, with fsync and full_page_writes on: docs/guides/kubernetes.md, “Production”.';
  const found = faults.length > 0 ? fail(faults.join('; '), remedy) : ok(`version ${server.version}, UTF-8, fsync on`);
  return [found, judgeClock((Date.now() - server.at.getTime()) / 1000)];
}

async function checkKey(
  ownerUrl: string,
  { MASTER_KEY: masterKey, DATABASE_ROLE_PREFIX: rolePrefix }: DoctorConfig,
): Promise<Finding> {
  const { ok, warn, fail } = findingsOf('master key');
  if (!masterKey) return warn('not checked: no key is known here', 'Set MASTER_KEY, or put master.key into DATA_DIR.');
  try {
    const { fingerprint } = await checkMasterKey({ ownerUrl, masterKey, ...(rolePrefix && { rolePrefix }) });
    return ok(`the key ${fingerprint} opens the database`);
  } catch (error) {
    if (!(error instanceof WrongMasterKeyError)) throw error;
    const expected = error.expected === null ? '' : `, which has the fingerprint ${error.expected}`;
    const remedy = `Put the key of the first start back${expected}: master.key in DATA_DIR, or MASTER_KEY.`;
    return fail(`the key ${error.actual} is not the key of this database`, remedy);
  }
}

async function checkWork(installation: InstallationRepository): Promise<Finding[]> {
  const hold = await installation.findHold();
  const letters = await installation.countDeadLetters();
  const counts = [...letters].map(([schema, n]) => `${schema}: ${n}`).join(', ');
  const held = findingsOf('mail');
  const dead = findingsOf('dead letters');
  const circles = findingsOf('workflows');
  const paused = await installation.listPausedWorkflows();
  return [
    judgeOutbox(await installation.listOutboxes()),
    letters.size > 0
      ? dead.warn(
          `events could not be applied (${counts})`,
          'See `tidings dead-letters list`, then `tidings dead-letters retry`.',
        )
      : dead.ok('none'),
    hold
      ? held.warn(
          `held since ${hold.since.toISOString()}: ${hold.reason}`,
          '`tidings mail release` lets it go, when its reason is gone.',
        )
      : held.ok('not held'),
    paused.length > 0
      ? circles.warn(
          paused.map(({ name, reason }) => `"${name}" was paused: ${reason}`).join(' '),
          'Change one of the workflows, then set the paused one ACTIVE with update_workflow_status.',
        )
      : circles.ok('none was paused by the system'),
    judgeBackup(await installation.findBackupAge()),
    judgeSecondFactors(await installation.findUnprotectedMembers()),
  ];
}
