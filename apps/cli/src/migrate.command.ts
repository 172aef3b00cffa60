import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CommandError, exitStatus } from './command-error.js';
import { jsonOption } from './command.js';
import type { Command } from './command.js';
import { migrationEnvironment, readDoctorConfig } from './config.js';
import { InstallationRepository } from './doctor/installation.repository.js';
import { build, knownMigrations } from './migration/known-migrations.js';
import { tableLines } from './terminal.js';

function ownerUrl(): string {
  const { DATABASE_URL: url } = readDoctorConfig();
  if (!url)
    throw new CommandError('No database is known here: start the system, or set DATABASE_URL to the owner’s URL.');
  return url;
}

const status: Command = {
  words: ['migrate', 'status'],
  about: 'Shows the applied and open migrations of each service. Exit status: 0 all applied, 3 some are open.',
  options: { json: jsonOption },
  run: async (typed, session) => {
    const installation = await InstallationRepository.connect(ownerUrl());
    let applied: Record<string, string[]>;
    try {
      applied = await installation.listMigrations();
    } finally {
      await installation.close();
    }
    const services = Object.entries(knownMigrations()).map(([service, known]) => {
      const done = new Set(applied[service] ?? []);
      return {
        service,
        applied: known.filter((name) => done.has(name)).sort(),
        open: known.filter((name) => !done.has(name)).sort(),
        unknown: [...done].filter((name) => !known.includes(name)).sort(),
      };
    });
    session.show(typed, { services }, () =>
      tableLines([
        ['SERVICE', 'APPLIED', 'OPEN', 'OF A NEWER VERSION'],
        ...services.map((one) => [
          ...[one.service, String(one.applied.length), one.open.join(' ') || '-', one.unknown.join(' ') || '-'],
        ]),
      ]),
    );
    return services.some(({ open }) => open.length > 0) ? exitStatus.partly : exitStatus.done;
  },
};

const up: Command = {
  words: ['migrate', 'up'],
  about: 'Applies the open migrations of all services, one service after the other; the version before may be running.',
  run: async (_typed, { terminal }) => {
    const url = ownerUrl();
    for (const service of Object.keys(knownMigrations())) {
      const main = fileURLToPath(new URL(`apps/${service}/src/main.js`, build));
      const child = spawn(process.execPath, [main], { env: migrationEnvironment(url), stdio: ['ignore', 2, 2] });
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0)
        throw new CommandError(`The migrations of ${service} failed; see above. Services before it are done.`);
      terminal.say(`${service}: all migrations are applied.`);
    }
  },
};

export const migrateCommands = [status, up];
