/** OK: nothing to do; WARN: works, but needs attention; FAIL: something does not work. */
export type FindingState = 'OK' | 'WARN' | 'FAIL';

export interface Finding {
  check: string;
  state: FindingState;
  message: string;
  /** What to do; null where there is nothing to do. */
  remedy: string | null;
}

export const findingsOf = (check: string) => ({
  ok: (message: string): Finding => ({ check, state: 'OK', message, remedy: null }),
  warn: (message: string, remedy: string): Finding => ({ check, state: 'WARN', message, remedy }),
  fail: (message: string, remedy: string): Finding => ({ check, state: 'FAIL', message, remedy }),
});

/** Exit status of the doctor: 0 for all OK, 3 for a warning, 1 for a failure. */
export function statusOf(findings: readonly Finding[]): 0 | 1 | 3 {
  if (findings.some(({ state }) => state === 'FAIL')) return 1;
  return findings.some(({ state }) => state === 'WARN') ? 3 : 0;
}

/** Classifies free disk space in bytes. */
export function judgeDisk(place: string, { free, total }: { free: number; total: number }): Finding {
  const { ok, warn, fail } = findingsOf('disk');
  const said = `${gigabytes(free)} of ${gigabytes(total)} free at ${place}`;
  const remedy = 'Free some space or move DATA_DIR: PostgreSQL stops when the disk is full.';
  if (free < 1e9 || free / total < 0.03) return fail(said, remedy);
  return free < 5e9 || free / total < 0.1 ? warn(said, remedy) : ok(said);
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

/** Classifies the difference between this machine's clock and the database's, in seconds. */
export function judgeClock(secondsOff: number): Finding {
  const { ok, warn, fail } = findingsOf('clock');
  const off = Math.abs(secondsOff);
  const said = `${off.toFixed(1)} s off the database's clock`;
  const remedy = 'Synchronize the clocks (chrony, systemd-timesyncd): signatures and schedules depend on them.';
  if (off > 60) return fail(said, remedy);
  return off > 2 ? warn(said, remedy) : ok(said);
}

/** Classifies the age of the newest finished backup. @param ageDays null when there is none */
export function judgeBackup(ageDays: number | null): Finding {
  const { ok, warn } = findingsOf('backup');
  const remedy = 'Take one with `tidings backup FILE`, daily by cron: `tidings backup --to DIR --keep 14`.';
  if (ageDays === null)
    return warn('no backup was taken by `tidings backup`', `${remedy} Other backups are not known here.`);
  const said = `the last one is ${ageDays < 1 ? `${Math.round(ageDays * 24)} hours` : `${Math.floor(ageDays)} days`} old`;
  return ageDays > 2 ? warn(said, remedy) : ok(said);
}

/** Classifies owners and admins who sign in with a password alone. @param emails the first ten of `count` */
export function judgeSecondFactors({ emails, count }: { emails: readonly string[]; count: number }): Finding {
  const { ok, warn } = findingsOf('second factors');
  if (count === 0) return ok('all owners and admins have one');
  const others = count > emails.length ? ` and ${count - emails.length} others` : '';
  return warn(
    `owners and admins without one: ${emails.join(', ')}${others}`,
    'They set one up on their account page; requireSecondFactor demands it of all members.',
  );
}

/** Classifies the outboxes of the services by the age of the oldest pending event in seconds. */
export function judgeOutbox(waiting: readonly { schema: string; events: number; oldestSeconds: number }[]): Finding {
  const { ok, warn, fail } = findingsOf('outbox');
  const late = waiting.filter(({ oldestSeconds }) => oldestSeconds > 60);
  if (late.length === 0) return ok('no event waits for longer than a minute');
  const said = late
    .map((one) => `${one.schema}: ${one.events} wait, the oldest ${Math.round(one.oldestSeconds)} s`)
    .join('; ');
  const remedy = 'See that the services and NATS run; events go out by themselves then.';
  return late.some(({ oldestSeconds }) => oldestSeconds > 600) ? fail(said, remedy) : warn(said, remedy);
}

/** Classifies a certificate by the days until it expires. */
export function judgeCertificate(daysLeft: number, isSelfSigned: boolean): Finding {
  const { ok, warn, fail } = findingsOf('certificate');
  const said = `valid for ${Math.floor(daysLeft)} days`;
  const remedy = 'Set SMTP_TLS_CERT_FILE and SMTP_TLS_KEY_FILE to a new one, and restart the delivery service.';
  if (daysLeft < 0) return fail('the certificate of the SMTP listener has ended', remedy);
  if (isSelfSigned)
    return warn('the SMTP listener has a self-signed certificate', `Clients that verify it refuse it. ${remedy}`);
  return daysLeft < 14 ? warn(said, remedy) : ok(said);
}

export function judgeMigrations(
  known: Readonly<Record<string, readonly string[]>>,
  applied: Readonly<Record<string, readonly string[]>>,
): Finding {
  const { ok, fail } = findingsOf('migrations');
  const differences = (from: typeof known, to: typeof known) =>
    Object.entries(from).flatMap(([schema, names]) => names.filter((name) => !to[schema]?.includes(name)));
  const newer = differences(applied, known);
  if (newer.length > 0) {
    return fail(
      `the database has ${newer.length} migrations that this version does not know`,
      'Start the newer version that made them; an older one does not run on it.',
    );
  }
  const open = differences(known, applied);
  return open.length > 0
    ? fail(
        `${open.length} migrations are not applied`,
        'Start the system, or run the migration job, which applies them.',
      )
    : ok(`all ${Object.values(applied).flat().length} are applied`);
}
