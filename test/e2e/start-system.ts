import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cloneDatabase, TestSystem, testRolePrefix } from '#testing';

/** In the order they start. */
const services = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'] as const;
const buildDir = process.env.TIDINGS_BUILD_DIR!;

/**
 * Starts the real system, on the servers of this Jest run.
 * @param environment added to every process; without SMTP_URL mail goes nowhere but stays queued
 * @param options `inOneProcess`: for tests that end no service
 */
export async function startSystem(
  environment: Record<string, string>,
  { inOneProcess = false }: { inOneProcess?: boolean } = {},
): Promise<TestSystem> {
  const { url } = await cloneDatabase(migrate);
  return await TestSystem.start({
    buildDir,
    databaseUrl: process.env.DATABASE_URL!,
    ownDatabaseUrl: url,
    natsUrl: process.env.NATS_URL!,
    masterKey: process.env.MASTER_KEY!,
    environment: { SMTP_URL: 'smtp://127.0.0.1:9', ...environment },
    processes: services,
    inOneProcess,
  });
}

/** As a Job of Kubernetes does before a new version starts. */
async function migrate(ownerUrl: string): Promise<void> {
  for (const service of services.filter((name) => name !== 'gateway'))
    await promisify(execFile)(process.execPath, [join(buildDir, 'apps', service, 'src/main.js')], {
      env: {
        PATH: process.env.PATH,
        MIGRATE: 'only',
        DATABASE_URL: ownerUrl,
        DATABASE_ROLE_PREFIX: testRolePrefix,
        NATS_URL: process.env.NATS_URL,
        MASTER_KEY: process.env.MASTER_KEY,
        PUBLIC_URL: 'http://localhost:3000',
        SMTP_URL: 'smtp://127.0.0.1:9',
      },
    });
}
